import { ErrorCode } from '@tagway/schemas';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Reply } from '../kit/client.ts';
import { modbusSettings, mqttSettings, stateOf } from '../kit/configure.ts';
import { useGateway } from '../world/plant.ts';
import { addLibrary } from '../kit/libraries.ts';
import { until } from '../kit/until.ts';

const names = { INIT: 1, READY: 2, RUNNING: 3, STOPPED: 4 } as const;
type StateName = keyof typeof names;

type Event =
  | 'valid setting'
  | 'the same setting again'
  | 'invalid setting'
  | 'start'
  | 'start that the plugin refuses'
  | 'stop'
  | 'rename'
  | 'restart of the gateway'
  | 'restart of the gateway while the plugin refuses to start';

/** HTTP status and error of the reply, and the state afterwards. 10001 is the plugin's own code. */
type Expected = readonly [status: number, error: number, after: StateName];

const matrix: Readonly<Record<StateName, Readonly<Partial<Record<Event, Expected>>>>> = {
  INIT: {
    'valid setting': [200, 0, 'RUNNING'],
    'invalid setting': [400, ErrorCode.NODE_SETTING_INVALID, 'INIT'],
    start: [409, ErrorCode.NODE_NOT_READY, 'INIT'],
    stop: [409, ErrorCode.NODE_NOT_RUNNING, 'INIT'],
    rename: [200, 0, 'INIT'],
    'restart of the gateway': [200, 0, 'INIT'],
  },
  READY: {
    'valid setting': [200, 0, 'READY'],
    'the same setting again': [200, 0, 'READY'],
    'invalid setting': [400, ErrorCode.NODE_SETTING_INVALID, 'READY'],
    start: [200, 0, 'RUNNING'],
    'start that the plugin refuses': [200, 10001, 'READY'],
    stop: [409, ErrorCode.NODE_NOT_RUNNING, 'READY'],
    rename: [200, 0, 'READY'],
    'restart of the gateway': [200, 0, 'RUNNING'],
    'restart of the gateway while the plugin refuses to start': [200, 0, 'READY'],
  },
  RUNNING: {
    'valid setting': [200, 0, 'RUNNING'],
    'the same setting again': [200, 0, 'RUNNING'],
    'invalid setting': [400, ErrorCode.NODE_SETTING_INVALID, 'RUNNING'],
    start: [409, ErrorCode.NODE_IS_RUNNING, 'RUNNING'],
    stop: [200, 0, 'STOPPED'],
    rename: [200, 0, 'RUNNING'],
    'restart of the gateway': [200, 0, 'RUNNING'],
  },
  STOPPED: {
    'valid setting': [200, 0, 'STOPPED'],
    'the same setting again': [200, 0, 'STOPPED'],
    'invalid setting': [400, ErrorCode.NODE_SETTING_INVALID, 'STOPPED'],
    start: [200, 0, 'RUNNING'],
    'start that the plugin refuses': [200, 10001, 'STOPPED'],
    stop: [409, ErrorCode.NODE_IS_STOPPED, 'STOPPED'],
    rename: [200, 0, 'STOPPED'],
    'restart of the gateway': [200, 0, 'STOPPED'],
  },
};

/** The kinds of nodes that go through the matrix; nothing listens on their port 9. Only the unruly driver can refuse to start, so only it can be READY. */
const subjects = [
  {
    plugin: 'unruly',
    settings: (count: number) => ({ start: 2, while: 'MARKER', extra: count }),
    invalid: { start: 9 },
  },
  {
    plugin: 'Modbus TCP',
    settings: (count: number) => modbusSettings(9, { timeout: 1000 + count }),
    invalid: { host: 1 },
  },
  {
    plugin: 'MQTT',
    settings: (count: number) => mqttSettings(9, { username: `user ${count}` }),
    invalid: { port: 'no' },
  },
] as const;

describe('the state machine of nodes', function () {
  this.timeout(60_000);
  const { gateway, client } = useGateway({ prepare: (data) => addLibrary(data, 'unruly') });
  let marker: string;
  let serial = 0;

  before(() => (marker = join(gateway.data, 'marker')));

  const refuse = (on: boolean): Promise<void> => (on ? writeFile(marker, '') : rm(marker, { force: true }));

  for (const { plugin, settings, invalid } of subjects) {
    const paramsOf = (count: number): object =>
      JSON.parse(JSON.stringify(settings(count)).replace('MARKER', marker)) as object;

    const set = (node: string, params: object): Promise<Reply> =>
      client.call('POST', '/node/setting', { node, params });
    const control = (node: string, cmd: number): Promise<Reply> =>
      client.call('POST', '/node/ctl', { node, cmd });

    /** Makes a new node and brings it to a state. */
    async function nodeIn(state: StateName): Promise<string> {
      serial += 1;
      const node = `${plugin} ${serial}`;
      await client.ok('POST', '/node', { name: node, plugin });
      await refuse(state === 'READY');
      if (state !== 'INIT')
        expect((await set(node, paramsOf(0))).body, 'a refused start is no failed setting').to.deep.equal({
          error: 0,
          ...('extra' in paramsOf(0) && {
            warnings: [`The field params.extra is no setting of the plugin "${plugin}" and has no effect.`],
          }),
        });
      if (state === 'STOPPED') await client.ok('POST', '/node/ctl', { node, cmd: 1 });
      await refuse(false);
      expect(await stateOf(client, node)).to.include({ running: names[state] });
      return node;
    }

    async function restart(): Promise<Reply> {
      await gateway.restart();
      return client.call('POST', '/ping');
    }

    /** Does it, and returns the reply and the node's name afterwards. */
    async function happen(event: Event, node: string): Promise<[Reply, string]> {
      switch (event) {
        case 'valid setting':
          return [await set(node, paramsOf(1)), node];
        case 'the same setting again':
          return [await set(node, paramsOf(0)), node];
        case 'invalid setting':
          return [await set(node, invalid), node];
        case 'start':
          return [await control(node, 0), node];
        case 'stop':
          return [await control(node, 1), node];
        case 'rename':
          return [
            await client.call('PUT', '/node', { name: node, new_name: `${node} renamed` }),
            `${node} renamed`,
          ];
        case 'restart of the gateway':
          return [await restart(), node];
        case 'start that the plugin refuses':
        case 'restart of the gateway while the plugin refuses to start':
          await refuse(true);
          return [event.startsWith('start') ? await control(node, 0) : await restart(), node];
      }
    }

    for (const [state, events] of Object.entries(matrix) as [StateName, Partial<Record<Event, Expected>>][]) {
      if (state === 'READY' && plugin !== 'unruly') continue;
      for (const [event, [status, error, after]] of Object.entries(events) as [Event, Expected][]) {
        if (event.includes('refuses') && plugin !== 'unruly') continue;
        it(`${plugin} in ${state}: ${event} → ${status}, ${error}, ${after}`, async () => {
          const [reply, node] = await happen(event, await nodeIn(state));
          expect({ status: reply.status, error: reply.body.error ?? 0 }).to.deep.equal({ status, error });
          // A start that is attempted after a restart takes its time to be refused.
          await until(
            `${node} is ${after}`,
            async () => (await stateOf(client, node)).running === names[after],
            { within: 10_000 },
          );
          const { link } = await stateOf(client, node);
          if (after !== 'RUNNING') expect(link, 'only a running node has a link').to.equal(0);
          await client.ok('DELETE', '/node', { name: node });
        });
      }
    }

    it(`${plugin}: settings are shown as they were sent, and refused ones change nothing`, async () => {
      const node = await nodeIn('RUNNING');
      await set(node, invalid);
      const { params } = await client.ok<{ params: object }>('GET', '/node/setting', { node });
      expect(params).to.deep.equal(paramsOf(0));
      await client.ok('DELETE', '/node', { name: node });
    });

    it(`${plugin}: a node deleted in any state is gone, and its name is free`, async () => {
      for (const state of ['INIT', 'RUNNING', 'STOPPED'] as const) {
        const node = await nodeIn(state);
        await client.ok('DELETE', '/node', { name: node });
        expect((await client.call('GET', '/node/state', { node })).body.error).to.equal(
          ErrorCode.NODE_NOT_FOUND,
        );
        await client.ok('POST', '/node', { name: node, plugin });
        expect(await stateOf(client, node)).to.include({ running: 1 });
        await client.ok('DELETE', '/node', { name: node });
      }
    });
  }

  it('a command that is neither start nor stop is refused', async () => {
    await client.ok('POST', '/node', { name: 'node', plugin: 'unruly' });
    const reply = await client.call('POST', '/node/ctl', { node: 'node', cmd: 2 });
    expect(reply).to.include({ status: 400 });
    expect(reply.body.error).to.equal(ErrorCode.BODY_INVALID);
  });
});
