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
  addDriver,
  addModbus,
  addMqtt,
  addSparkplug,
  connected,
  readValues,
  registerTags,
  stateOf,
  type DriverOptions,
  type TagBody,
} from './configure.ts';
import { Device, deviceKinds, startSerialDevice } from './devices.ts';
import { listenIec104 } from './iec104-station.ts';
import { OpcUaServer } from './opcua-server.ts';
import { S7Plc } from './s7-plc.ts';
import { WordPlc } from './word-plc.ts';

const hasSerial =
  spawnSync('socat', ['-V'], { stdio: 'ignore' }).status === 0 && deviceKinds.includes('libmodbus');

/** Reads tags of a device, which is stopped afterwards, with a node of its own. */
async function readDevice(
  client: Client,
  node: string,
  starting: Promise<{ readonly settings: object; stop(): Promise<void> }>,
  options: Pick<DriverOptions, 'plugin' | 'tags'> & { readonly settings?: object },
): Promise<void> {
  const device = await starting;
  try {
    await addDriver(client, node, { ...options, settings: { ...device.settings, ...options.settings } });
    await readValues(client, node, 'group');
  } finally {
    await device.stop();
  }
}

const readTag = (name: string, address: string, type: DataType): TagBody => ({
  ...{ name, address, type },
  attribute: Attribute.READ,
});

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
    const add = (device: string): Promise<void> =>
      addDriver(client, 'rtu', {
        ...{ plugin: 'Modbus RTU', interval: 200, tags: registerTags(10) },
        settings: { link: 0, timeout: 1000, device, stop: 0, parity: 0, baud: 0, data: 3, interval: 0 },
      });
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

  fins: (client) =>
    readDevice(client, 'fins', WordPlc.start('fins'), {
      plugin: 'Omron FINS TCP',
      tags: [readTag('word', 'D7', DataType.UINT16)],
    }),

  qna3e: (client) =>
    readDevice(client, 'qna3e', WordPlc.start('qna3e'), {
      plugin: 'Mitsubishi 3E',
      tags: [readTag('word', 'D7', DataType.UINT16)],
    }),

  async iec104(client) {
    await using station = await listenIec104();
    await addDriver(client, 'iec104', {
      plugin: 'IEC60870-5-104',
      tags: [readTag('switch', '100', DataType.BIT)],
      settings: { host: '127.0.0.1', port: station.port },
    });
    await readValues(client, 'iec104', 'group');
  },

  async dlt645(client, folder) {
    const serial = { link: 0, device: join(folder, 'absent'), stop: 0, parity: 2, baud: 4, data: 3 };
    const shared = { mail_address: 161, timeout: 1000 };
    await client.ok('POST', '/node', { name: 'meters', plugin: 'DLT645-2007' });
    await client.ok('POST', '/node/setting', { node: 'meters', params: { ...serial, ...shared } });
    // The native module was found: a port that is absent is waited for.
    expect((await stateOf(client, 'meters')).running).to.equal(RunningState.RUNNING);
    await readDevice(client, 'dlt645', WordPlc.start('dlt645'), {
      plugin: 'DLT645-2007',
      tags: [readTag('value', '00-01-FF-00#2', DataType.UINT32)],
      settings: { connection_mode: 0, link: 1, ...shared },
    });
  },

  nona11: (client) =>
    readDevice(client, 'nona11', WordPlc.start('nona11'), {
      plugin: 'NON A11',
      tags: [readTag('value', '3!4', DataType.UINT32)],
      settings: { connection_mode: 0, site: 1 },
    }),

  async opcua(client) {
    const server = await OpcUaServer.start();
    try {
      const tags = [readTag('small', '1!Int16', DataType.INT16)];
      await addDriver(client, 'opcua', { plugin: 'OPC UA', tags, settings: { url: server.url } });
      await readValues(client, 'opcua', 'group');
    } finally {
      await server.stop();
    }
  },

  ads: (client) =>
    readDevice(client, 'ads', AdsPlc.start(), {
      plugin: 'Beckhoff ADS',
      tags: [
        readTag('level', '0x4020,10', DataType.UINT16),
        readTag('text', '0x4020,100.8', DataType.STRING),
      ],
    }),

  s7comm: (client) =>
    readDevice(client, 's7', S7Plc.start(), {
      plugin: 'Siemens S7 ISOTCP',
      tags: [readTag('level', 'DB1.DBW10', DataType.UINT16), readTag('pump', 'DB7.DBW0.3', DataType.BIT)],
    }),

  bacnet: (client) =>
    readDevice(client, 'building', BacnetDevice.start(), {
      plugin: 'BACnet/IP',
      tags: [readTag('supply', 'AI1', DataType.FLOAT), readTag('clock', 'MSI2', DataType.UINT16)],
    }),
};

/** Has a node of a plugin do its work once. */
export function workOf(id: string): (client: Client, folder: string) => Promise<void> {
  const work = works[id];
  if (work === undefined) throw new Error(`Say in this file how a node of ${id} is seen to work.`);
  return work;
}
