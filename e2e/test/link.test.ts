import { Attribute, type AuditReply, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { addModbus, connected, hasValue, holding, stateOf, type TagBody } from '../kit/configure.ts';
import { sleep, until } from '../kit/until.ts';
import { Device } from '../world/devices.ts';
import { usePlant } from '../world/plant.ts';

const word = (name: string, register: number): TagBody => ({
  name,
  address: holding(register),
  attribute: Attribute.READ | Attribute.WRITE,
  type: DataType.INT16,
});

const row = (from: string, to: string, options = ''): string =>
  `tag("source/group/${from}"), tag("target/group/${to}")${options}`;

describe('links between devices', function () {
  this.timeout(180_000);
  // Registers of the source begin at 0; those of the target are on a device of their own.
  const { device, gateway, client } = usePlant();
  let target: Device;

  const set = (links: readonly string[], watchdogs = ''): Promise<unknown> =>
    client.ok('POST', '/node/setting', { node: 'links', params: { links: links.join('\n'), watchdogs } });

  const refusal = async (links: readonly string[]): Promise<string> => {
    const params = { links: links.join('\n') };
    const { body } = await client.call('POST', '/node/setting', { node: 'links', params });
    expect(body.error).to.equal(ErrorCode.NODE_SETTING_INVALID);
    return body.message ?? '';
  };

  const has = (register: number, value: number, within?: number): Promise<unknown> =>
    until(
      `the register ${register} of the target is ${value}`,
      async () => (await target.registers(register, 1))[0] === value,
      { within },
    );

  before(async () => {
    target = await Device.start();
    await device.setRegisters(0, [1, 2, 3, 4]);
    await target.setRegisters(0, [0, 0, 0, 0, 0, 0]);
    await addModbus(client, 'source', {
      port: device.port,
      tags: ['a', 'b', 'c', 'd'].map((name, at) => word(name, at + 1)),
    });
    await addModbus(client, 'target', {
      port: target.port,
      settings: { timeout: 1000 },
      tags: ['a', 'b', 'c', 'd', 'e'].map((name, at) => word(name, at + 1)),
    });
    await client.ok('POST', '/node', { name: 'links', plugin: 'Link' });
    await set([row('a', 'a'), row('b', 'b', ' | scale: 10 | offset: 1'), row('c', 'c', ' | start: wait')]);
    await connected(client, 'links');
  });

  after(() => target.stop());

  it('write what the source has, scaled, at first unless the row waits, and on change', async () => {
    await has(0, 1);
    await has(1, 21);
    await device.setRegisters(0, [5, 6]);
    await has(0, 5);
    await has(1, 61);
    expect(await target.registers(2, 1)).to.deep.equal([0]);
    await device.setRegisters(2, [7]);
    await has(2, 7);
  });

  it('are refused: circles unless they are meant, two rows with one target, and what is no row', async () => {
    const back = 'tag("target/group/a"), tag("source/group/a")';
    expect(await refusal([row('a', 'a'), back])).to.equal(
      'The tag "target/group/a" would be written from itself: "target/group/a" comes from "source/group/a" comes from "target/group/a".',
    );
    expect(await refusal([row('a', 'a'), row('b', 'a')])).to.include(
      'Line 2 of "links" writes "target/group/a"',
    );
    expect(await refusal([row('a', 'x')])).to.include('the group "group" of "target" has no tag "x"');
    await client.ok('POST', '/node', { name: 'more links', plugin: 'Link' });
    const other = await client.call('POST', '/node/setting', {
      node: 'more links',
      params: { links: row('d', 'a') },
    });
    expect(other.body.message).to.include('The tag "target/group/a" would be written by two rows');
    await client.ok('DELETE', '/node', { name: 'more links' });
    await set([row('a', 'a'), `${back} | circle: meant | start: wait`]);
    await device.setRegisters(0, [8]);
    await has(0, 8);
    await target.setRegisters(0, [9]);
    await until('the source follows', async () => (await device.registers(0, 1))[0] === 9);
  });

  it('write again when the link of the target is back, the newest value alone', async () => {
    await set([row('a', 'a'), row('b', 'b')]);
    await device.setRegisters(0, [11, 12]);
    await has(0, 11);
    await has(1, 12);
    const { port } = target;
    await target.stop();
    await until('the gateway has lost it', async () => (await stateOf(client, 'target')).link !== 2);
    for (const value of [13, 14, 15]) {
      await device.setRegisters(0, [value]);
      await hasValue(client, 'source', 'group', 'a', value);
    }
    target = await Device.start({ port });
    await has(0, 15, 60_000);
    // What had not changed is there again, too: the device began with zeros.
    await has(1, 12);
  });

  it('keep on with other rows while one fails, and say why', async () => {
    await set([row('a', 'a', ' | scale: 10000'), row('b', 'b')]);
    await device.setRegisters(0, [100, 21]);
    await has(1, 21);
    await until('the log says why', async () =>
      /The row 1 of \\?"links\\?" does not write \\?"target\/group\/a\\?", and tries again: .*out of the range of type INT16/.test(
        await gateway.log(),
      ),
    );
    await device.setRegisters(0, [3, 22]);
    await has(0, 30_000, 20_000);
    await has(1, 22);
    expect((await stateOf(client, 'links')).link).to.equal(2);
  });

  it('write at a pace, and what they are to while the source has no value', async () => {
    await set(
      [row('a', 'a', ' | every: 100'), row('b', 'b', ' | bad: -5')],
      'tag("target/group/e") | every: 100',
    );
    await device.setRegisters(0, [31, 32]);
    await has(0, 31);
    await target.setRegisters(0, [0]);
    await has(0, 31);
    const seen = new Set<number>();
    await until('the watchdog has both values', async () => {
      seen.add((await target.registers(4, 1))[0]!);
      return seen.has(0) && seen.has(1);
    });
    await client.ok('POST', '/node/ctl', { node: 'source', cmd: 1 });
    await has(1, 0x1_0000 - 5);
    await target.setRegisters(0, [0]);
    await sleep(500);
    expect(await target.registers(0, 1)).to.deep.equal([0]);
    await client.ok('POST', '/node/ctl', { node: 'source', cmd: 0 });
    await has(1, 32);
  });

  it('go on after a restart and after kill -9, are in exports, and not in the audit one by one', async () => {
    for (const end of ['restart', 'kill'] as const) {
      if (end === 'restart') await gateway.stop();
      else await gateway.kill();
      await device.setRegisters(0, [end === 'kill' ? 41 : 42]);
      await gateway.start();
      await has(0, end === 'kill' ? 41 : 42, 30_000);
    }
    const config = await client.ok<{ nodes: { name: string; setting?: unknown }[] }>('GET', '/global/config');
    expect(JSON.stringify(config)).to.include(
      'tag(\\"source/group/a\\"), tag(\\"target/group/a\\") | every: 100',
    );
    const { entries } = await client.ok<AuditReply>('GET', '/audit');
    expect(entries.filter(({ text }) => text.startsWith('wrote'))).to.deep.equal([]);
    expect(entries.some(({ text }) => text.includes('"links"'))).to.equal(true);
  });
});
