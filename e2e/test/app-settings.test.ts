import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Attribute, type AuditReply, DataType, LinkState, RunningState } from '@tagway/schemas';
import { expect } from 'chai';
import type { Client } from '../kit/client.ts';
import { addModbus, connected, hasValue, holding, stateOf, type TagBody } from '../kit/configure.ts';
import { freePort } from '../kit/free-port.ts';
import { addCopier } from '../kit/libraries.ts';
import { until } from '../kit/until.ts';
import { usePlant } from '../world/plant.ts';

const tag = (name: string, register: number): TagBody => ({
  name,
  address: holding(register),
  attribute: Attribute.READ | Attribute.WRITE,
  type: DataType.INT16,
});

const row = (from: string, to: string): string => `tag("${from}"), tag("${to}")`;

const settingOf = async (client: Client): Promise<Record<string, unknown>> =>
  (await client.ok<{ params: Record<string, unknown> }>('GET', '/node/setting', { node: 'copier' })).params;

describe('an app that takes other settings while it runs', function () {
  this.timeout(120_000);
  const { device, gateway, client } = usePlant({ gateway: { prepare: addCopier } });
  let port = 0;
  let socket: Socket;

  const set = (params: object): Promise<unknown> =>
    client.ok('POST', '/node/setting', { node: 'copier', params });

  const starts = async (): Promise<number> => (await gateway.log()).split('The copier starts.').length - 1;

  const isServed = async (): Promise<void> => {
    const answer = once(socket, 'data') as Promise<[Buffer]>;
    socket.write('ping');
    const [echo] = await answer;
    expect(echo.toString()).to.equal('ping');
  };

  const says = (drivers: string): Promise<unknown> =>
    until(`the app has the states ${drivers}`, async () => {
      const lines = (await gateway.log()).split('\n').filter((line) => line.includes('Drivers: '));
      return lines.at(-1)?.includes(`Drivers: ${drivers}.`);
    });

  const up = `${RunningState.RUNNING} ${LinkState.CONNECTED} many`;

  before(async () => {
    port = await freePort();
    await device.setRegisters(0, [0, 0, 0, 0]);
    await addModbus(client, 'boiler', { port: device.port, tags: [tag('a', 1), tag('b', 2)] });
    await addModbus(client, 'mixer', { port: device.port, tags: [tag('c', 3), tag('d', 4)] });
    await client.ok('POST', '/node', { name: 'copier', plugin: 'Copier' });
    await set({ rows: row('boiler/group/a', 'mixer/group/c'), port });
    await connected(client, 'copier');
    socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
  });

  after(() => socket.destroy());

  const follows = async (source: number, value: number, target: 'c' | 'd', node = 'mixer'): Promise<void> => {
    await device.setRegisters(source, [value]);
    await hasValue(client, node, 'group', target, value);
  };

  it('has the states of a driver that it only writes, and whether that writes several tags at once', async () => {
    await says(`boiler ${up}, mixer ${up}`);
    await client.ok('POST', '/node/ctl', { node: 'mixer', cmd: 1 });
    await says(`boiler ${up}, mixer ${RunningState.STOPPED} ${LinkState.DISCONNECTED} many`);
    await client.ok('POST', '/node/ctl', { node: 'mixer', cmd: 0 });
    await says(`boiler ${up}, mixer ${up}`);
  });

  it('keeps its connections when its table changes', async () => {
    await follows(0, 11, 'c');
    await set({ rows: row('boiler/group/b', 'mixer/group/d'), port });
    await follows(1, 12, 'd');
    await device.setRegisters(0, [13]);
    await follows(1, 14, 'd');
    expect(await device.registers(2, 1)).to.deep.equal([11]);
    await isServed();
    expect(await starts()).to.equal(1);
  });

  it('takes rows in another order, and several in one call', async () => {
    const rows = [row('boiler/group/a', 'mixer/group/c'), row('boiler/group/b', 'mixer/group/d')];
    for (const [those, value] of [
      [rows, 20],
      [rows.toReversed(), 30],
    ] as const) {
      await set({ rows: those.join('\n'), port });
      await device.setRegisters(0, [value, value + 1]);
      await hasValue(client, 'mixer', 'group', 'c', value);
      await hasValue(client, 'mixer', 'group', 'd', value + 1);
    }
    await isServed();
    expect(await starts()).to.equal(1);
  });

  it('keeps them when something that the table names gets another name', async () => {
    await client.ok('PUT', '/node', { name: 'mixer', new_name: 'tank' });
    await client.ok('PUT', '/tag/rename', { node: 'boiler', group: 'group', old_name: 'a', new_name: 'x/y' });
    expect((await settingOf(client))['rows']).to.include(row('boiler/group/x%2Fy', 'tank/group/c'));
    await says(`boiler ${up}, tank ${up}`);
    await follows(0, 41, 'c', 'tank');
    await isServed();
    expect(await starts()).to.equal(1);
  });

  it('is in the audit with its table, and not with each write', async () => {
    const { entries } = await client.ok<AuditReply>('GET', '/audit');
    const texts = entries.map(({ text }) => text);
    expect(texts.filter((text) => text.startsWith('wrote'))).to.deep.equal([]);
    expect(texts.filter((text) => text.includes('copier')).length).to.be.at.least(4);
  });

  it('starts anew with settings that it cannot take, and after its runner is gone, with those of now', async () => {
    const other = await freePort();
    const closed = once(socket, 'close');
    await set({ ...(await settingOf(client)), port: other });
    await closed;
    await connected(client, 'copier');
    expect(await starts()).to.equal(2);
    const rows = row('boiler/group/x%2Fy', 'tank/group/d');
    await set({ rows, port: other });
    const { pid } = await gateway.runner('copier');
    process.kill(pid, 'SIGKILL');
    await until('the copier is started again', async () => (await starts()) === 3);
    await follows(0, 51, 'd', 'tank');
    expect((await stateOf(client, 'copier')).running).to.equal(RunningState.RUNNING);
  });

  it('has the table of before after a restart and after kill -9', async () => {
    await gateway.restart();
    await follows(0, 61, 'd', 'tank');
    await gateway.kill();
    await gateway.start();
    await follows(0, 62, 'd', 'tank');
  });
});
