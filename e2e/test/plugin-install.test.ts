import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createGzip, gzipSync } from 'node:zlib';
import { Attribute, DataType, ErrorCode, RunningState, type ErrorName } from '@tagway/schemas';
import { expect } from 'chai';
import { header, libraryArchive, tarball, unruly } from '../kit/archives.ts';
import type { ArchiveOptions, Entry } from '../kit/archives.ts';
import { configurationOf, pluginsOf, type PluginRow } from '../kit/configuration.ts';
import type { Client } from '../kit/client.ts';
import {
  addDriver,
  addModbus,
  connected,
  readGroup,
  readValues,
  registerTags,
  stateOf,
} from '../kit/configure.ts';
import { addLibrary, restartsWith } from '../kit/libraries.ts';
import { usePlant } from '../world/plant.ts';
import { sleep, until } from '../kit/until.ts';

/** Milliseconds between the bystander's reads. */
const cycle = 500;

/** A driver whose tag tells how many of its cycles were missed since it was started. */
const bystander = `
let last;
let missed = 0;
export default {
  [Symbol.for('tagway.driver')]: true,
  checkTag: () => undefined,
  create: (context) => ({
    async start() { context.link(2); },
    async read(points, into) {
      const now = performance.now();
      if (last !== undefined) missed += Math.max(0, Math.round((now - last) / ${cycle}) - 1);
      last = now;
      for (const index of points.keys()) into.number(index, missed);
    },
    async stop() {},
  }),
};`;

/** The unruly driver whose counter counts down: a version that can be told from the other by its values. */
const downwards = unruly().replace('count += 1', 'count -= 1');

/** What is different in a library that is refused, or its archive. */
type Wrong = ArchiveOptions | (() => Buffer | Promise<Buffer>);

const versions: Readonly<Record<string, ArchiveOptions>> = {
  '1.0.0': { version: '1.0.0' },
  '2.0.0': { version: '2.0.0', module: downwards },
};

/** Every file and folder below a folder, with the hash of its content, except for the version that was there before a good one. */
async function contentsOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const lines = await Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      if (path.includes('/.previous-')) return '';
      return `${path} ${entry.isFile() ? hash('sha256', await readFile(path)) : 'folder'}`;
    }),
  );
  return lines.filter((line) => line !== '').sort();
}

/** Adds a node with one tag, which has the count of the plugin's driver. */
function addCounter(client: Client, node: string, plugin: string, interval = 100): Promise<void> {
  const tags = [{ name: 'count', address: 'count', attribute: Attribute.READ, type: DataType.INT32 }];
  return addDriver(client, node, { plugin, interval, tags, settings: {} });
}

async function countOf(client: Client, node: string): Promise<number | undefined> {
  return (await readGroup(client, node, 'group')).get('count')?.value as number | undefined;
}

/** Waits until the node's counter counts as that of a version does. */
function countsAs(client: Client, node: string, version: string): Promise<true> {
  return until(`${node} counts as version ${version} does`, async () => {
    const count = await countOf(client, node);
    return count !== undefined && (version === '2.0.0' ? count < 0 : count > 0);
  });
}

async function pluginRow(client: Client, plugin: string): Promise<PluginRow | undefined> {
  return (await pluginsOf(client, plugin))[0];
}

describe('installing libraries', function () {
  this.timeout(120_000);
  const { device, gateway, client } = usePlant({
    gateway: { prepare: (data) => addLibrary(data, 'bystander', { module: bystander }) },
  });
  let libraries: string;

  before(async () => {
    libraries = join(gateway.data, 'libraries');
    await addModbus(client, 'plant', { port: device.port, tags: registerTags(10) });
    await addCounter(client, 'bystander', 'bystander', cycle);
    await readValues(client, 'plant', 'group');
    await readValues(client, 'bystander', 'group');
  });

  /** Puts an archive into the library folder and asks for its installation. */
  async function install(
    file: string,
    archive: Buffer,
    within = 60_000,
  ): Promise<{ status: number; error: number; message: string }> {
    await writeFile(join(libraries, file), archive);
    const { status, body } = await client.call('POST', '/plugin', { library: file }, { within });
    await rm(join(libraries, file));
    return { status, error: body.error ?? -1, message: body.message ?? '' };
  }

  const ok = { status: 200, error: 0, message: '' };

  describe('a node and its plugin', () => {
    let others: { gateway: number; bystander: number; modbus: number };

    before(async () => {
      others = await processes();
    });

    async function processes(): Promise<typeof others> {
      return {
        gateway: gateway.pid,
        bystander: (await gateway.runner('bystander')).pid,
        modbus: (await gateway.runner('modbus-tcp')).pid,
      };
    }

    afterEach('nobody else has noticed', async () => {
      expect(await processes(), 'no other process was started anew').to.deep.equal(others);
      expect(await countOf(client, 'bystander'), 'cycles that the bystander missed').to.equal(0);
      for (const { error } of (await readGroup(client, 'plant', 'group')).values())
        expect(error).to.equal(undefined);
    });

    it('is installed and listed, and its nodes deliver values', async () => {
      expect(await install('acme-1.0.0.tgz', libraryArchive('acme'))).to.deep.equal(ok);
      expect(await pluginRow(client, 'acme')).to.include({ kind: 2, version: '1.0.0', state: 'idle' });
      await addCounter(client, 'line', 'acme');
      await countsAs(client, 'line', '1.0.0');
      expect(await pluginRow(client, 'acme')).to.include({ state: 'running' });
    });

    it('is upgraded while its node polls', async () => {
      const { pid } = await gateway.runner('acme');
      expect(await install('acme-2.0.0.tgz', libraryArchive('acme', versions['2.0.0']))).to.deep.equal(ok);
      expect(await pluginRow(client, 'acme')).to.include({ version: '2.0.0', state: 'running' });
      await countsAs(client, 'line', '2.0.0');
      // A snapshot of before: the first installation had none to make.
      const { snapshots } = await client.ok<{ snapshots: { reason: string }[] }>('GET', '/snapshots');
      expect(snapshots.map(({ reason }) => reason)).to.deep.equal(['upgrade']);
      expect(await stateOf(client, 'line')).to.include({ running: 3, link: 2 });
      expect((await gateway.runner('acme')).pid).to.not.equal(pid);
    });

    /** What the reply says of the node that ran before. */
    const reasons: Readonly<Record<string, string>> = {
      'throws in start': 'the node "line" ran before and does not start with it: Error: no such luck.',
      'never ends its start': 'the node "line" ran before, and its start has not ended within 30 s.',
      'spins in start':
        'its process hung or ended while the node "line" was started, which ran before; the log tells why.',
    };
    const failures: Readonly<Record<string, ArchiveOptions>> = {
      'throws in start': {
        module: unruly().replace('async start() {', 'async start() { throw new Error("no such luck");'),
      },
      'never ends its start': {
        module: unruly().replace('async start() {', 'async start() { await new Promise(() => undefined);'),
      },
      'spins in start': {
        module: unruly().replace('async start() {', 'async start() { for (;;);'),
      },
      'does not load where it is installed': {
        module: `if (!import.meta.url.includes('/.')) throw new Error('not here');\n${unruly()}`,
      },
      'ends when its node starts': {
        module: unruly().replace('async start() {', 'async start() { process.exit(3);'),
      },
      'ends when it is read': {
        module: unruly().replace('async read(points, into) {', 'async read(points, into) { process.exit(3);'),
      },
      'refuses to start its node': {
        module: unruly().replace('async start() {', 'async start() { throw new Fault(10001, false);'),
      },
      'refuses the settings of its node': {
        settings: JSON.stringify({
          type: 'object',
          properties: { host: { type: 'string', title: 'Host', description: 'Address of the device.' } },
          required: ['host'],
        }),
      },
    };
    for (const [what, options] of Object.entries(failures)) {
      it(`goes on with its version when another one ${what}`, async () => {
        const before = await contentsOf(libraries);
        const reply = await install('acme.tgz', libraryArchive('acme', { version: '3.0.0', ...options }));
        expect(reply).to.include({ status: 400, error: ErrorCode.LIBRARY_UPDATE_FAILED });
        expect(reply.message).to.match(/^Version 3\.0\.0 of the plugin "acme" .*\.$/s);
        if (what in reasons)
          expect(reply.message).to.equal(
            `Version 3.0.0 of the plugin "acme" did not come up: ${reasons[what] ?? ''} Version 2.0.0 is in its place again.`,
          );
        expect(await pluginRow(client, 'acme')).to.include({ version: '2.0.0' });
        expect(await contentsOf(libraries)).to.deep.equal(before);
        await connected(client, 'line');
        await countsAs(client, 'line', '2.0.0');
      });
    }

    it('goes back to its version when the process of another one ends soon after it was taken', async () => {
      const late = libraryArchive('acme', { version: '4.0.0' });
      expect(await install('acme-4.0.0.tgz', late)).to.deep.equal(ok);
      process.kill((await gateway.runner('acme')).pid, 'SIGKILL');
      await until('the version before is in its place', async () => {
        return (await pluginRow(client, 'acme'))?.version === '2.0.0';
      });
      await connected(client, 'line');
      await countsAs(client, 'line', '2.0.0');
      expect(await gateway.log()).to.match(
        /Version 4\.0\.0 of the plugin "acme" was taken back: its runner was ended by SIGKILL, \d+ s after its start\. Version 2\.0\.0 is in its place again\./,
      );
    });

    it('takes a version whose device is away: its node runs, and says that it is disconnected', async () => {
      const module = unruly()
        .replace('context.link(2)', 'context.link(0, { reason: "The device is away." })')
        .replace(
          'async read(points, into) {',
          'async read(points, into) { throw new Error("The device is away.");',
        );
      const away = libraryArchive('acme', { version: '2.1.0', module });
      expect(await install('acme-2.1.0.tgz', away)).to.deep.equal(ok);
      expect(await pluginRow(client, 'acme')).to.include({ version: '2.1.0', state: 'running' });
      expect(await stateOf(client, 'line')).to.include({ running: RunningState.RUNNING, link: 0 });
      expect(await install('acme-2.0.0.tgz', libraryArchive('acme', versions['2.0.0']))).to.deep.equal(ok);
      await countsAs(client, 'line', '2.0.0');
    });

    it('is replaced by a library of the same version', async () => {
      const archive = libraryArchive('acme', { version: '2.0.0' });
      await client.ok('PUT', '/plugin', { library: 'acme.tgz', file: archive.toString('base64') });
      expect(await pluginRow(client, 'acme')).to.include({ version: '2.0.0', state: 'running' });
      await countsAs(client, 'line', '1.0.0');
    });

    it('is not removed while a node uses it, and then with its files and its process', async () => {
      const inUse = await client.call('DELETE', '/plugin', { plugin: 'acme' });
      expect([inUse.status, inUse.body.error]).to.deep.equal([409, ErrorCode.LIBRARY_IN_USE]);
      await client.ok('DELETE', '/node', { name: 'line' });
      await client.ok('DELETE', '/plugin', { plugin: 'acme' });
      expect(await pluginRow(client, 'acme')).to.equal(undefined);
      expect(await readdir(libraries)).to.deep.equal(['bystander']);
      const error = await client.errorOf('POST', '/node', { name: 'line', plugin: 'acme' });
      expect(error).to.equal(ErrorCode.LIBRARY_NOT_FOUND);
      await until('its process is gone', async () =>
        (await gateway.runners()).every(({ title }) => !title.includes('acme')),
      );
    });
  });

  describe('a library that is refused', () => {
    /** What the library folder holds and the API shows. */
    async function everything(): Promise<unknown> {
      return [await contentsOf(libraries), await pluginsOf(client), await configurationOf(client)];
    }

    const good = libraryArchive('refused');
    const zeros = Buffer.alloc(2 << 20);
    /** What is wrong, by the code of the refusal: with the library, or how the archive is made. */
    const cases: Readonly<Partial<Record<ErrorName, Readonly<Record<string, Wrong>>>>> = {
      LIBRARY_MODULE_INVALID: {
        'throws at import': { module: 'throw new Error("no");' },
        'exits at import': { module: 'process.exit(0);' },
        'eats memory at import': { module: 'const all = []; for (;;) all.push(new Array(1e6).fill({}));' },
        'exports nothing': { module: 'export const nothing = 0;' },
        'is an app that says it is a driver': {
          module: 'export default { [Symbol.for("tagway.app")]: true, create() {} };',
        },
        'has no module': { manifest: { main: 'absent.js' } },
      },
      LIBRARY_OPEN_FAILED: {
        'waits for ever at import': { module: 'setInterval(() => 0, 1000); await new Promise(() => 0);' },
        'spins at import': { module: 'for (;;);' },
      },
      LIBRARY_INFO_INVALID: {
        'leads out of its folder': { more: [{ path: 'package/../../outside.js', content: 'out' }] },
        'has an absolute path': { more: [{ path: '/tagway-outside.js', content: 'out' }] },
        'is not in the folder package': { more: [{ path: 'other/file.js', content: 'out' }] },
        'has a symbolic link': { more: [{ path: 'package/link', type: '2', target: '/etc/passwd' }] },
        'has a hard link': { more: [{ path: 'package/link', type: '1', target: 'package/index.js' }] },
        'has a device': { more: [{ path: 'package/null', type: '3' }] },
        'has a file twice': { more: [{ path: 'package/index.js', content: 'again' }] },
        'has a file where it has a folder': {
          more: [{ path: 'package/index.js/file.js', content: 'below' }],
        },
        'is 200 MB of zeros': zeroBomb,
        'is 200 MB of zeros in many files': () => tarball(entries(100, { content: zeros })),
        'has 11000 folders': () => tarball(entries(11_000, { type: '5' })),
        'says that a file is larger than it is': {
          more: [{ path: 'package/more', content: 'less', size: 10_000 }],
        },
        'has a plugin.json that is not JSON': { manifestText: '{ "id": ' },
        'has an id that is a path': { manifest: { id: '../refused' } },
        'has a main outside': { manifest: { main: '../../x.js' } },
        'has settings that the meta-schema refuses': { settings: '{"type":"array"}' },
        'is empty': () => Buffer.alloc(0),
        'is not gzipped': () => Buffer.from('this is no archive'),
        'is gzipped text': () => gzipSync('this is no archive'.repeat(1000)),
        'is cut short': () => good.subarray(0, good.length / 2),
      },
      MODULE_VERSION_MISMATCH: { 'is for a later SDK': { manifest: { sdk: '^9.0.0' } } },
      MODULE_EXISTS: {
        'takes the name of a system plugin': { manifest: { name: 'Modbus TCP' } },
        'takes the name of an installed plugin': { manifest: { name: 'bystander' } },
      },
      LIBRARY_NAME_CONFLICT: { 'takes the id of a system plugin': () => libraryArchive('modbus-tcp') },
    };
    const entries = (count: number, entry: Omit<Entry, 'path'>): Entry[] =>
      Array.from({ length: count }, (_, index) => ({ path: `package/${index}`, ...entry }));
    const rows = Object.entries(cases).flatMap(([name, wrong]) =>
      Object.entries(wrong).map(([what, how]) => ({ code: ErrorCode[name as ErrorName], what, how })),
    );

    for (const { code, what, how } of rows) {
      it(`${code}: one that ${what}`, async () => {
        const before = await everything();
        const peak = await peakMemory();
        const archive = typeof how === 'function' ? await how() : libraryArchive('refused', how);
        const reply = await install('refused-1.0.0.tgz', archive);
        expect(reply.error, reply.message).to.equal(code);
        expect(reply.message).to.not.equal('');
        expect(await everything()).to.deep.equal(before);
        expect((await peakMemory()) - peak, 'bytes of memory that it took').to.be.lessThan(100 << 20);
        expect(await gateway.runners(), 'runners').to.have.length(2);
        for (const node of ['plant', 'bystander']) await readValues(client, node, 'group', 0);
      });
    }

    it('has cost the bystander no cycle', async () => {
      expect(await countOf(client, 'bystander')).to.equal(0);
    });

    async function peakMemory(): Promise<number> {
      const status = await readFile(`/proc/${gateway.pid}/status`, 'utf8');
      return Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1]) * 1024;
    }

    async function zeroBomb(): Promise<Buffer> {
      const gzip = createGzip();
      const packed: Buffer[] = [];
      gzip.on('data', (chunk: Buffer) => packed.push(chunk));
      gzip.write(header({ path: 'package/zeros', size: 100 * zeros.length }));
      for (let count = 0; count < 100; count += 1) {
        if (!gzip.write(zeros)) await new Promise((resolve) => gzip.once('drain', resolve));
      }
      await new Promise<void>((resolve) => gzip.end(resolve));
      return Buffer.concat(packed);
    }
  });

  describe('what is installed', () => {
    it('survives a restart; a library that is missing is missed, and its node comes to life when it is installed', async () => {
      expect(await install('acme.tgz', libraryArchive('acme'))).to.deep.equal(ok);
      await addCounter(client, 'line', 'acme');
      await restartsWith(gateway, client, 'line');
      await countsAs(client, 'line', '1.0.0');
      await gateway.stop();
      await rm(join(libraries, 'acme'), { recursive: true });
      await gateway.start();
      expect(await pluginRow(client, 'acme')).to.equal(undefined);
      const before = await configurationOf(client);
      expect(await install('acme.tgz', libraryArchive('acme'))).to.deep.equal(ok);
      expect(await configurationOf(client)).to.deep.equal(before);
      await countsAs(client, 'line', '1.0.0');
    });

    it('goes on with a whole version after kill -9 at any moment of an upgrade, 10 times', async () => {
      for (let round = 0; round < 10; round += 1) {
        const { version = '' } = (await pluginRow(client, 'acme')) ?? {};
        const next = version === '1.0.0' ? '2.0.0' : '1.0.0';
        const file = libraryArchive('acme', versions[next]).toString('base64');
        const upgrade = client.call('POST', '/plugin', { library: 'acme.tgz', file }).catch(() => undefined);
        // An upgrade takes about 100 ms until the new version is in place, and then a second until it has proved itself.
        await sleep(Math.random() * (round % 2 === 0 ? 150 : 1500));
        await gateway.kill();
        await upgrade;
        await gateway.start();
        const row = await pluginRow(client, 'acme');
        expect([version, next]).to.include(row?.version);
        expect(await readdir(libraries)).to.deep.equal(['acme', 'bystander']);
        await countsAs(client, 'line', row?.version ?? '');
      }
    });

    it('waits for its turn when several are asked for at once', async () => {
      const files = ['a', 'b', 'c', 'd'].map((id) => libraryArchive(id).toString('base64'));
      const replies = await Promise.all(
        files.map((file) => client.call('POST', '/plugin', { library: 'any.tgz', file })),
      );
      expect(replies.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
      for (const plugin of ['a', 'b', 'c', 'd']) await client.ok('DELETE', '/plugin', { plugin });
    });

    it('leaves nothing behind when the gateway is asked to end while a library is probed', async () => {
      const file = libraryArchive('refused', { module: 'for (;;);' }).toString('base64');
      const pending = client.call('POST', '/plugin', { library: 'any.tgz', file }).catch(() => undefined);
      await gateway.runner('probe');
      await gateway.stop();
      await pending;
      expect((await readdir(libraries)).filter((name) => name.startsWith('.'))).to.deep.equal([]);
      await mkdir(join(libraries, '.staging-of-a-crash'));
      await gateway.start();
      expect((await readdir(libraries)).filter((name) => name.startsWith('.'))).to.deep.equal([]);
    });

    it('is upgraded too where plugins run inside the gateway', async () => {
      await gateway.restart(['--inline']);
      const { version = '' } = (await pluginRow(client, 'acme')) ?? {};
      await countsAs(client, 'line', version);
      const next = version === '1.0.0' ? '2.0.0' : '1.0.0';
      expect(await install('acme.tgz', libraryArchive('acme', versions[next]))).to.deep.equal(ok);
      await countsAs(client, 'line', next);
      expect(await gateway.runners()).to.deep.equal([]);
    });
  });
});
