import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DataType, RunningState, Attribute } from '@tagway/schemas';
import { expect } from 'chai';
import { AdsPlc } from './ads-plc.ts';
import { BacnetDevice } from './bacnet-device.ts';
import { startBroker } from './brokers.ts';
import { Child } from './child.ts';
import type { Client } from './client.ts';
import {
  addModbus,
  addMqtt,
  addSparkplug,
  connected,
  readValues,
  registerTags,
  stateOf,
} from './configure.ts';
import { Device, deviceKinds, startSerialDevice } from './devices.ts';
import { listenIec104 } from './iec104-station.ts';
import { OpcUaServer } from './opcua-server.ts';
import { S7Plc } from './s7-plc.ts';
import { WordPlc } from './word-plc.ts';

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

async function readMeter(
  client: Client,
  id: 'dlt645' | 'nona11',
  { plugin, address, params }: { plugin: string; address: string; params: object },
): Promise<void> {
  const meter = await WordPlc.start(id);
  try {
    const tags = [{ name: 'value', address, attribute: Attribute.READ, type: DataType.UINT32 }];
    await client.ok('POST', '/node', { name: id, plugin });
    await client.ok('POST', '/group', { name: 'group', node: id, interval: 100 });
    await client.ok('POST', '/tags', { node: id, group: 'group', tags });
    const place = { connection_mode: 0, host: '127.0.0.1', port: meter.port };
    await client.ok('POST', '/node/setting', { node: id, params: { ...place, ...params } });
    await readValues(client, id, 'group');
  } finally {
    await meter.stop();
  }
}

/** Has a node of each plugin do its work once, by the plugin's id; the folder is for what that needs. */
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

  async dlt645(client, folder) {
    const serial = { link: 0, device: join(folder, 'absent'), stop: 0, parity: 2, baud: 4, data: 3 };
    const shared = { mail_address: 161, timeout: 1000 };
    await client.ok('POST', '/node', { name: 'meters', plugin: 'DLT645-2007' });
    await client.ok('POST', '/node/setting', { node: 'meters', params: { ...serial, ...shared } });
    // The native module was found: a port that is absent is waited for.
    expect((await stateOf(client, 'meters')).running).to.equal(RunningState.RUNNING);
    await readMeter(client, 'dlt645', {
      plugin: 'DLT645-2007',
      address: '00-01-FF-00#2',
      params: { link: 1, ...shared },
    });
  },

  nona11: (client) => readMeter(client, 'nona11', { plugin: 'NON A11', address: '3!4', params: { site: 1 } }),

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

  async bacnet(client) {
    const device = await BacnetDevice.start();
    try {
      const tags = [
        { name: 'supply', address: 'AI1', attribute: Attribute.READ, type: DataType.FLOAT },
        { name: 'clock', address: 'MSI2', attribute: Attribute.READ, type: DataType.UINT16 },
      ];
      await client.ok('POST', '/node', { name: 'building', plugin: 'BACnet/IP' });
      await client.ok('POST', '/group', { name: 'group', node: 'building', interval: 100 });
      await client.ok('POST', '/tags', { node: 'building', group: 'group', tags });
      await client.ok('POST', '/node/setting', { node: 'building', params: device.settings });
      await readValues(client, 'building', 'group');
    } finally {
      await device.stop();
    }
  },
};

/** Has a node of a plugin do its work once. */
export function workOf(id: string): (client: Client, folder: string) => Promise<void> {
  const work = works[id];
  if (work === undefined) throw new Error(`Say in this file how a node of ${id} is seen to work.`);
  return work;
}
