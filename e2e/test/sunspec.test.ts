import {
  type CheckProfileReply,
  ErrorCode,
  type ProfilePlanReply,
  type TestProfileReply,
} from '@tagway/schemas';
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readValues } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { useGateway } from '../world/plant.ts';
import { RegisterDevice } from '../world/register-device.ts';

const marker = [0x5375, 0x6e53];
const end = [0xffff, 0];

/** Registers of a text, two characters each. */
function textOf(text: string, registers: number): number[] {
  const bytes = Buffer.alloc(registers * 2);
  bytes.write(text, 'latin1');
  return Array.from({ length: registers }, (_, at) => bytes.readUInt16BE(at * 2));
}

/** Model 1 with the length 66: maker, model, options, version, serial number, unit address, and a filler. */
const common = (maker: string): number[] => [
  ...[1, 66],
  ...textOf(maker, 16),
  ...textOf('INV-1', 16),
  ...textOf('', 8),
  ...textOf('1.2.3', 8),
  ...textOf('SN-42', 16),
  ...[7, 0xffff],
];

/**
 * Model 103 as the public table lays it out: 50 registers after its length. Everything is "not implemented" but what is set here, by its
 * offset from the register of the number.
 */
function inverter(set: Readonly<Record<number, number>>): number[] {
  const registers = new Array<number>(52).fill(0xffff);
  // Signed ones and powers of ten say it otherwise, and counters with 0.
  for (const at of [6, 13, 14, 15, 17, 18, 19, 20, 21, 22, 23, 26, 28, 30, 31, 32, 33, 34, 35, 36, 37])
    registers[at] = 0x8000;
  registers[24] = 0;
  registers[25] = 0;
  registers[0] = 103;
  registers[1] = 50;
  for (const [at, value] of Object.entries(set)) registers[Number(at)] = value;
  return registers;
}

/** Current 12.34 A of all phases, 230.1 V, 5000 W at 10 to the power of 1, 49.98 Hz, 1234567 Wh, state 4. */
const running = {
  2: 1234,
  3: 411,
  6: 0xfffe,
  10: 2301,
  13: 0xffff,
  14: 500,
  15: 1,
  16: 4998,
  17: 0xfffe,
  24: 0x0012,
  25: 0xd687,
  26: 0,
  38: 4,
};

/** Meter of three phases in floats, 124 registers after its length: A 1.5, Hz 50, everything else NaN. */
function floatMeter(): number[] {
  const registers: number[] = Array.from({ length: 126 }, (_, at) => (at % 2 === 0 ? 0x7fc0 : 0x0000));
  const set = (at: number, ...words: number[]): void => void registers.splice(at, words.length, ...words);
  set(0, 213, 124);
  set(2, 0x3fc0, 0x0000);
  set(26, 0x4248, 0x0000);
  // Its events are bits, which are all set where there are none.
  set(124, 0xffff, 0xffff);
  return registers;
}

describe('a SunSpec device', function () {
  this.timeout(120_000);
  const { gateway, client, renew } = useGateway();
  let device: RegisterDevice;

  beforeEach(async () => {
    device = await RegisterDevice.start();
  });

  afterEach(() => device[Symbol.asyncDispose]());

  const place = (from: number, ...models: readonly (readonly number[])[]): void =>
    device.set(device.holding, from, [...marker, ...models.flat()]);
  const trial = () =>
    client.ok<TestProfileReply>('POST', '/profile/test', { profile: 'sunspec', params: device.params });
  const make = (node: string) =>
    client.ok<{ notes: { message: string }[] }>('POST', '/profile/node', {
      profile: 'sunspec',
      node,
      params: device.params,
    });
  const groupsOf = async (node: string) => {
    const { groups } = await client.ok<{ groups: { name: string; tag_count: number }[] }>('GET', '/group', {
      node,
    });
    return groups.map(({ name, tag_count: tags }) => [name, tags]);
  };

  it('has a profile whose every address its plugins take', async () => {
    const file = join(import.meta.dirname, '../../plugins/profiles/sunspec/profile.json');
    const profile = JSON.parse(readFileSync(file, 'utf8')) as object;
    const { problems, plugins } = await client.ok<CheckProfileReply>('POST', '/profile/check', { profile });
    expect(problems).to.deep.equal([]);
    for (const { groups } of plugins) {
      expect(groups).to.have.length(35);
      for (const { name, requests } of groups) expect(requests, name).to.be.greaterThan(0);
    }
  });

  it('gives a node what it has, with its factors, in the order that it has it, and without what it does not have', async () => {
    // An unknown model between, a meter before the inverter, and a second common model after it.
    place(
      40000,
      common('Acme'),
      [64001, 3, 1, 2, 3],
      floatMeter(),
      inverter(running),
      common('Acme meters'),
      end,
    );
    const { values, notes, steps } = await trial();
    expect(steps.every(({ ok }) => ok)).to.equal(true);
    expect(notes.map(({ message }) => message).join()).to.include('64001');
    const shown = Object.fromEntries(values.map(({ group, tag, value }) => [`${group}/${tag}`, value]));
    expect(shown).to.deep.equal({
      'common (1)/Mn': 'Acme',
      'common (1)/Md': 'INV-1',
      'common (1)/Vr': '1.2.3',
      'common (1)/SN': 'SN-42',
      'common (1)/DA': 7,
      'meter, three phases, floats (213)/A': 1.5,
      'meter, three phases, floats (213)/Hz': 50,
      'inverter, three phases (103)/A': 12.34,
      'inverter, three phases (103)/AphA': 4.11,
      'inverter, three phases (103)/PhVphA': 230.1,
      'inverter, three phases (103)/W': 5000,
      'inverter, three phases (103)/Hz': 49.98,
      'inverter, three phases (103)/WH': 1234567,
      'inverter, three phases (103)/St': 4,
      'common (1) 2/Mn': 'Acme meters',
      'common (1) 2/Md': 'INV-1',
      'common (1) 2/Vr': '1.2.3',
      'common (1) 2/SN': 'SN-42',
      'common (1) 2/DA': 7,
    });
    await make('chain');
    await gateway.stop();
    await gateway.start();
    await renew();
    const read = await readValues(client, 'chain', 'inverter, three phases (103)');
    expect(read.get('A')?.value).to.equal(12.34);
    expect(read.get('WH')?.value).to.equal(1234567);
    await client.ok('DELETE', '/node', { name: 'chain' });
  });

  it('is looked at again: factors that change and models that come are a plan, and people keep what they have changed', async () => {
    place(50000, common('Acme'), inverter(running), end);
    await make('again');
    const none = await client.ok<ProfilePlanReply>('POST', '/profile/plan', { node: 'again' });
    expect(none.changes).to.deep.equal([]);
    // Watts by 10, and amperes by 0.1: the device has changed its factors. A battery state has come.
    place(
      50000,
      common('Acme'),
      inverter({ ...running, 2: 123, 3: 41, 6: 0xffff, 14: 5000, 15: 0 }),
      floatMeter(),
      end,
    );
    const plan = await client.ok<ProfilePlanReply>('POST', '/profile/plan', { node: 'again' });
    const changed = plan.changes.filter(({ kind }) => kind === 'change');
    expect(
      changed.map(({ tag, fields }) => [tag, fields?.[0]?.field, fields?.[0]?.now, fields?.[0]?.next]),
    ).to.deep.equal([
      ['A', 'decimal', 0.01, 0.1],
      ['AphA', 'decimal', 0.01, 0.1],
      ['W', 'decimal', 10, 0],
    ]);
    expect(plan.changes.filter(({ kind }) => kind === 'add').map(({ tag }) => tag)).to.deep.equal([
      'A',
      'Hz',
    ]);
    await client.ok('POST', '/profile/update', { node: 'again' });
    await until('the new factor counts', async () => {
      const values = await readValues(client, 'again', 'inverter, three phases (103)');
      return values.get('A')?.value === 12.3 && values.get('W')?.value === 5000;
    });
    // A model that is gone takes no tag away by itself.
    place(50000, common('Acme'), inverter({ ...running, 2: 123, 3: 41, 6: 0xffff, 14: 5000, 15: 0 }), end);
    const gone = await client.ok<ProfilePlanReply>('POST', '/profile/plan', { node: 'again' });
    expect(gone.changes.map(({ kind }) => kind)).to.deep.equal(['remove', 'remove']);
    expect(await client.errorOf('POST', '/profile/update', { node: 'again' })).to.equal(
      ErrorCode.PROFILE_CONFLICTS,
    );
    await client.ok('DELETE', '/node', { name: 'again' });
  });

  it('whose chain never ends is refused, and nothing is made', async () => {
    const endless = Array.from({ length: 80 }, () => [65, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).flat();
    place(0, common('Acme'), endless);
    const reply = await client.call('POST', '/profile/node', {
      profile: 'sunspec',
      node: 'no',
      params: device.params,
    });
    expect(reply.body.error).to.equal(ErrorCode.DISCOVERY_FAILED);
    expect(reply.body.message).to.include('does not end within 64 models');
    // A model of length 0 that repeats itself for ever is no way around it.
    device.holding.clear();
    place(0, Array.from({ length: 200 }, () => [65, 0]).flat());
    expect(
      await client.errorOf('POST', '/profile/test', { profile: 'sunspec', params: device.params }),
    ).to.equal(ErrorCode.DISCOVERY_FAILED);
    expect(await client.errorOf('GET', '/node/state', { node: 'no' })).to.equal(ErrorCode.NODE_NOT_FOUND);
  });

  it('whose chain breaks off gives what is there up to then, and says so', async () => {
    place(40000, common('Acme'), inverter(running));
    const { notes } = await make('early');
    expect(notes.map(({ message }) => message).join()).to.include('breaks off at register 40122');
    expect(await groupsOf('early')).to.deep.equal([
      ['common (1)', 5],
      ['inverter, three phases (103)', 7],
    ]);
    await client.ok('DELETE', '/node', { name: 'early' });
  });

  it('that refuses some registers, and large requests, gives the others', async () => {
    place(40000, common('Acme'), inverter(running), end);
    device.most = 20;
    // Hz of the inverter, which begins at 40070.
    device.holding.delete(40070 + 16);
    const { notes, values } = await trial();
    expect(notes.map(({ message }) => message).join())
      .to.include('refuses to read 1 points of the model 103')
      .and.to.include(': Hz.');
    const names = values.map(({ tag }) => tag);
    expect(names).to.include.members(['A', 'W', 'WH', 'St']).and.to.not.include('Hz');
  });

  it('without a marker, or of another unit, is refused with what to look at', async () => {
    device.set(device.holding, 40000, [1, 2, 3, 4]);
    const body = { profile: 'sunspec', params: device.params };
    const reply = await client.call('POST', '/profile/test', body);
    expect(reply.body.error).to.equal(ErrorCode.DISCOVERY_FAILED);
    expect(reply.body.message).to.include('40000, 50000, 0');
  });
});
