import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { addModbus, addMqtt, readGroup, readValues, registerTags, stateOf } from '../kit/configure.ts';
import { addLibrary, addUnrulyNode, restartsWith } from '../kit/libraries.ts';
import { ApiProbe } from '../kit/api-probe.ts';
import { useNorthPlant } from '../world/plant.ts';
import { until } from '../kit/until.ts';

const bystanders = 'bystanders';

interface Case {
  readonly what: string;
  /** The library's id: each case has its own, so that no back-off is inherited. */
  readonly id: string;
  /** What the driver's tag is told; without it the test kills the process. */
  readonly command?: string;
}

const cases: readonly Case[] = [
  { what: 'is killed with SIGKILL', id: 'killed' },
  { what: 'throws from a timer', id: 'throws', command: 'throw' },
  { what: 'leaves a rejection unhandled', id: 'rejects', command: 'reject' },
  { what: 'ends itself', id: 'exits', command: 'exit' },
  { what: 'spins for ever', id: 'spins', command: 'spin' },
];

describe('a driver process that', function () {
  this.timeout(120_000);
  let probe: ApiProbe;
  const { device, broker, gateway, client, subscriber } = useNorthPlant({
    gateway: {
      prepare: async (data) => {
        const ids = [...cases.map(({ id }) => id), 'exits-at-start', 'hangs-at-start', 'hangs'];
        for (const id of ids) await addLibrary(data, id);
      },
    },
  });

  before(async () => {
    await addModbus(client, 'plant', { port: device.port, tags: registerTags(100) });
    await addMqtt(client, 'north', broker.port);
    const route = { app: 'north', driver: 'plant', group: 'group', params: { topic: bystanders } };
    await client.ok('POST', '/subscribe', route);
    await readValues(client, 'plant', 'group');
    await subscriber.upload(bystanders);
  });

  beforeEach(() => {
    subscriber.clear();
    probe = new ApiProbe(client);
  });

  /** The API and the other plugins must not have noticed what happened since the test began. */
  async function nobodyNoticed(): Promise<void> {
    await probe.stop();
    expect(probe.count, 'the API was asked all the time').to.be.greaterThan(10);
    expect(probe.slowest, 'milliseconds of the slowest answer of the API').to.be.lessThan(1000);
    const times = subscriber.messages.map(({ at }) => at);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at));
    expect(gaps.length, 'samples of the other driver').to.be.greaterThan(5);
    expect(Math.max(...gaps), 'milliseconds of the longest gap between samples every 100 ms').to.be.lessThan(
      2000,
    );
    for (const { error } of (await readGroup(client, 'plant', 'group')).values())
      expect(error).to.equal(undefined);
  }

  const addUnruly = (id: string, params?: object): Promise<void> => addUnrulyNode(client, id, params);

  async function isDown(id: string): Promise<void> {
    await until(
      'every tag carries an error and the link is down',
      async () => {
        const tags = [...(await readGroup(client, id, 'group')).values()];
        const { link } = await stateOf(client, id);
        return link === 0 && tags.every(({ error, value }) => (error ?? 0) > 0 && value === undefined);
      },
      { within: 40_000, every: 20 },
    );
    expect((await stateOf(client, id)).running, 'what the operator wants does not change').to.equal(3);
  }

  for (const { what, id, command } of cases) {
    it(`${what}: tags carry an error, and readings resume by themselves`, async () => {
      await addUnruly(id);
      await readValues(client, id, 'group');
      const { pid } = await gateway.runner(id);
      if (command === undefined) process.kill(pid, 'SIGKILL');
      else await client.call('POST', '/write', { node: id, group: 'group', tag: 'command', value: command });
      await isDown(id);
      await readValues(client, id, 'group', 40_000);
      expect((await gateway.runner(id)).pid).to.not.equal(pid);
      expect(await stateOf(client, id)).to.include({ running: 3, link: 2 });
      await nobodyNoticed();
    });
  }

  it('exits while starting: tags carry an error, and readings begin by themselves once it starts well', async () => {
    const path = join(gateway.data, 'exit.marker');
    await writeFile(path, '');
    await addUnruly('exits-at-start', { start: 1, while: path });
    await isDown('exits-at-start');
    await rm(path);
    await readValues(client, 'exits-at-start', 'group', 60_000);
    await nobodyNoticed();
  });

  it('never finishes starting: its node can be stopped and started all the same', async () => {
    const path = join(gateway.data, 'hang.marker');
    await writeFile(path, '');
    await addUnruly('hangs-at-start', { start: 3, while: path });
    await isDown('hangs-at-start');
    await rm(path);
    await client.ok('POST', '/node/ctl', { node: 'hangs-at-start', cmd: 1 }, { within: 30_000 });
    await client.ok('POST', '/node/ctl', { node: 'hangs-at-start', cmd: 0 }, { within: 30_000 });
    await readValues(client, 'hangs-at-start', 'group', 30_000);
    await nobodyNoticed();
  });

  it('never returns from a call: its node can be stopped and started all the same', async () => {
    await addUnruly('hangs');
    await readValues(client, 'hangs', 'group');
    await client.call('POST', '/write', { node: 'hangs', group: 'group', tag: 'command', value: 'hang' });
    await until(
      'every tag carries an error',
      async () =>
        [...(await readGroup(client, 'hangs', 'group')).values()].every(({ error }) => (error ?? 0) > 0),
      { within: 60_000 },
    );
    const { running } = await stateOf(client, 'hangs');
    expect(running).to.equal(3);
    await client.ok('POST', '/node/ctl', { node: 'hangs', cmd: 1 }, { within: 30_000 });
    await client.ok('POST', '/node/ctl', { node: 'hangs', cmd: 0 }, { within: 30_000 });
    await readValues(client, 'hangs', 'group', 30_000);
    await nobodyNoticed();
  });

  it('failed is back, as all the others, after a restart of the gateway', async () => {
    await probe.stop();
    await restartsWith(gateway, client, 'killed', 'group');
    for (const id of ['spins', 'exits-at-start', 'hangs']) await readValues(client, id, 'group', 30_000);
  });
});
