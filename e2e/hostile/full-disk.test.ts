import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, open, readFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { Attribute, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import type { Client } from '../client.ts';
import { addModbus, addMqtt, readValues, registerTags } from '../configure.ts';
import { Device } from '../devices.ts';
import { freePort } from '../free-port.ts';
import { Gateway } from '../gateway.ts';
import { SmallDisk } from '../small-disk.ts';
import { until } from '../until.ts';

const title = `a disk without a free byte${SmallDisk.isPossible ? '' : ' (skipped: only root may mount the small disk that it fills)'}`;

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
    await until('the device has the value', async () => {
      const values = await readValues(client, 'driver', 'group');
      return values.get('tag0')?.value === 7;
    });
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
    const log = await readFile(join(gateway.data, 'logs', 'tagway.log'), 'utf8');
    expect(log).to.match(/lines of the log could not be written/);
    await gateway.restart();
    const { nodes } = await (
      await gateway.client()
    ).ok<{ nodes: { name: string }[] }>('GET', '/node', { type: 1 });
    expect(nodes.map(({ name }) => name)).to.deep.equal(['driver', 'new']);
    expect((await gateway.stop()).code).to.equal(0);
    await gateway.start();
  });
});
