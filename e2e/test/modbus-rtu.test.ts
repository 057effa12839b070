import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { Child } from '../kit/child.ts';
import type { Client } from '../kit/client.ts';
import { connected, readGroup, readValues, registerTags, stateOf } from '../kit/configure.ts';
import { deviceKinds, startSerialDevice } from '../world/devices.ts';
import { Gateway } from '../kit/gateway.ts';
import { until } from '../kit/until.ts';

const missing = [
  ...(spawnSync('socat', ['-V'], { stdio: 'ignore' }).status === 0 ? [] : ['socat']),
  ...(deviceKinds.includes('libmodbus') ? [] : ['libmodbus-dev with gcc and pkg-config']),
];
const title = 'Modbus RTU on a serial port';

if (missing.length > 0)
  describe.skip(`${title} (skipped: ${missing.join(' and ')} not installed)`, () => undefined);
else
  describe(title, function () {
    this.timeout(60_000);
    let folder: string;
    let gateway: Gateway;
    let client: Client;
    let cable: Child;
    let device: Child;

    /** Two serial ports that are connected with each other, and a device at the far one. */
    async function plugIn(): Promise<void> {
      const ends = ['near', 'far'].map((end) => `PTY,rawer,link=${join(folder, end)}`);
      cable = await Child.start('socat', ['-d', '-d', ...ends], { ready: /starting data transfer loop/ });
      device = await startSerialDevice(join(folder, 'far'));
    }

    async function pullOut(): Promise<void> {
      await cable.stop();
      await device.stop();
    }

    const settings = (change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
      link: 0,
      timeout: 1000,
      device: join(folder, 'near'),
      stop: 0,
      parity: 0,
      baud: 0,
      data: 3,
      interval: 0,
      ...change,
    });

    async function addNode(
      node: string,
      tags = registerTags(5, Attribute.READ | Attribute.WRITE),
    ): Promise<void> {
      await client.ok('POST', '/node', { name: node, plugin: 'Modbus RTU' });
      await client.ok('POST', '/group', { name: 'group', node, interval: 200 });
      await client.ok('POST', '/tags', { node, group: 'group', tags });
      await client.ok('POST', '/node/setting', { node, params: settings() });
    }

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'tagway-serial-'));
      await plugIn();
      gateway = await Gateway.start();
      client = await gateway.client();
    });

    after(async () => {
      await gateway?.dispose();
      await pullOut();
      await rm(folder, { recursive: true, force: true });
    });

    it('reads and writes, for two nodes on one port', async () => {
      await addNode('pump');
      const coil = {
        name: 'coil',
        address: '1!000004',
        attribute: Attribute.READ | Attribute.WRITE,
        type: DataType.BIT,
      };
      await addNode('valve', [...registerTags(3, Attribute.READ, 201), coil]);
      await connected(client, 'pump');
      await connected(client, 'valve');
      const pump = await readValues(client, 'pump', 'group');
      expect([...pump.values()].map(({ value }) => value)).to.deep.equal([0, 1, 2, 3, 4]);
      const valve = await readValues(client, 'valve', 'group');
      expect([...valve.values()].map(({ value }) => value)).to.deep.equal([200, 201, 202, 1]);
      await client.ok('POST', '/write', { node: 'pump', group: 'group', tag: 'tag3', value: -1234 });
      await client.ok('POST', '/write', { node: 'valve', group: 'group', tag: 'coil', value: 0 });
      expect((await readGroup(client, 'pump', 'group', true)).get('tag3')?.value).to.equal(-1234);
      expect((await readGroup(client, 'valve', 'group', true)).get('coil')?.value).to.equal(0);
    });

    it('says 3002 while the adapter is pulled out, and goes on when it is back', async () => {
      await pullOut();
      await until('every tag of both nodes says so', async () => {
        for (const node of ['pump', 'valve']) {
          const tags = [...(await readGroup(client, node, 'group')).values()];
          if (
            (await stateOf(client, node)).link === 2 ||
            tags.some(({ error }) => error !== ErrorCode.DISCONNECTED)
          )
            return false;
        }
        return true;
      });
      await plugIn();
      for (const node of ['pump', 'valve']) {
        await connected(client, node, 30_000);
        await readValues(client, node, 'group');
      }
    });

    it('refuses a parity that the platform lacks, and a second speed on one port', async () => {
      const mark = await client.call('POST', '/node/setting', {
        node: 'valve',
        params: settings({ parity: 3 }),
      });
      expect(mark.body).to.include({ error: ErrorCode.NODE_SETTING_INVALID });
      await client.ok('POST', '/node', { name: 'meter', plugin: 'Modbus RTU' });
      await client.ok('POST', '/node/setting', { node: 'meter', params: settings({ baud: 4 }) });
      expect(await stateOf(client, 'meter'), 'it is ready and does not run').to.include({ running: 2 });
      const start = await client.call('POST', '/node/ctl', { node: 'meter', cmd: 0 });
      expect(start.body).to.include({ error: ErrorCode.NODE_SETTING_INVALID });
      await connected(client, 'pump');
    });
  });
