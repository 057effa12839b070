import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Attribute, type NodeCertificatesReply } from '@tagway/schemas';
import { expect } from 'chai';
import { tarball } from '../kit/archives.ts';
import { pluginsOf } from '../kit/configuration.ts';
import { addModbus, connected, readGroup, registerTags, stateOf } from '../kit/configure.ts';
import { freePort } from '../kit/free-port.ts';
import { until } from '../kit/until.ts';
import { OpcUaClient } from '../world/opcua-client.ts';
import { OpcUaWatcher } from '../world/opcua-watcher.ts';
import { usePlant } from '../world/plant.ts';

/** What the library of the repository is installed as: the one that comes with the gateway cannot be replaced. */
const plugin = { id: 'opcua-plant', name: 'Plant OPC UA' };
const source = join(import.meta.dirname, '../../plugins/opcua-server');
const files = ['settings.schema.json', 'dist/index.js', 'dist/nodeset.ndjson.gz'];

/** A version of the OPC UA server as its author packs it. */
function versionOf(version: string): Buffer {
  const json = (file: string, more: object): string =>
    JSON.stringify({ ...(JSON.parse(readFileSync(join(source, file), 'utf8')) as object), ...more });
  return tarball([
    { path: 'package/package.json', content: json('package.json', { name: plugin.id, version }) },
    { path: 'package/plugin.json', content: json('plugin.json', plugin) },
    ...files.map((file) => ({ path: `package/${file}`, content: readFileSync(join(source, file)) })),
  ]);
}

/** Milliseconds that a busy machine may take for what is waited for. */
const within = 60_000;
const tags = 600;
/** Registers that one request writes. */
const frame = 100;
/** The value of the last tag, which never changes. */
const still = 4242;

describe('another version of the OPC UA server, under load', function () {
  this.timeout(300_000);
  const watchers: OpcUaWatcher[] = [];
  // Before the gateway ends.
  after(async () => {
    for (const watcher of watchers) await watcher[Symbol.asyncDispose]();
  });
  const { device, gateway, client } = usePlant();
  let port: number;
  let certificate: OpcUaWatcher['serverCertificate'];
  /** The number that all tags but the last have, counted up as soon as the gateway has it from each. */
  let number = 0;
  /** Resolves once the number is counted up no more. */
  let counting: Promise<void> | undefined;
  let isOver = false;

  /** Sets all registers, and waits until the gateway has read them. */
  async function count(): Promise<void> {
    number++;
    for (let at = 0; at < tags; at += frame) {
      const words = new Array<number>(frame).fill(number);
      if (at + frame === tags) words[frame - 1] = still;
      await device.setRegisters(at, words);
    }
    await until(
      `the gateway has ${number}`,
      async () => {
        const values = [...(await readGroup(client, 'boiler', 'fast')).values()];
        return values.length === tags && values.every(({ value }) => value === number || value === still);
      },
      { within },
    );
  }

  const startCounting = (): void => {
    isOver = false;
    counting ??= (async () => {
      while (!isOver) await count();
    })();
  };
  async function endCounting(): Promise<void> {
    isOver = true;
    await counting;
    counting = undefined;
  }
  const seenBy = (watcher: OpcUaWatcher, value: number): Promise<true> =>
    until(
      `a client has ${value} of every tag`,
      () => watcher.seen.slice(0, -1).every((values) => values.at(-1)! >= value),
      { within },
    );
  /** Waits until values go on, and have come to every client. */
  async function grows(): Promise<void> {
    startCounting();
    const next = number + 5;
    await until('values go on', () => number >= next, { within });
    for (const watcher of watchers) await seenBy(watcher, next);
  }
  const install = (version: string): Promise<void> => {
    const body = { library: `${plugin.id}-${version}.tgz`, file: versionOf(version).toString('base64') };
    return client.ok('POST', '/plugin', body, { within: 2 * within });
  };

  before(async () => {
    port = await freePort();
    await install('1.0.0');
    await client.ok('PUT', '/plugin/permission', { plugin: plugin.name, logins: true });
    await client.ok('POST', '/users', { name: 'vera', password: 'views', role: 'viewer' });
    await addModbus(client, 'boiler', {
      port: device.port,
      group: 'fast',
      interval: 100,
      tags: registerTags(tags, Attribute.READ | Attribute.SUBSCRIBE),
    });
    await client.ok('PUT', '/group', { node: 'boiler', group: 'fast', history: 1 });
    const params = { host: '127.0.0.1', port, trust: 1 };
    // On a busy machine the process of a plugin that was just installed takes its time to come up.
    await until(
      'the node is there',
      async () => {
        const { status } = await client.call('POST', '/node', { name: 'opc', plugin: plugin.name, params });
        return status === 200;
      },
      { within },
    );
    await client.ok('POST', '/subscribe', { app: 'opc', driver: 'boiler', group: 'fast' });
    await connected(client, 'opc', within);
    await count();
    const references = Array.from({ length: tags }, (_, index) => `boiler/fast/tag${index}`);
    for (let index = 0; index < 2; index++)
      watchers.push(await OpcUaWatcher.start({ port, userName: 'vera', password: 'views', references }));
    certificate = watchers[0]?.serverCertificate;
    for (const watcher of watchers) await seenBy(watcher, 1);
  });
  afterEach(endCounting);

  /** Has the server end while clients monitor: they come back by themselves, and lack nothing but what was while they were away. */
  async function interrupts(end: () => Promise<void>): Promise<void> {
    const first = number;
    for (const watcher of watchers) await seenBy(watcher, first);
    const before = watchers.map(({ losses, seen }) => ({ losses, still: seen.at(-1)!.length }));
    await end();
    for (const [index, watcher] of watchers.entries()) {
      const { losses, still: came } = before[index]!;
      await until(
        'a client has come back, and has the last value of a tag that does not change',
        () => watcher.losses > losses && watcher.seen.at(-1)!.length > came,
        { within },
      );
      expect(watcher.seen.at(-1)!.every((value) => value === still)).to.equal(true);
    }
    await grows();
    await endCounting();
    for (const watcher of watchers) {
      await seenBy(watcher, number);
      expect(watcher.serverCertificate).to.deep.equal(certificate);
      for (const [tag, values] of watcher.seen.slice(0, -1).entries()) {
        // The present value comes again to one who has come back.
        const came = values.filter((value, at) => value >= first && value !== values[at - 1]);
        const jumps = came.filter((value, at) => at > 0 && value !== came[at - 1]! + 1);
        expect(jumps.length, `gaps of tag${tag} in ${came.join()}`).to.be.at.most(1);
        expect(came[0], `tag${tag}: the last value before`).to.equal(first);
        expect(came.at(-1), `tag${tag}: the last value of all`).to.equal(number);
        expect(came, `tag${tag}: their order`).to.deep.equal([...came].sort((one, other) => one - other));
      }
    }
  }

  /** The version that is installed, the process that runs it, and the server's certificate. */
  async function running(): Promise<{
    version: string | undefined;
    pid: number;
    certificate: string | undefined;
  }> {
    const [row] = await pluginsOf(client, plugin.name);
    expect(row).to.include({ state: 'running' });
    expect(await stateOf(client, 'opc')).to.include({ running: 3, link: 2 });
    const { certificates } = await client.ok<NodeCertificatesReply>('GET', '/node/certificates', {
      node: 'opc',
    });
    const own = certificates.find(({ state }) => state === 'own')?.id;
    return { version: row?.version, pid: (await gateway.runner(plugin.id)).pid, certificate: own };
  }

  for (const [what, version] of [
    ['a newer version', '1.1.0'],
    ['the version before', '1.0.0'],
  ] as const)
    it(`clients come back to ${what} by themselves, also after a restart, and miss what was in between alone`, async () => {
      await grows();
      const before = await running();
      await interrupts(() => install(version));
      const now = await running();
      expect(now).to.include({ version, certificate: before.certificate });
      expect(now.pid).to.not.equal(before.pid);
      const { entries } = await client.ok<{ entries: { user: string; text: string; error: number }[] }>(
        'GET',
        '/audit',
        { page_size: '20' },
      );
      expect(entries.map(({ user, text, error }) => `${user}|${text}|${error}`)).to.include(
        `admin|installed the library "${plugin.id}-${version}.tgz"|0`,
      );
      expect(await gateway.log()).to.include(
        `Version ${version} of the plugin "${plugin.name}" (${plugin.id}) was installed by`,
      );
      await interrupts(() => gateway.restart());
      expect(await running()).to.include({ version, certificate: before.certificate });
    });

  it('what they have missed is in the history that they read', async () => {
    const missed = [...Array(number).keys()].slice(1).filter((one) => !watchers[0]!.seen[0]!.includes(one));
    expect(missed).to.have.length.greaterThan(0);
    await using vera = await OpcUaClient.login(port, 'vera', 'views');
    const kept = await vera.history('boiler/fast/tag0', Date.now() - 3_600_000, Date.now());
    expect(kept.map(({ value }) => value)).to.include.members(missed);
  });
});
