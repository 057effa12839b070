import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer as createWebServer } from 'node:http';
import type { Server } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AddressInfo, Socket } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { Child } from '../kit/child.ts';
import type { Client } from '../kit/client.ts';
import { pluginsOf } from '../kit/configuration.ts';
import { addDriver, connected, hasValue, readValues } from '../kit/configure.ts';
import { Debugger } from '../kit/debugger.ts';
import { freePort } from '../kit/free-port.ts';
import { Gateway } from '../kit/gateway.ts';
import { installLibrary } from '../kit/libraries.ts';
import { commandWith, deployGateway, emptyFolder, removeFolder } from '../kit/standalone.ts';
import { Registry } from './registry.ts';
import { until } from '../kit/until.ts';

/** A device that answers every line of text with the same value. */
class TextDevice {
  readonly #server = createServer((socket) => {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write('= 21.5\n'));
  });
  readonly #sockets = new Set<Socket>();

  async start(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

const tag = {
  name: 'temperature',
  address: 'temperature',
  attribute: Attribute.READ,
  type: DataType.FLOAT,
};
/** What adds a tag that the driver refuses. */
const misnamed = {
  node: 'meter',
  group: 'group',
  tags: [{ ...tag, name: 'other', address: 'No Such Address' }],
};

/** What the web server was posted last. */
interface Posted {
  readonly values: Readonly<Record<string, unknown>>;
}

/** Replaces a part of a file that must be there, or the whole file by another one. */
async function edit(file: string, from: string, to: string, isAnother = false): Promise<void> {
  const text = await readFile(file, 'utf8');
  expect(text, file).to.include(from);
  const target = isAnother ? `${file}~` : file;
  await writeFile(target, text.replace(from, to));
  if (isAnother) await rename(target, file);
}

/** What an author does to the driver of the template: a setting by which values are multiplied. */
async function addFactor(folder: string): Promise<void> {
  await edit(
    join(folder, 'settings.schema.json'),
    '"properties": {',
    '"properties": { "factor": { "type": "number", "title": "Factor", "description": "Multiplies values.", "default": 1 },',
  );
  const source = join(folder, 'src', 'index.ts');
  await edit(source, 'readonly #link: Link;', 'readonly #link: Link;\n  readonly #factor: number;');
  await edit(
    source,
    'const { host, port, timeout } = context.settings;',
    'const { host, port, timeout, factor } = context.settings;\n    this.#factor = factor;',
  );
  await edit(
    source,
    'store(into, index, text, type);',
    'store(into, index, times(text, this.#factor), type);',
  );
  await writeFile(
    source,
    `${await readFile(source, 'utf8')}
function times(text: string, factor: number): string {
  const value = Number(text);
  return Number.isSafeInteger(value) || value % 1 !== 0 ? String(value * factor) : text;
}
`,
  );
}

/** The commands of the guide's way from an empty folder to a gateway, block by block as they stand there. */
async function commandsOfGuide(): Promise<string[]> {
  const guide = await readFile(join(import.meta.dirname, '../../docs/plugins/write-a-driver.md'), 'utf8');
  const [, section = ''] = /^## From an empty folder to a gateway$([^]*?)^## /m.exec(guide) ?? [];
  const blocks = [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
  expect(blocks, 'blocks of the guide').to.have.lengthOf(4);
  return blocks;
}

describe('a plugin of a third party', function () {
  this.timeout(300_000);
  const device = new TextDevice();
  let web: Server;
  let posted: Posted | undefined;
  let folder: string;
  let gateway: Gateway;
  let client: Client;
  let devicePort: number;
  let registry: Registry;
  let guide: readonly string[];

  before(async () => {
    folder = await emptyFolder();
    registry = await Registry.start();
    guide = await commandsOfGuide();
    devicePort = await device.start();
    web = createWebServer((request, reply) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        posted = JSON.parse(text) as Posted;
        reply.end();
      });
    }).listen(0, '127.0.0.1');
    await once(web, 'listening');
    const main = await deployGateway(folder);
    gateway = await Gateway.start({ main });
    client = await gateway.client();
    await mkdir(join(folder, 'bin'));
    await writeFile(join(folder, 'bin', 'tagway'), `#!/bin/sh\nexec ${process.execPath} ${main} "$@"\n`, {
      mode: 0o755,
    });
  });

  after(async () => {
    await gateway?.dispose();
    await device.stop();
    web?.close();
    web?.closeAllConnections();
    await registry?.[Symbol.asyncDispose]();
    await removeFolder(folder);
  });

  /** Runs commands of the guide as somebody who has a gateway, npm and a registry that does not have our packages. */
  function walk(cwd: string, script: string): Promise<string> {
    const { token = '' } = client;
    const env = {
      API: `${gateway.url}/api/v2`,
      TOKEN: token,
      TAGWAY_DATA: gateway.data,
      TAGWAY_PASSWORD: '0000',
      npm_config_registry: registry.url,
      npm_config_cache: join(folder, 'npm'),
      PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
    };
    return commandWith(env, cwd, 'sh', '-e', '-c', script);
  }

  /** Builds and packs, and installs the archive. */
  async function install(made: string, version: string): Promise<void> {
    await walk(made, 'npm run pack');
    const id = made.slice(made.lastIndexOf('/') + 1);
    await installLibrary(client, await readFile(join(made, `${id}-${version}.tgz`)));
    await isInstalled(id, version);
  }

  async function isInstalled(id: string, version: string): Promise<void> {
    expect((await pluginsOf(client)).find(({ schema }) => schema === id)).to.include({ version, kind: 2 });
  }

  /** Waits until the driver reads this value. */
  const shows = (value: number): Promise<void> => hasValue(client, 'meter', 'group', 'temperature', value);

  /** Starts the kit's command that installs after every change, and waits for a line of it. */
  const develop = (made: string, ready: RegExp, ...more: string[]): Promise<Child> => {
    const kit = join(made, 'node_modules', '@tagway', 'pluginkit', 'dist', 'main.js');
    const args = [kit, 'dev', '--folder', made, '--gateway', gateway.url, '--password', '0000', ...more];
    return Child.start(process.execPath, args, { ready, env: { NODE_DISABLE_COMPILE_CACHE: '1' } });
  };

  it('is a driver, made as the guide says without a registry that has our packages', async () => {
    const [create = '', , install = ''] = guide;
    const output = await walk(folder, create);
    expect(output)
      .to.match(/\d+ passing/)
      .and.not.match(/failing/);
    await walk(join(folder, 'my-meter'), install);
    await isInstalled('my-meter', '0.1.0');
    expect([...registry.missed].filter((name) => name.startsWith('@tagway/'))).to.deep.equal([]);
  });

  it('brings its own Node, with which npm runs its scripts', async () => {
    const made = join(folder, 'my-meter');
    expect((await walk(made, 'npm exec -c "node --version"')).trim()).to.match(/^v24\./);
  });

  it('can be committed and built elsewhere', async () => {
    const made = join(folder, 'my-meter');
    await walk(made, 'git init -q . && git add -A');
    const kept = (await walk(made, 'git ls-files')).split('\n');
    expect(kept).to.include.members(['package-lock.json', 'src/settings.ts', '.vscode/launch.json']);
    expect(kept.filter((file) => file.startsWith('vendor/'))).to.have.lengthOf(4);
    const guide = kept.filter((file) => file.startsWith('docs/'));
    expect(guide).to.include.members(['docs/write-a-driver.md', 'docs/contract.md', 'docs/publish.md']);
    for (const page of ['README.md', ...guide])
      for (const [, target = ''] of (await readFile(join(made, page), 'utf8')).matchAll(
        /\]\((?![a-z]+:|#)([^()\s#]+)/g,
      ))
        expect(existsSync(join(made, dirname(page), target)), `${page}: ${target}`).to.equal(true);
    expect(kept.filter((file) => /node_modules|dist\/|^[^/]*\.tgz$/.test(file))).to.deep.equal([]);
  });

  it('is edited and delivers values', async () => {
    const made = join(folder, 'my-meter');
    await addFactor(made);
    await walk(made, 'npm run docs && npm run check');
    const wrong = join(made, 'src', 'wrong.ts');
    await writeFile(wrong, "export const level: number = 'high';\n");
    expect(await walk(made, '! npm run pack'), 'a type that is wrong').to.include('src/wrong.ts');
    await rm(wrong);
    await edit(join(made, 'package.json'), '"version": "0.1.0"', '"version": "0.1.1"');
    await install(made, '0.1.1');

    const settings = { host: '127.0.0.1', port: devicePort };
    await addDriver(client, 'meter', { plugin: 'My Meter', tags: [tag], settings });
    const values = await readValues(client, 'meter', 'group');
    expect(values.get('temperature')?.value).to.equal(21.5);
    await connected(client, 'meter');
    expect(await client.errorOf('POST', '/tags', misnamed)).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
  });

  it('is an app, taken from a running gateway, and sends what it is subscribed to', async () => {
    const [, fetched = '', , install = ''] = guide;
    await walk(folder, fetched);
    const made = join(folder, 'my-cloud');
    const tests = await walk(made, 'npm install && npm test');
    expect(tests)
      .to.match(/\d+ passing/)
      .and.not.match(/failing/);
    await walk(made, 'npm run check && npm run pack');
    expect(JSON.parse(await walk(made, install))).to.deep.equal({ error: ErrorCode.SUCCESS });
    await isInstalled('my-cloud', '0.1.0');

    const { port } = web.address() as AddressInfo;
    const params = { url: `http://127.0.0.1:${port}/samples` };
    await client.ok('POST', '/node', { name: 'poster', plugin: 'My Cloud', params });
    await client.ok('POST', '/subscribe', { app: 'poster', driver: 'meter', group: 'group' });
    await until('a sample is posted', () => posted?.values['temperature'] === 21.5);
  });

  it('has a project only with a name that a plugin may have', async () => {
    for (const name of ['My Cloud', '../x', '']) {
      const error = await client.errorOf('GET', '/plugin/project', { kind: 'app', name });
      expect(error, name).to.equal(ErrorCode.PARAM_INVALID);
    }
    await walk(folder, '! tagway plugin create app "My Cloud"');
    await walk(folder, '! tagway plugin create driver my-meter');
  });

  it('is upgraded to a version with another behaviour while its node is polled', async () => {
    const made = join(folder, 'my-meter');
    await edit(join(made, 'package.json'), '"version": "0.1.1"', '"version": "0.2.0"');
    await edit(join(made, 'settings.schema.json'), '"default": 1 }', '"default": 2 }');
    await install(made, '0.2.0');
    await shows(43);
    await until('a sample of the new version is posted', () => posted?.values['temperature'] === 43);
  });

  for (const [how, end] of [
    ['SIGTERM', () => gateway.stop()],
    ['kill -9', () => gateway.kill()],
  ] as const)
    it(`runs again, driver and app, when the gateway starts again after ${how}`, async () => {
      await end();
      posted = undefined;
      await gateway.start();
      await until('a sample is posted again', () => posted?.values['temperature'] === 43);
    });

  it('is installed by the kit after every change while its author works on it', async () => {
    const made = join(folder, 'my-meter');
    const dev = await develop(made, /^Installed my-meter-0\.2\.0-dev\.\d+\.tgz/);
    try {
      await edit(join(made, 'src', 'index.ts'), 'value * factor', 'value * factor + 1');
      await shows(44);
      // Many editors put another file in the place of the one that is edited.
      for (const [file, from, to] of [
        ['src/index.ts', 'value * factor + 1', 'value * factor + 2'],
        ['src/index.ts', 'value * factor + 2', 'value * factor + 1'],
        ['settings.schema.json', 'Multiplies values.', 'Multiplies all values.'],
        ['settings.schema.json', 'Multiplies all values.', 'Multiplies each value.'],
        ['plugin.json', '"en": "', '"en": "One: '],
        ['plugin.json', '"en": "One: ', '"en": "'],
      ] as const) {
        const before = dev.output.split('Installed my-meter').length;
        await edit(join(made, file), from, to, true);
        await until(`${file} is installed`, () => dev.output.split('Installed my-meter').length > before);
      }
      await edit(join(made, 'src', 'index.ts'), 'value * factor + 1', 'value * factor + )');
      await until('the mistake is shown', () => dev.output.includes('Unexpected ")"'));
      await until('the log of the gateway is shown', () =>
        dev.output.includes('"My Meter" (my-meter) was installed'),
      );
      const refused = await client.call<{ message: string }>('POST', '/tags', misnamed);
      await until('what the operator reads is shown', () => dev.output.includes(refused.body.message));
    } finally {
      await dev.stop();
    }
  });

  it('is debugged where it runs: a breakpoint is not taken for a hang, and leads to the sources', async () => {
    const made = join(folder, 'my-meter');
    await edit(join(made, 'src', 'index.ts'), 'value * factor + )', 'value * factor');
    const port = await freePort();
    const dev = await develop(
      made,
      /A debugger .* may attach to 127\.0\.0\.1:\d+/,
      '--inspect',
      String(port),
    );
    try {
      await using debug = await until('the debugger attaches', () => Debugger.attach(port));
      const { pid } = await gateway.runner('my-meter');
      const source = join(made, 'src', 'index.ts');
      await until('the debugger knows the sources', () => debug.sources.includes(source));
      await debug.ask('Debugger.pause');
      await until('the plugin stands still', () => debug.isPaused);
      // Longer than a runner may be silent without a debugger: 10 s, which are checked every 2 s.
      await sleep(13_000);
      expect((await gateway.runner('my-meter')).pid).to.equal(pid);
      await debug.ask('Debugger.resume');
      await shows(43);
      expect((await gateway.runner('my-meter')).pid).to.equal(pid);
    } finally {
      await dev.stop();
    }
    await until('nobody can attach any more', async () => (await Debugger.attach(port)) === undefined);
    await shows(43);
  });

  it('is removed when nothing uses it any more', async () => {
    const error = await client.errorOf('DELETE', '/plugin', { plugin: 'My Meter' });
    expect(error).to.equal(ErrorCode.LIBRARY_IN_USE);
    await client.ok('DELETE', '/node', { name: 'poster' });
    await client.ok('DELETE', '/node', { name: 'meter' });
    await client.ok('DELETE', '/plugin', { plugin: 'My Meter' });
    await client.ok('DELETE', '/plugin', { plugin: 'My Cloud' });
  });
});
