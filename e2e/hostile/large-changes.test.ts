import { join } from 'node:path';
import { expect } from 'chai';
import type { Client, Data, Method } from '../kit/client.ts';
import { modbusSettings } from '../kit/configure.ts';
import { Device } from '../world/devices.ts';
import { Gateway } from '../kit/gateway.ts';
import { until } from '../kit/until.ts';

/** Milliseconds of its core for which the host may keep its event loop. */
const most = 50;
const count = 10_000;

describe('ten thousand tags', function () {
  this.timeout(120_000);
  let stack: AsyncDisposableStack;
  let gateway: Gateway;
  let client: Client;
  let turns = 0;
  const group = { node: 'plant', group: 'many' };
  const tags = Array.from({ length: count }, (_, index) => ({
    name: `temperature of tank ${index}`,
    address: `1!${400001 + (index % 1000)}`,
    attribute: 3,
    type: 3,
    description: `What the sensor of the tank ${index} says. `.repeat(3),
  }));

  before(async () => {
    stack = new AsyncDisposableStack();
    const device = await Device.start();
    stack.defer(() => device.stop());
    gateway = await Gateway.start({ main: join(import.meta.dirname, 'turns.ts') });
    stack.defer(() => gateway.dispose());
    client = await gateway.client();
    await client.ok('POST', '/node', { name: 'plant', plugin: 'Modbus TCP' });
    await client.ok('POST', '/node/setting', { node: 'plant', params: modbusSettings(device.port) });
    // What compiles, and what fills caches, is over then.
    await client.ok('POST', '/tags', { ...group, group: 'few', tags: tags.slice(0, 100) });
  });
  after(() => stack?.disposeAsync());

  /** Milliseconds of the longest turn since this was asked last. */
  async function longestTurn(): Promise<number> {
    process.kill(gateway.pid, 'SIGUSR2');
    turns += 1;
    const line = await until('the gateway reports its longest turn', () => {
      const lines = [...gateway.output.matchAll(/longest turn ([\d.]+) ms/g)];
      return lines.length >= turns && lines[turns - 1];
    });
    return Number(line[1]);
  }

  const drivers = {
    nodes: [{ name: 'other', plugin: 'Modbus TCP', groups: [{ group: 'g', interval: 1000, tags }] }],
  };
  const changes: readonly (readonly [what: string, method: Method, path: string, data: Data])[] = [
    ['added', 'POST', '/tags', { ...group, tags }],
    ['changed', 'PUT', '/tags', { ...group, tags: tags.map((tag) => ({ ...tag, description: '' })) }],
    ['planned', 'POST', '/tags/plan', { ...group, tags }],
    ['applied', 'POST', '/tags/apply', { ...group, tags }],
    ['listed', 'GET', '/tags', group],
    ['written', 'POST', '/write/tags', { ...group, tags: tags.map(({ name }) => ({ tag: name, value: 1 })) }],
    ['imported', 'PUT', '/global/drivers', drivers],
    ['exported', 'GET', '/global/config', {}],
    ['deleted', 'DELETE', '/tags', { ...group, tags: tags.map(({ name }) => name) }],
  ];
  for (const [what, method, path, data] of changes) {
    it(`are ${what} without keeping the event loop for long`, async () => {
      await longestTurn();
      const { status, text } = await client.call(method, path, data, { within: 60_000 });
      expect(status, text.slice(0, 300)).to.equal(200);
      expect(await longestTurn(), 'milliseconds of the longest turn').to.be.lessThan(most);
    });
  }
});
