import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer as createWebServer } from 'node:http';
import type { Server } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AddressInfo, Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { Child } from '../child.ts';
import type { Client } from '../client.ts';
import { addDriver, connected, readGroup, readValues } from '../configure.ts';
import { Debugger } from '../debugger.ts';
import { freePort } from '../free-port.ts';
import { Gateway } from '../gateway.ts';
import { archiveBody, commandWith, deployGateway, emptyFolder, removeFolder } from '../outside.ts';
import { Registry } from '../registry.ts';
import { until } from '../until.ts';

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

/** What the web server was posted last. */
interface Posted {
  readonly values: Readonly<Record<string, unknown>>;
}

/** Replaces a part of a file that must be there. */
async function edit(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  expect(text, file).to.include(from);
  await writeFile(file, text.replace(from, to));
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
  const guide = await readFile(join(import.meta.dirname, '../../sdk/GUIDE.md'), 'utf8');
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
      ...{ BASE: `${gateway.url}/api/v2`, TOKEN: token, TAGWAY_DATA: gateway.data, TAGWAY_PASSWORD: '0000' },
      ...{ npm_config_registry: registry.url, npm_config_cache: join(folder, 'npm') },
      PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
    };
    return commandWith(env, cwd, 'sh', '-e', '-c', script);
  }

  /** Builds and packs, and installs the archive. */
  async function install(made: string, version: string): Promise<void> {
    await walk(made, 'npm run pack');
    const id = made.slice(made.lastIndexOf('/') + 1);
    await client.ok('POST', '/plugin', await archiveBody(join(made, `${id}-${version}.tgz`)), {
      within: 60_000,
    });
    await isInstalled(id, version);
  }

  async function isInstalled(id: string, version: string): Promise<void> {
    const { plugins } = await client.ok<{ plugins: { schema: string; version: string; kind: number }[] }>(
      'GET',
      '/plugin',
    );
    expect(plugins.find(({ schema }) => schema === id)).to.include({ version, kind: 2 });
  }

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
    expect(kept.filter((file) => /node_modules|dist\/|^[^/]*\.tgz$/.test(file))).to.deep.equal([]);
  });

  it('is edited and delivers values', async () => {
    const made = join(folder, 'my-meter');
    await addFactor(made);
    await walk(made, 'npm run docs && npm run check');
    await edit(join(made, 'package.json'), '"version": "0.1.0"', '"version": "0.1.1"');
    await install(made, '0.1.1');

    const tag = {
      name: 'temperature',
      address: 'temperature',
      attribute: Attribute.READ,
      type: DataType.FLOAT,
    };
    const settings = { host: '127.0.0.1', port: devicePort };
    await addDriver(client, 'meter', { plugin: 'My Meter', tags: [tag], settings });
    const values = await readValues(client, 'meter', 'group');
    expect(values.get('temperature')?.value).to.equal(21.5);
    await connected(client, 'meter');
    const refused = await client.call('POST', '/tags', {
      node: 'meter',
      group: 'group',
      tags: [{ ...tag, name: 'other', address: 'No Such Address' }],
    });
    expect(refused.body.error).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
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
    await client.ok('POST', '/node', { name: 'poster', plugin: 'My Cloud' });
    await client.ok('POST', '/node/setting', {
      node: 'poster',
      params: { url: `http://127.0.0.1:${port}/samples` },
    });
    await client.ok('POST', '/subscribe', { app: 'poster', driver: 'meter', group: 'group' });
    await until('a sample is posted', () => posted?.values['temperature'] === 21.5);
  });

  it('has a project only with a name that a plugin may have', async () => {
    for (const name of ['My Cloud', '../x', ''])
      expect(
        (await client.call('GET', `/plugin/project?kind=app&name=${encodeURIComponent(name)}`)).body.error,
        name,
      ).to.equal(ErrorCode.PARAM_INVALID);
    await walk(folder, '! tagway plugin create app "My Cloud"');
    await walk(folder, '! tagway plugin create driver my-meter');
  });

  it('is upgraded to a version with another behaviour while its node is polled', async () => {
    const made = join(folder, 'my-meter');
    await edit(join(made, 'package.json'), '"version": "0.1.1"', '"version": "0.2.0"');
    await edit(join(made, 'settings.schema.json'), '"default": 1 }', '"default": 2 }');
    await install(made, '0.2.0');
    await until(
      'the value is that of the new version',
      async () => (await readGroup(client, 'meter', 'group')).get('temperature')?.value === 43,
    );
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
    const dev = await Child.start(
      process.execPath,
      [
        join(made, 'node_modules', '@tagway', 'pluginkit', 'dist', 'main.js'),
        ...['dev', '--folder', made, '--gateway', gateway.url, '--password', '0000'],
      ],
      { ready: /^Installed my-meter-0\.2\.0-dev\.\d+\.tgz/, env: { NODE_DISABLE_COMPILE_CACHE: '1' } },
    );
    try {
      await edit(join(made, 'src', 'index.ts'), 'value * factor', 'value * factor + 1');
      await until(
        'the value is that of the change',
        async () => (await readGroup(client, 'meter', 'group')).get('temperature')?.value === 44,
      );
      await edit(join(made, 'src', 'index.ts'), 'value * factor + 1', 'value * factor + )');
      await until('the mistake is shown', () => dev.output.includes('Unexpected ")"'));
      await until('the log of the gateway is shown', () =>
        dev.output.includes('"My Meter" (my-meter) was installed'),
      );
      const tag = {
        name: 'bad',
        address: 'No Such Address',
        attribute: Attribute.READ,
        type: DataType.FLOAT,
      };
      const refused = await client.call<{ message: string }>('POST', '/tags', {
        ...{ node: 'meter', group: 'group', tags: [tag] },
      });
      await until('what the operator reads is shown', () => dev.output.includes(refused.body.message));
    } finally {
      await dev.stop();
    }
  });

  it('is debugged where it runs: a breakpoint is not taken for a hang, and leads to the sources', async () => {
    const made = join(folder, 'my-meter');
    await edit(join(made, 'src', 'index.ts'), 'value * factor + )', 'value * factor');
    const port = await freePort();
    const dev = await Child.start(
      process.execPath,
      [
        join(made, 'node_modules', '@tagway', 'pluginkit', 'dist', 'main.js'),
        ...['dev', '--folder', made, '--gateway', gateway.url, '--password', '0000'],
        ...['--inspect', String(port)],
      ],
      { ready: /A debugger .* may attach to 127\.0\.0\.1:\d+/, env: { NODE_DISABLE_COMPILE_CACHE: '1' } },
    );
    try {
      await using debug = await until('the debugger attaches', () => Debugger.attach(port));
      const { pid } = await gateway.runner('my-meter');
      const source = join(made, 'src', 'index.ts');
      await until('the debugger knows the sources', () => debug.sources.includes(source));
      await debug.ask('Debugger.pause');
      await until('the plugin stands still', () => debug.isPaused);
      // Twice as long as a runner may be silent.
      await sleep(20_000);
      expect((await gateway.runner('my-meter')).pid).to.equal(pid);
      await debug.ask('Debugger.resume');
      await until(
        'values come again',
        async () => (await readGroup(client, 'meter', 'group')).get('temperature')?.value === 43,
      );
      expect((await gateway.runner('my-meter')).pid).to.equal(pid);
    } finally {
      await dev.stop();
    }
    await until('nobody can attach any more', async () => (await Debugger.attach(port)) === undefined);
    await until(
      'values come again',
      async () => (await readGroup(client, 'meter', 'group')).get('temperature')?.value === 43,
    );
  });

  it('is removed when nothing uses it any more', async () => {
    expect((await client.call('DELETE', '/plugin', { plugin: 'My Meter' })).body.error).to.equal(
      ErrorCode.LIBRARY_IN_USE,
    );
    await client.ok('DELETE', '/node', { name: 'poster' });
    await client.ok('DELETE', '/node', { name: 'meter' });
    await client.ok('DELETE', '/plugin', { plugin: 'My Meter' });
    await client.ok('DELETE', '/plugin', { plugin: 'My Cloud' });
  });
});
