import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Attribute } from '@tagway/schemas';
import { expect } from 'chai';
import type { Client, Reply } from '../kit/client.ts';
import { nodeNames, tagsOf } from '../kit/configuration.ts';
import { modbusSettings } from '../kit/configure.ts';
import { valueOf } from '../fuzz/generate.ts';
import type { Definitions } from '../fuzz/generate.ts';
import { mutatedQuery, mutatedText } from '../fuzz/mutate.ts';
import { operationsOf } from '../fuzz/operations.ts';
import type { Operation } from '../fuzz/operations.ts';
import { LyingRegistry } from '../world/lying-registry.ts';
import { useGateway } from '../world/plant.ts';
import { random } from '../kit/mutations.ts';
import { until } from '../kit/until.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? 20_251_121);

/** Requests for every operation, in batches whose requests are made at once. */
const requests = Number(process.env['FUZZ_REQUESTS'] ?? 500);
const batchSize = 20;

/** Operations of which a request costs much by design: a hash, a process, an archive, a reply of a megabyte. */
const costly: Readonly<Record<string, number>> = {
  'POST /login': 40,
  'POST /password': 40,
  'POST /users': 40,
  'PUT /users': 40,
  'POST /plugin': 200,
  'PUT /plugin': 200,
  'PUT /plugin/debug': 40,
  'GET /logs': 40,
  'GET /openapi.json': 40,
  'GET /plugin/project': 40,
  'GET /profile/search': 40,
  'POST /profile/package': 40,
  'POST /snapshots': 100,
  'GET /directory/search': 40,
  'GET /directory/package': 40,
  'GET /directory/outdated': 40,
  'POST /directory/job': 40,
};

describe(`requests mutated from the schemas of the API, seed ${seed}`, function () {
  this.timeout(900_000);
  let registry: LyingRegistry;
  const { gateway, client } = useGateway({
    args: ['--log-print'],
    // Nothing is asked of a registry on the network.
    prepare: async (data) => {
      registry = await LyingRegistry.start();
      await writeFile(join(data, 'npmrc'), `registry=${registry.url}\n`);
    },
  });
  let operations: Operation[];
  let definitions: Definitions;
  let compared = 0;
  let sent = 0;
  const pick = random(seed);

  after(() => registry?.[Symbol.asyncDispose]());

  before(async () => {
    ({ operations, definitions } = await operationsOf(client));
  });

  function requestOf({ method, path, body, query }: Operation): () => Promise<Reply> {
    const within = 20_000;
    if (query !== undefined) {
      const values = Object.fromEntries(
        Object.entries(query)
          .filter(() => pick(4) !== 0)
          .map(([name, schema]) => [name, valueOf(schema, definitions, pick)]),
      );
      const text = mutatedQuery(values, pick);
      return () => client.call(method, `${path}?${text}`, undefined, { within });
    }
    const text = body === undefined ? '' : mutatedText(valueOf(body, definitions, pick), pick);
    return () => client.call(method, path, method === 'GET' ? undefined : text, { within });
  }

  /** What a small gateway begins with, made anew, because requests that fit may have changed it. */
  async function reset(): Promise<void> {
    for (const type of [1, 2] as const)
      for (const name of await nodeNames(client, type)) await client.ok('DELETE', '/node', { name });
    await client.ok('POST', '/node', { name: 'plant', plugin: 'Modbus TCP', params: modbusSettings(9) });
    await client.ok('POST', '/node', { name: 'single', plugin: 'Modbus TCP' });
    await client.ok('POST', '/node', { name: 'north', plugin: 'MQTT' });
    const word = { name: 'word', address: '1!400001', attribute: Attribute.READ | Attribute.WRITE, type: 3 };
    await client.ok('POST', '/tags', { node: 'plant', group: 'line', tags: [word] });
    // A request may have had the app's plugin loaded anew for a debugger; until it is up, it cannot be asked.
    await client.ok('PUT', '/directory/registries', { registries: [] });
    await client.ok('PUT', '/fleet/gateways', { gateways: [] });
    for (const plugin of ['Modbus TCP', 'MQTT']) await client.ok('PUT', '/plugin/debug', { plugin, port: 0 });
    const subscription = { app: 'north', driver: 'plant', group: 'line' };
    await until('the app subscribes', () => client.ok('POST', '/subscribe', subscription));
  }

  it('are answered, never with an error of the server; and what is refused changes nothing', async () => {
    await reset();
    for (const operation of operations) {
      const name = `${operation.method} ${operation.path}`;
      let before = await snapshot(client);
      for (let left = costly[name] ?? requests; left > 0; left -= batchSize) {
        const replies = await Promise.all(
          Array.from({ length: batchSize }, () => requestOf(operation)).map((send) => send()),
        );
        sent += replies.length;
        for (const { status, text } of replies)
          expect(status, `${name} was answered ${text.slice(0, 200)}`).to.be.lessThan(500);
        if (operation.method === 'GET') continue;
        const state = await snapshot(client);
        if (!replies.some((reply) => mayChange(name, reply))) {
          expect(state, `after refused requests of ${name}`).to.deep.equal(before);
          compared += 1;
        }
        before = state;
      }
      await reset();
    }
  });

  it('leave the gateway as usable as before, without an internal error in its log', async () => {
    await reset();
    expect((await client.call('POST', '/read', { node: 'plant', group: 'line' })).status).to.equal(200);
    expect(await tagsOf(client, 'plant', 'line')).to.have.length(1);
    expect(gateway.output).not.to.include('internal error');
  });

  it('are many, and many were compared', () => {
    console.log(`      ${sent} requests, ${compared} batches of refused ones compared`);
    expect(sent).to.be.greaterThan(operations.length * 100);
    expect(compared).to.be.greaterThan(operations.length);
  });
});

/** Whether a request may rightly have changed something. */
function mayChange(name: string, { status, body }: Reply): boolean {
  if (status === 200 && (body.error ?? 0) === 0) return true;
  // Batches that are applied up to the first bad entry.
  return name === 'POST /subscribes' ? status !== 400 : (body.index ?? 0) > 0;
}

/** Everything that must not change: the configuration, which nodes run, the templates and the users. */
async function snapshot(client: Client): Promise<unknown> {
  const running = async (): Promise<unknown> => {
    const { states } = await client.ok<{ states: { node: string; running: number }[] }>('GET', '/node/state');
    return states.map(({ node, running: state }) => [node, state]);
  };
  const paths = ['/global/config', '/template', '/users'];
  return Promise.all([running(), ...paths.map((path) => client.ok('GET', path))]);
}
