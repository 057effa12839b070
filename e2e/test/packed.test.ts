import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DataType, RunningState, Attribute } from '@tagway/schemas';
import { expect } from 'chai';
import { AdsPlc } from '../ads-plc.ts';
import { startBroker } from '../brokers.ts';
import { Child } from '../child.ts';
import type { Client } from '../client.ts';
import {
  addModbus,
  addMqtt,
  addSparkplug,
  connected,
  readValues,
  registerTags,
  stateOf,
} from '../configure.ts';
import { Device, deviceKinds, startSerialDevice } from '../devices.ts';
import { Gateway } from '../gateway.ts';
import { listenIec104 } from '../iec104-station.ts';
import { OpcUaServer } from '../opcua-server.ts';
import { S7Plc } from '../s7-plc.ts';
import { WordPlc } from '../word-plc.ts';
import { archiveBody, command, deployGateway, emptyFolder, removeFolder } from '../outside.ts';

const root = join(import.meta.dirname, '../..');
const kit = join(root, 'sdk/pluginkit/dist/main.js');

/** The plugins of this repository. */
const plugins = readdirSync(join(root, 'plugins'))
  .filter((name) => existsSync(join(root, 'plugins', name, 'plugin.json')))
  .map(
    (name) =>
      JSON.parse(readFileSync(join(root, 'plugins', name, 'plugin.json'), 'utf8')) as {
        id: string;
        name: string;
      },
  );

const hasSerial =
  spawnSync('socat', ['-V'], { stdio: 'ignore' }).status === 0 && deviceKinds.includes('libmodbus');

async function readWordPlc(client: Client, id: 'fins' | 'qna3e', plugin: string): Promise<void> {
  const plc = await WordPlc.start(id);
  try {
    const tags = [{ name: 'word', address: 'D7', attribute: Attribute.READ, type: DataType.UINT16 }];
    await client.ok('POST', '/node', { name: id, plugin });
    await client.ok('POST', '/group', { name: 'group', node: id, interval: 100 });
    await client.ok('POST', '/tags', { node: id, group: 'group', tags });
    await client.ok('POST', '/node/setting', { node: id, params: { host: '127.0.0.1', port: plc.port } });
    await readValues(client, id, 'group');
  } finally {
    await plc.stop();
  }
}

/** Has a node of each plugin do its work once. */
const works: Readonly<Record<string, (client: Client, folder: string) => Promise<void>>> = {
  async 'modbus-tcp'(client) {
    const device = await Device.start();
    try {
      await addModbus(client, 'tcp', { port: device.port, tags: registerTags(10) });
      await readValues(client, 'tcp', 'group');
    } finally {
      await device.stop();
    }
  },

  async 'modbus-rtu'(client, folder) {
    const add = async (device: string): Promise<void> => {
      await client.ok('POST', '/node', { name: 'rtu', plugin: 'Modbus RTU' });
      await client.ok('POST', '/group', { name: 'group', node: 'rtu', interval: 200 });
      await client.ok('POST', '/tags', { node: 'rtu', group: 'group', tags: registerTags(10) });
      const params = { link: 0, timeout: 1000, device, stop: 0, parity: 0, baud: 0, data: 3, interval: 0 };
      await client.ok('POST', '/node/setting', { node: 'rtu', params });
    };
    if (!hasSerial) {
      await add(join(folder, 'absent'));
      expect((await stateOf(client, 'rtu')).running).to.equal(RunningState.RUNNING);
      return;
    }
    const ends = ['near', 'far'].map((end) => `PTY,rawer,link=${join(folder, end)}`);
    const cable = await Child.start('socat', ['-d', '-d', ...ends], { ready: /starting data transfer loop/ });
    const device = await startSerialDevice(join(folder, 'far'));
    try {
      await add(join(folder, 'near'));
      await readValues(client, 'rtu', 'group');
    } finally {
      await cable.stop();
      await device.stop();
    }
  },

  async mqtt(client) {
    const broker = await startBroker();
    try {
      await addMqtt(client, 'uplink', broker.port);
      await connected(client, 'uplink');
    } finally {
      await broker.stop();
    }
  },

  async sparkplugb(client) {
    const broker = await startBroker();
    try {
      await addSparkplug(client, 'edge', broker.port);
      await connected(client, 'edge');
    } finally {
      await broker.stop();
    }
  },

  fins: (client) => readWordPlc(client, 'fins', 'Omron FINS TCP'),

  qna3e: (client) => readWordPlc(client, 'qna3e', 'Mitsubishi 3E'),

  async iec104(client) {
    await using station = await listenIec104();
    const tags = [{ name: 'switch', address: '100', attribute: Attribute.READ, type: DataType.BIT }];
    await client.ok('POST', '/node', { name: 'iec104', plugin: 'IEC60870-5-104' });
    await client.ok('POST', '/group', { name: 'group', node: 'iec104', interval: 100 });
    await client.ok('POST', '/tags', { node: 'iec104', group: 'group', tags });
    const params = { host: '127.0.0.1', port: station.port };
    await client.ok('POST', '/node/setting', { node: 'iec104', params });
    await readValues(client, 'iec104', 'group');
  },

  async opcua(client) {
    const server = await OpcUaServer.start();
    try {
      const tags = [{ name: 'small', address: '1!Int16', attribute: Attribute.READ, type: DataType.INT16 }];
      await client.ok('POST', '/node', { name: 'opcua', plugin: 'OPC UA' });
      await client.ok('POST', '/group', { name: 'group', node: 'opcua', interval: 100 });
      await client.ok('POST', '/tags', { node: 'opcua', group: 'group', tags });
      await client.ok('POST', '/node/setting', { node: 'opcua', params: { url: server.url } });
      await readValues(client, 'opcua', 'group');
    } finally {
      await server.stop();
    }
  },

  async ads(client) {
    const plc = await AdsPlc.start();
    try {
      const tags = [
        { name: 'level', address: '0x4020,10', attribute: Attribute.READ, type: DataType.UINT16 },
        { name: 'text', address: '0x4020,100.8', attribute: Attribute.READ, type: DataType.STRING },
      ];
      await client.ok('POST', '/node', { name: 'ads', plugin: 'Beckhoff ADS' });
      await client.ok('POST', '/group', { name: 'group', node: 'ads', interval: 100 });
      await client.ok('POST', '/tags', { node: 'ads', group: 'group', tags });
      await client.ok('POST', '/node/setting', { node: 'ads', params: plc.settings });
      await readValues(client, 'ads', 'group');
    } finally {
      await plc.stop();
    }
  },

  async s7comm(client) {
    const plc = await S7Plc.start();
    try {
      const tags = [
        { name: 'level', address: 'DB1.DBW10', attribute: Attribute.READ, type: DataType.UINT16 },
        { name: 'pump', address: 'DB7.DBW0.3', attribute: Attribute.READ, type: DataType.BIT },
      ];
      await client.ok('POST', '/node', { name: 's7', plugin: 'Siemens S7 ISOTCP' });
      await client.ok('POST', '/group', { name: 'group', node: 's7', interval: 100 });
      await client.ok('POST', '/tags', { node: 's7', group: 'group', tags });
      await client.ok('POST', '/node/setting', { node: 's7', params: plc.settings });
      await readValues(client, 's7', 'group');
    } finally {
      await plc.stop();
    }
  },
};

describe('a gateway without a workspace around it', function () {
  this.timeout(180_000);
  let folder: string;
  let gateway: Gateway;
  let client: Client;

  before(async () => {
    folder = await emptyFolder();
    gateway = await Gateway.start({ main: await deployGateway(folder) });
    client = await gateway.client();
  });

  after(async () => {
    await gateway?.dispose();
    await removeFolder(folder);
  });

  it('has no plugins', async () => {
    expect(await client.ok('GET', '/plugin')).to.have.deep.property('plugins', []);
  });

  for (const { id, name } of plugins) {
    it(`installs ${name} from its archive, and runs it`, async () => {
      const work = works[id];
      if (work === undefined) throw new Error(`Say in this file how a node of ${id} is seen to work.`);
      const out = join(folder, id);
      await command(root, process.execPath, kit, 'pack', '--folder', join(root, 'plugins', id), '--out', out);
      const [archive = ''] = readdirSync(out);
      await client.ok('POST', '/plugin', await archiveBody(join(out, archive)), { within: 60_000 });
      await work(client, folder);
    });
  }
});
