import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Attribute } from '@tagway/schemas';
import { expect } from 'chai';
import { tarball } from '../kit/archives.ts';
import type { Client } from '../kit/client.ts';
import { addModbus, connected, hasValue, registerTags } from '../kit/configure.ts';
import { freePort } from '../kit/free-port.ts';
import { Gateway } from '../kit/gateway.ts';
import { installLibrary } from '../kit/libraries.ts';
import { until } from '../kit/until.ts';
import { Device } from '../world/devices.ts';
import { hasScapy, Iec104Centre } from '../world/iec104-centre.ts';

/** What the library of the repository is installed as: the one that comes with the gateway cannot be replaced. */
const plugin = { id: 'iec104-plant', name: 'Plant IEC 104' };
const source = join(import.meta.dirname, '../../plugins/iec104-server');

/** A version of the station as its author packs it. */
function versionOf(version: string): Buffer {
  const json = (file: string, more: object): string =>
    JSON.stringify({ ...(JSON.parse(readFileSync(join(source, file), 'utf8')) as object), ...more });
  return tarball([
    { path: 'package/package.json', content: json('package.json', { name: plugin.id, version }) },
    { path: 'package/plugin.json', content: json('plugin.json', plugin) },
    ...['settings.schema.json', 'dist/index.js'].map((file) => ({
      path: `package/${file}`,
      content: readFileSync(join(source, file)),
    })),
  ]);
}

/** Longer than any test. */
const long = 600_000;

describe(`a pulse that is under way${hasScapy ? '' : ' (skipped: python3-scapy is not installed)'}`, function () {
  this.timeout(180_000);
  let device: Device;
  let gateway: Gateway;
  let port: number;

  const settings = (pulse: number, more: object = {}): object => ({
    host: '127.0.0.1',
    port,
    commands: true,
    long_pulse: pulse,
    ...more,
  });
  const addStation = async (client: Client): Promise<void> => {
    await client.ok('POST', '/node', { name: 'station', plugin: plugin.name });
    await client.ok('POST', '/node/setting', { node: 'station', params: settings(long) });
    await client.ok('POST', '/subscribe', {
      app: 'station',
      driver: 'breaker',
      group: 'group',
      params: { points: 'tag,type,object,pulse\ntag0,45,7,long' },
    });
  };

  before(async function () {
    if (!hasScapy) this.skip();
    device = await Device.start();
    gateway = await Gateway.start();
    port = await freePort();
    const client = await gateway.client();
    const tags = registerTags(1, Attribute.READ | Attribute.WRITE);
    await addModbus(client, 'breaker', { port: device.port, interval: 100, tags });
    await installLibrary(client, versionOf('1.0.0'));
    await addStation(client);
  });
  after(async () => {
    await gateway?.dispose();
    await device?.stop();
  });

  const isOff = async (): Promise<boolean> => (await device.registers(0, 1))[0] === 0;

  /** Switches on, and waits until the device has it. */
  async function switchOn(): Promise<void> {
    const client = await gateway.client();
    await connected(client, 'station');
    await hasValue(client, 'breaker', 'group', 'tag0', 0);
    await using centre = await Iec104Centre.start();
    await centre.connect(port);
    const command = { information_object_address: 7, scs: 1 };
    const answer = await centre.ask('C_SC_NA_1', 6, command, ({ type, cause }) => type === 45 && cause === 7);
    expect(answer.negative).to.equal(false);
    expect(await isOff(), 'on').to.equal(false);
    expect(centre.faults).to.deep.equal([]);
  }

  it('is ended when the node stops, gets other settings, and is deleted', async () => {
    const client = await gateway.client();
    await switchOn();
    await client.ok('POST', '/node/ctl', { node: 'station', cmd: 1 });
    expect(await isOff(), 'as soon as the stop is answered').to.equal(true);
    await client.ok('POST', '/node/ctl', { node: 'station', cmd: 0 });
    await switchOn();
    await client.ok('POST', '/node/setting', { node: 'station', params: settings(long, { t3: 30 }) });
    await until('the other run has begun', isOff);
    await switchOn();
    await client.ok('DELETE', '/node', { name: 'station' });
    expect(await isOff(), 'as soon as the deletion is answered').to.equal(true);
    await addStation(client);
  });

  it('is ended when another version of the plugin is installed, and when the gateway ends', async () => {
    const client = await gateway.client();
    await switchOn();
    await installLibrary(client, versionOf('1.0.1'));
    expect(await isOff(), 'once the other version runs').to.equal(true);
    await switchOn();
    await gateway.stop();
    expect(await isOff(), 'when the gateway has ended').to.equal(true);
    await gateway.start();
    expect(await gateway.log()).not.to.include('was not ended');
  });

  it('is ended after kill -9, when its time has come', async () => {
    const client = await gateway.client();
    await client.ok('POST', '/node/setting', { node: 'station', params: settings(4000) });
    await switchOn();
    await gateway.kill();
    expect(await isOff(), 'still on').to.equal(false);
    await gateway.start();
    await until('it is off', isOff, { within: 30_000 });
    await until('the log has it', async () =>
      (await gateway.log()).includes('A pulse that was interrupted has ended'),
    );
    const { entries } = await (
      await gateway.client()
    ).ok<{ entries: { text: string; from?: string }[] }>('GET', '/audit');
    expect(entries.find(({ text }) => text.startsWith('wrote to the node "breaker": "tag0" = 0'))).to.include(
      {
        from: '127.0.0.1',
      },
    );
  });
});
