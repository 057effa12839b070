import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckProfileReply, DataType, type Profile, type ProfileReply } from '@tagway/schemas';
import { expect } from 'chai';
import { readGroup, readValues } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { useGateway } from '../world/plant.ts';
import { RegisterDevice, type Table } from '../world/register-device.ts';

const folder = join(import.meta.dirname, '../../plugins/profiles');
const profiles = readdirSync(folder).map(
  (id) => JSON.parse(readFileSync(join(folder, id, 'profile.json'), 'utf8')) as Profile,
);

/** Values at the ends of each type as a device has them, the highest word and byte first, and what a raw value of them is. */
const extremes: Readonly<Record<string, readonly (readonly [hex: string, value: number | bigint])[]>> = {
  INT16: [
    ['8000', -32768],
    ['7fff', 32767],
    ['ffff', -1],
  ],
  UINT16: [
    ['ffff', 65535],
    ['0000', 0],
    ['8000', 32768],
  ],
  INT32: [
    ['80000000', -2147483648],
    ['7fffffff', 2147483647],
    ['fffffffe', -2],
  ],
  UINT32: [
    ['ffffffff', 4294967295],
    ['00000001', 1],
    ['80000000', 2147483648],
  ],
  INT64: [
    ['8000000000000000', -9223372036854775808n],
    ['7fffffffffffffff', 9223372036854775807n],
    ['0000000000000102', 258],
  ],
  UINT64: [
    ['ffffffffffffffff', 18446744073709551615n],
    ['0000000000000001', 1],
    ['8000000000000000', 9223372036854775808n],
  ],
  FLOAT: [
    ['7f7fffff', 3.4028235e38],
    ['ff7fffff', -3.4028235e38],
    ['43668000', 230.5],
  ],
  DOUBLE: [
    ['7fefffffffffffff', 1.7976931348623157e308],
    ['ffefffffffffffff', -1.7976931348623157e308],
    ['406cd00000000000', 230.5],
  ],
};

const text = 'SN-0123456789';

/** The registers of an address of Modbus on the wire, without the code of the product. */
function placeOf(address: string): { readonly area: string; readonly from: number; readonly order: string } {
  const [, area = '', number = '', order = ''] = /^\d+!([34])(\d+)(?:\.\d+)?(?:#(..))?$/.exec(address) ?? [];
  return { area, from: Number(number) - 1, order };
}

function wordsOf(hex: string): number[] {
  return (hex.match(/.{4}/g) ?? []).map((word) => parseInt(word, 16));
}

describe('a device profile that comes with the gateway', function () {
  this.timeout(120_000);
  const { client } = useGateway();
  let device: RegisterDevice;

  before(async () => {
    device = await RegisterDevice.start();
  });

  after(() => device[Symbol.asyncDispose]());

  it('is one of twenty-nine, and says that it was not tried with a device', () => {
    expect(profiles).to.have.length(29);
    for (const { id, tried } of profiles) {
      expect(tried, id).to.equal(undefined);
      const readme = readFileSync(join(folder, id, 'README.md'), 'utf8');
      expect(readme, id).to.include('Not tried with a device');
    }
  });

  /** Sets the registers of a profile's groups, to other ends of each type in each round, and returns the values of the tags. */
  const place = (groups: ProfileReply['groups'], round: number): Map<string, unknown> => {
    const expected = new Map<string, unknown>();
    for (const [at, { name: group, tags }] of groups.entries())
      for (const [index, tag] of tags.entries()) {
        const type = Object.entries(DataType).find(([, value]) => value === tag.type)?.[0] ?? '';
        const { area, from, order } = placeOf(tag.address);
        const table: Table = area === '4' ? device.holding : device.input;
        if (type === 'STRING') {
          const length = Number(/\.(\d+)$/.exec(tag.address)?.[1]);
          const bytes = Buffer.alloc(length);
          bytes.write(text.slice(round, round + length), 'latin1');
          device.set(table, from, wordsOf(bytes.toString('hex')));
          expected.set(`${group}/${tag.name}`, text.slice(round, round + length));
          continue;
        }
        const [hex = '', raw = 0] = extremes[type]?.[(index + at + round) % 3] ?? [];
        const words = wordsOf(hex);
        // Low word first: 230.5 is 0x8000 and then 0x4366.
        device.set(table, from, order === 'BL' ? words.toReversed() : words);
        expected.set(`${group}/${tag.name}`, tag.decimal === 0 ? raw : Number(raw) * tag.decimal);
      }
    return expected;
  };

  for (const profile of profiles.filter(({ discover }) => discover === undefined))
    it(`reads ${profile.name}: each address, in as many requests as it says, at the ends of each type`, async () => {
      const { problems, plugins } = await client.ok<CheckProfileReply>('POST', '/profile/check', { profile });
      expect(problems).to.deep.equal([]);
      expect(plugins.map(({ id }) => id)).to.have.members(profile.plugins.map(({ id }) => id));
      const { groups, parameters } = await client.ok<ProfileReply>('GET', '/profile', {
        profile: profile.id,
      });
      for (const found of plugins)
        expect(
          found.groups.map(({ name, tags }) => [name, tags]),
          found.id,
        ).to.deep.equal(groups.map(({ name, tags }) => [name, tags.length]));
      const given = Object.fromEntries(parameters.map(({ name, default: value = 5 }) => [name, value]));
      device.holding.clear();
      device.input.clear();
      device.unit = given['unit'];
      // What lies between the values of a device that reads it along.
      if (profile.plugins.some(({ settings }) => settings?.['max_gap'] !== undefined))
        for (const table of [device.holding, device.input])
          device.set(table, 0, new Array<number>(65_536).fill(0));
      const first = place(groups, 0);
      const node = profile.id;
      await client.ok('POST', '/profile/node', {
        profile: profile.id,
        node,
        plugin: 'Modbus TCP',
        // Without the pauses that some devices want.
        params: { ...device.params, interval: 0 },
        parameters: given,
      });
      const asked = plugins.find(({ id }) => id === 'modbus-tcp');
      for (const { name: group } of groups) {
        const values = await readValues(client, node, group).catch(async (error: unknown) => {
          const now = await readGroup(client, node, group);
          throw new Error(
            `${String(error)} ${JSON.stringify([...now.values()].filter((one) => one.error !== undefined))}`,
          );
        });
        compare(group, values, first);
        // The rest of the node is quiet while one group is read on demand.
        const counted = await until(`${group} is read alone`, async () => {
          const before = device.requests;
          await client.ok('POST', '/read', { node, group, sync: true });
          const own = device.requests - before;
          const said = asked?.groups.find(({ name }) => name === group)?.requests;
          return own === said ? own : undefined;
        });
        expect(counted).to.be.greaterThan(0);
      }
      // Every tag at every end of its type.
      for (const round of [1, 2]) {
        const expected = place(groups, round);
        for (const { name: group } of groups)
          compare(group, await readGroup(client, node, group, true), expected);
      }
      await client.ok('DELETE', '/node', { name: node });
    });
});

function compare(
  group: string,
  values: ReadonlyMap<string, { readonly value?: unknown }>,
  expected: ReadonlyMap<string, unknown>,
): void {
  for (const [name, { value }] of values) {
    const where = `${group}/${name}`;
    const wanted = expected.get(where);
    if (typeof wanted === 'bigint') expect(BigInt(value as number), where).to.equal(wanted);
    else if (typeof wanted === 'number')
      expect(Number(value), where).to.be.closeTo(wanted, Math.abs(wanted) * 1e-7);
    else expect(value, where).to.equal(wanted);
  }
}
