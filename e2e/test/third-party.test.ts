import { once } from 'node:events';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer as createWebServer } from 'node:http';
import type { Server } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { Child } from '../child.ts';
import type { Client } from '../client.ts';
import { connected, readGroup, readValues } from '../configure.ts';
import { Gateway } from '../gateway.ts';
import { archiveBody, command, emptyFolder, installKit, removeFolder } from '../outside.ts';
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
    'store(into, index, answer, type);',
    'store(into, index, times(answer, this.#factor), type);',
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

describe('a plugin of a third party', function () {
  this.timeout(300_000);
  const device = new TextDevice();
  let web: Server;
  let posted: Posted | undefined;
  let folder: string;
  let modules: string;
  let gateway: Gateway;
  let client: Client;
  let devicePort: number;

  before(async () => {
    folder = await emptyFolder();
    modules = await installKit(folder);
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
    gateway = await Gateway.start();
    client = await gateway.client();
  });

  after(async () => {
    await gateway?.dispose();
    await device.stop();
    web?.close();
    web?.closeAllConnections();
    await removeFolder(folder);
  });

  /** Creates a plugin in an empty folder with the kit installed beside it. */
  async function create(kind: 'driver' | 'app', id: string): Promise<string> {
    await command(folder, join(modules, '.bin', 'pluginkit'), 'create', kind, id);
    const made = join(folder, id);
    await symlink(modules, join(made, 'node_modules'));
    return made;
  }

  /** Builds and packs, and installs the archive. */
  async function install(made: string, version: string): Promise<void> {
    await command(made, 'npm', 'run', 'pack');
    const id = made.slice(made.lastIndexOf('/') + 1);
    await client.ok('POST', '/plugin', await archiveBody(join(made, `${id}-${version}.tgz`)), {
      within: 60_000,
    });
    const { plugins } = await client.ok<{ plugins: { schema: string; version: string; kind: number }[] }>(
      'GET',
      '/plugin',
    );
    expect(plugins.find(({ schema }) => schema === id)).to.include({ version, kind: 2 });
  }

  it('is a driver, created, edited, tested, packed and installed, and delivers values', async () => {
    const made = await create('driver', 'flow-meter');
    await addFactor(made);
    const tests = await command(made, 'npm', 'test');
    expect(tests)
      .to.match(/\d+ passing/)
      .and.not.match(/failing/);
    await command(made, 'npm', 'run', 'check');
    await install(made, '0.1.0');

    await client.ok('POST', '/node', { name: 'meter', plugin: 'Flow Meter' });
    await client.ok('POST', '/group', { name: 'group', node: 'meter', interval: 100 });
    const tag = {
      name: 'temperature',
      address: 'temperature',
      attribute: Attribute.READ,
      type: DataType.FLOAT,
    };
    await client.ok('POST', '/tags', { node: 'meter', group: 'group', tags: [tag] });
    await client.ok('POST', '/node/setting', {
      node: 'meter',
      params: { host: '127.0.0.1', port: devicePort },
    });
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

  it('is an app, created, tested, packed and installed, and sends what it is subscribed to', async () => {
    const made = await create('app', 'web-poster');
    const tests = await command(made, 'npm', 'test');
    expect(tests)
      .to.match(/\d+ passing/)
      .and.not.match(/failing/);
    await command(made, 'npm', 'run', 'check');
    await install(made, '0.1.0');

    const { port } = web.address() as AddressInfo;
    await client.ok('POST', '/node', { name: 'poster', plugin: 'Web Poster' });
    await client.ok('POST', '/node/setting', {
      node: 'poster',
      params: { url: `http://127.0.0.1:${port}/samples` },
    });
    await client.ok('POST', '/subscribe', { app: 'poster', driver: 'meter', group: 'group' });
    await until('a sample is posted', () => posted?.values['temperature'] === 21.5);
  });

  it('is upgraded to a version with another behaviour while its node is polled', async () => {
    const made = join(folder, 'flow-meter');
    await edit(join(made, 'package.json'), '"version": "0.1.0"', '"version": "0.2.0"');
    await edit(join(made, 'settings.schema.json'), '"default": 1 }', '"default": 2 }');
    await install(made, '0.2.0');
    await until(
      'the value is that of the new version',
      async () => (await readGroup(client, 'meter', 'group')).get('temperature')?.value === 43,
    );
    await until('a sample of the new version is posted', () => posted?.values['temperature'] === 43);
  });

  it('is installed by the kit after every change while its author works on it', async () => {
    const made = join(folder, 'flow-meter');
    const dev = await Child.start(
      process.execPath,
      [
        join(modules, '@tagway', 'pluginkit', 'dist', 'main.js'),
        ...['dev', '--folder', made, '--gateway', gateway.url, '--password', '0000'],
      ],
      { ready: /^Installed flow-meter-0\.2\.0-dev\.\d+\.tgz/, env: { NODE_DISABLE_COMPILE_CACHE: '1' } },
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
        dev.output.includes('"Flow Meter" (flow-meter) was installed'),
      );
    } finally {
      await dev.stop();
    }
  });

  it('is removed when nothing uses it any more', async () => {
    expect((await client.call('DELETE', '/plugin', { plugin: 'Flow Meter' })).body.error).to.equal(
      ErrorCode.LIBRARY_IN_USE,
    );
    await client.ok('DELETE', '/node', { name: 'poster' });
    await client.ok('DELETE', '/node', { name: 'meter' });
    await client.ok('DELETE', '/plugin', { plugin: 'Flow Meter' });
    await client.ok('DELETE', '/plugin', { plugin: 'Web Poster' });
  });
});
