import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, open, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { Attribute, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { libraryArchive } from '../kit/archives.ts';
import type { Client } from '../kit/client.ts';
import { nodeNames } from '../kit/configuration.ts';
import { addModbus, addMqtt, hasValue, readValues, registerTags } from '../kit/configure.ts';
import { Device } from '../world/devices.ts';
import { freePort } from '../kit/free-port.ts';
import { Gateway } from '../kit/gateway.ts';
import { installLibrary, runs } from '../kit/libraries.ts';
import { SmallDisk } from '../kit/small-disk.ts';
import { until } from '../kit/until.ts';

const title = `a disk without a free byte${SmallDisk.isPossible ? '' : ' (skipped: only root may mount the small disk that it fills)'}`;

interface Refusal {
  readonly error: number;
  readonly message: string;
}

describe(title, function () {
  this.timeout(60_000);
  let stack: AsyncDisposableStack;
  let disk: SmallDisk;
  let gateway: Gateway;
  let client: Client;

  before(async function () {
    if (!SmallDisk.isPossible) this.skip();
    stack = new AsyncDisposableStack();
    const device = await Device.start();
    stack.defer(() => device.stop());
    disk = await SmallDisk.make(16);
    stack.defer(() => disk.dispose());
    gateway = await Gateway.start({ parent: disk.folder });
    stack.defer(() => gateway.dispose());
    client = await gateway.client();
    await addModbus(client, 'driver', {
      port: device.port,
      group: 'group',
      tags: registerTags(3, Attribute.READ | Attribute.WRITE),
    });
    await addMqtt(client, 'app', await freePort());
    await client.ok('POST', '/subscribe', { app: 'app', driver: 'driver', group: 'group' });
    await readValues(client, 'driver', 'group');
  });
  after(() => stack?.disposeAsync());

  /** The log ends within a line and at the end of a block, so that not even its next byte has a place. */
  async function cutLog(): Promise<void> {
    const file = join(gateway.data, 'logs', 'tagway.log');
    const { size } = await stat(file);
    await truncate(file, size - 1);
    await appendFile(file, 'x'.repeat(4096 - ((size - 1) % 4096)));
  }

  /** The gateway can be logged in to, serves and refuses changes. */
  async function expectService(): Promise<void> {
    client = await gateway.client();
    const [{ body, status }, drivers] = await Promise.all([
      // More than the log of the database has room for as it is.
      client.call<{ error: number; message: string }>('POST', '/tags', {
        node: 'driver',
        group: 'big',
        tags: registerTags(3000).map((tag) => ({ ...tag, description: 'd'.repeat(100) })),
      }),
      client.ok<{ nodes: object[] }>('GET', '/node', { type: 1 }),
    ]);
    expect(status).to.equal(500);
    expect(body.error).to.equal(ErrorCode.INTERNAL);
    expect(body.message).to.match(
      /^The change was not made: the disk with the data folder is full\. Free space/,
    );
    expect(drivers.nodes).to.have.length(1);
  }

  const outputOf = (text: string): number => gateway.output.split(text).length - 1;

  it('refuses changes in a sentence, while nodes poll', async () => {
    await disk.fill();
    await expectService();
    await readValues(client, 'driver', 'group');
    await client.ok('POST', '/write', { node: 'driver', group: 'group', tag: 'tag0', value: 7 });
    await hasValue(client, 'driver', 'group', 'tag0', 7);
  });

  it('refuses a plugin and a snapshot in a sentence', async () => {
    const file = libraryArchive('acme').toString('base64');
    const answers = [
      await client.call<Refusal>('POST', '/plugin', { library: 'acme.tgz', file }),
      await client.call<Refusal>('POST', '/snapshots', {}),
    ];
    for (const { body } of answers) {
      expect(body.error, body.message).to.be.oneOf([ErrorCode.INTERNAL, ErrorCode.LIBRARY_ADD_FAILED]);
      expect(body.message).to.include('disk').and.to.include('full').and.not.include('ENOSPC');
    }
  });

  it('lets the gateway start after a kill, with a cut line in the log, and says once that it cannot log', async () => {
    await disk.free();
    await gateway.kill();
    await cutLog();
    await disk.fill();
    await gateway.start();
    await expectService();
    await readValues(client, 'driver', 'group');
    expect(outputOf('The log cannot be written'), gateway.output).to.equal(1);
  });

  it('lets the gateway start for repairs', async () => {
    await gateway.kill();
    await gateway.start(['--safe']);
    await expectService();
  });

  it('lets the gateway start without what it would have to make anew, and says what it goes without', async () => {
    await gateway.kill();
    await rm(join(gateway.data, 'keys', 'token.pem'));
    for (const name of ['logs', 'running.json'])
      await rm(join(gateway.data, name), { recursive: true, force: true });
    await disk.fill();
    await gateway.start([]);
    await expectService();
    await readValues(client, 'driver', 'group');
    expect(outputOf('tokens end with this run'), gateway.output).to.equal(1);
  });

  it('lets the gateway start with its output in a file on that disk', async () => {
    await gateway.kill();
    const output = await open(join(disk.folder, 'output'), 'a');
    await disk.fill();
    const port = await freePort();
    const child = spawn(
      process.execPath,
      [Gateway.main, '--data', gateway.data, '--port', String(port), '--log-print'],
      { stdio: ['ignore', output.fd, output.fd] },
    );
    try {
      await until('the gateway answers', async () => {
        const reply = await fetch(`http://127.0.0.1:${port}/api/v2/ping`, { method: 'POST' }).catch(
          () => undefined,
        );
        return reply?.status === 200;
      });
    } finally {
      child.kill('SIGTERM');
      await once(child, 'exit');
      await output.close();
    }
    expect(child.exitCode).to.equal(0);
    await gateway.start();
  });

  it('costs nothing once there is space again', async () => {
    client = await gateway.client();
    await disk.free();
    await client.ok('POST', '/node', { name: 'new', plugin: 'Modbus TCP' });
    const log = await gateway.log();
    expect(log).to.match(/lines of the log could not be written/);
    await gateway.restart();
    expect(await nodeNames(await gateway.client(), 1)).to.deep.equal(['driver', 'new']);
    expect((await gateway.stop()).code).to.equal(0);
    await gateway.start();
  });
});

describe(title.replace('without a free byte', 'that has become read-only'), function () {
  this.timeout(60_000);
  let stack: AsyncDisposableStack;
  let disk: SmallDisk;
  let gateway: Gateway;

  before(async function () {
    if (!SmallDisk.isPossible) this.skip();
    stack = new AsyncDisposableStack();
    disk = await SmallDisk.make(16);
    stack.defer(() => disk.dispose());
    gateway = await Gateway.start({ parent: disk.folder });
    stack.defer(() => gateway.dispose());
  });
  after(() => stack?.disposeAsync());

  it('has plugins and snapshots refused with that reason', async () => {
    const client = await gateway.client();
    const file = libraryArchive('acme').toString('base64');
    const answers: { body: Refusal }[] = [];
    disk.protect(true);
    try {
      answers.push(await client.call<Refusal>('POST', '/plugin', { library: 'acme.tgz', file }));
      answers.push(await client.call<Refusal>('POST', '/snapshots', {}));
    } finally {
      disk.protect(false);
    }
    for (const { body } of answers) {
      expect(body.error, body.message).to.be.oneOf([ErrorCode.INTERNAL, ErrorCode.LIBRARY_ADD_FAILED]);
      expect(body.message)
        .to.match(/read-only/)
        .and.not.match(/EROFS|not there/);
    }
    await installLibrary(client, libraryArchive('acme'));
    await client.ok('POST', '/node', { name: 'line', plugin: 'acme', params: {} });
    await client.ok('POST', '/snapshots', {});
    await gateway.restart();
    await runs(await gateway.client(), 'line');
  });
});
