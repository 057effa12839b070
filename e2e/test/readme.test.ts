import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { startBroker } from '../brokers.ts';
import type { Broker } from '../brokers.ts';
import { readValues, stateOf } from '../configure.ts';
import { Device, words } from '../devices.ts';
import { Gateway } from '../gateway.ts';
import { parseExact } from '../json.ts';
import { Subscriber } from '../subscriber.ts';

const hasCurl = spawnSync('curl', ['--version']).error === undefined;

describe('README.md', function () {
  this.timeout(60_000);
  let device: Device;
  let broker: Broker;
  let gateway: Gateway;
  let subscriber: Subscriber;

  before(async () => {
    device = await Device.start();
    broker = await startBroker();
    gateway = await Gateway.start();
    subscriber = await Subscriber.connect(broker.port, 'plant/boiler');
  });

  after(async () => {
    await subscriber?.close();
    await gateway?.dispose();
    await broker?.stop();
    await device?.stop();
  });

  const title = 'the walk through the API works as it stands';
  (hasCurl ? it : it.skip)(hasCurl ? title : `${title} (there is no curl here)`, async () => {
    const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8');
    const script = /```sh\n(BASE=[^]*?)```/.exec(readme)?.[1];
    if (script === undefined) throw new Error('README.md has no block that begins with BASE=.');
    await device.setRegisters(0, words('Float', 21.5));
    const { stdout } = await promisify(execFile)('sh', ['-c', script], {
      env: {
        PATH: process.env['PATH'],
        BASE: gateway.url,
        DEVICE_PORT: String(device.port),
        BROKER_PORT: String(broker.port),
      },
      timeout: 30_000,
    });
    const replies = stdout
      .trim()
      .split('\n')
      .map((line) => parseExact(line) as { error?: number; tags?: object[] });
    for (const reply of replies) expect(reply.error ?? 0, stdout).to.equal(0);
    const reads = replies.filter(({ tags }) => tags !== undefined);
    expect(reads[0]?.tags).to.deep.include({ name: 'temperature', value: 21.5 });
    expect(reads[1]?.tags).to.deep.include({ name: 'setpoint', value: 72.5 });
    expect(await device.registers(5, 2)).to.deep.equal(words('Float', 72.5));
    const { values } = await subscriber.upload(
      'plant/boiler',
      (upload) => upload.values?.['setpoint'] === 72.5,
    );
    expect(values).to.include({ temperature: 21.5 });
    const client = await gateway.client();
    expect(await stateOf(client, 'boiler')).to.include({ running: 3, link: 2 });
    expect(await stateOf(client, 'uplink')).to.include({ running: 3, link: 2 });
    await readValues(client, 'boiler', 'fast');
  });
});
