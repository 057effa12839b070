import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DataType, RunningState, Attribute } from '@tagway/schemas';
import { hasMockCluster, MockCluster } from '@tagway/testkit/kafka-cluster';
import { MailServer } from '@tagway/testkit/mail-server';
import { hasPostgres, PostgresServer } from '@tagway/testkit/postgres-server';
import { expect } from 'chai';
import { AdsPlc } from '../world/ads-plc.ts';
import { BacnetDevice } from '../world/bacnet-device.ts';
import { Collector } from '../world/collector.ts';
import { startBroker } from '../world/brokers.ts';
import { Child } from './child.ts';
import { freePort } from './free-port.ts';
import type { Client } from './client.ts';
import {
  addDriver,
  addMqtt,
  addSparkplug,
  modbusSettings,
  registerTags,
  stateOf,
  type TagBody,
} from './configure.ts';
import { Device, deviceKinds, startSerialDevice } from '../world/devices.ts';
import { EtherNetIpPlc } from '../world/ethernetip-plc.ts';
import { listenIec104 } from '../world/iec104-station.ts';
import { OpcUaServer } from '../world/opcua-server.ts';
import { S7Plc } from '../world/s7-plc.ts';
import { SnmpAgent } from '../world/snmp-agent.ts';
import { WordPlc } from '../world/word-plc.ts';

const hasSerial =
  spawnSync('socat', ['-V'], { stdio: 'ignore' }).status === 0 && deviceKinds.includes('libmodbus');

/** Waits until a node, and where it is named a group of it, works; in a test that starts the gateway again, also after that. */
export type RunCheck = (node: string, group?: string) => Promise<void>;
type Work = (client: Client, runs: RunCheck, folder: string) => Promise<void>;

interface Peer {
  readonly settings: object;
  stop(): Promise<void>;
}

/** Reads tags of a device with a node of its own. */
function reads(
  plugin: string,
  start: () => Promise<Peer>,
  tags: readonly TagBody[],
  settings: object = {},
): Work {
  return async (client, runs) => {
    const device = await start();
    try {
      const node = `node of ${plugin}`;
      await addDriver(client, node, { plugin, tags, settings: { ...device.settings, ...settings } });
      await runs(node, 'group');
    } finally {
      await device.stop();
    }
  };
}

/** Connects a node with a broker. */
function connects(node: string, add: (client: Client, node: string, port: number) => Promise<void>): Work {
  return async (client, runs) => {
    const broker = await startBroker();
    try {
      await add(client, node, broker.port);
      await runs(node);
    } finally {
      await broker.stop();
    }
  };
}

/** Has an app try its connection to an HTTP server, up to a write of nothing; it connects for good with its first sample. */
function posts(plugin: string, settingsOf: (port: number) => object): Work {
  return async (client) => {
    const collector = await Collector.start();
    try {
      const params = settingsOf(collector.port);
      const { steps } = (await client.ok('POST', '/node/test', { plugin, params })) as unknown as {
        readonly steps: readonly { readonly step: string; readonly ok: boolean }[];
      };
      expect(steps.at(-1)).to.include({ step: 'write', ok: true });
      expect(collector.posted.length).to.equal(1);
      await client.ok('POST', '/node', { name: plugin, plugin, params });
      expect((await stateOf(client, plugin)).running).to.equal(RunningState.RUNNING);
    } finally {
      await collector.stop();
    }
  };
}

const readTag = (name: string, address: string, type: DataType): TagBody => ({
  name,
  address,
  type,
  attribute: Attribute.READ,
});

async function startModbus(): Promise<Peer> {
  const device = await Device.start();
  return { settings: modbusSettings(device.port), stop: () => device.stop() };
}

const word = [readTag('word', 'D7', DataType.UINT16)];
const meter = { mail_address: 161, timeout: 1000 };

/** Has a node of each plugin do its work once, by the plugin's id; the folder is for what that needs. */
const works: Readonly<Record<string, Work>> = {
  'modbus-tcp': reads('Modbus TCP', startModbus, registerTags(10)),

  async 'modbus-rtu'(client, runs, folder) {
    const add = (device: string): Promise<void> =>
      addDriver(client, 'rtu', {
        plugin: 'Modbus RTU',
        interval: 200,
        tags: registerTags(10),
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
      await runs('rtu', 'group');
    } finally {
      await cable.stop();
      await device.stop();
    }
  },

  calculation: reads('Calculation', () => Promise.resolve({ settings: {}, stop: () => Promise.resolve() }), [
    readTag('sum', '1.5 + 2', DataType.DOUBLE),
  ]),
  alarms: reads('Alarms', () => Promise.resolve({ settings: {}, stop: () => Promise.resolve() }), [
    readTag('never', 'condition(1 > 2)', DataType.STRING),
  ]),
  mqtt: connects('uplink', addMqtt),
  sparkplugb: connects('edge', addSparkplug),
  http: posts('HTTP', (port) => ({ url: `http://127.0.0.1:${port}` })),
  influxdb: posts('InfluxDB', (port) => ({ url: `http://127.0.0.1:${port}`, store: 0, database: 'plant' })),

  async notify(client, runs) {
    await using server = await MailServer.start();
    await client.ok('POST', '/node', { name: 'notify', plugin: 'Notify' });
    const mail = { smtp_host: '127.0.0.1', smtp_port: server.port, smtp_security: 2 };
    const params = { rules: 'duty = duty@example.com', from: 'gateway@example.com', ...mail };
    await client.ok('POST', '/node/setting', { node: 'notify', params });
    await runs('notify');
  },

  async link(client, runs) {
    await client.ok('POST', '/node', { name: 'links', plugin: 'Link' });
    await client.ok('POST', '/node/setting', { node: 'links', params: {} });
    await runs('links');
  },

  async postgresql(client, runs) {
    if (!hasPostgres) return;
    await using server = await PostgresServer.start();
    await client.ok('POST', '/node', { name: 'history', plugin: 'PostgreSQL' });
    const params = { host: '127.0.0.1', port: server.port, database: 'plant', user: 'postgres' };
    await client.ok('POST', '/node/setting', { node: 'history', params });
    await runs('history');
  },

  async 'opcua-server'(client, runs) {
    await client.ok('POST', '/node', { name: 'opc', plugin: 'OPC UA Server' });
    await client.ok('POST', '/node/setting', {
      node: 'opc',
      params: { host: '127.0.0.1', port: await freePort() },
    });
    await runs('opc');
  },

  async 'iec104-server'(client, runs) {
    await client.ok('POST', '/node', { name: 'control', plugin: 'IEC60870-5-104 Server' });
    await client.ok('POST', '/node/setting', {
      node: 'control',
      params: { host: '127.0.0.1', port: await freePort() },
    });
    await runs('control');
  },

  async 'modbus-server'(client, runs) {
    await client.ok('POST', '/node', { name: 'registers', plugin: 'Modbus Server' });
    await client.ok('POST', '/node/setting', {
      node: 'registers',
      params: { medium: 0, host: '127.0.0.1', port: await freePort() },
    });
    await runs('registers');
    // The native module was found: a port that is absent is waited for.
    await client.ok('POST', '/node', { name: 'line', plugin: 'Modbus Server' });
    await client.ok('POST', '/node/setting', {
      node: 'line',
      params: { medium: 1, device: '/dev/absent', baud: 4, parity: 0, stop: 0 },
    });
    expect((await stateOf(client, 'line')).running).to.equal(RunningState.RUNNING);
  },

  async kafka(client, runs) {
    if (!hasMockCluster) return;
    await using cluster = await MockCluster.start();
    await client.ok('POST', '/node', { name: 'stream', plugin: 'Kafka' });
    const params = { brokers: `127.0.0.1:${cluster.port}` };
    await client.ok('POST', '/node/setting', { node: 'stream', params });
    await runs('stream');
  },

  fins: reads('Omron FINS TCP', () => WordPlc.start('fins'), word),
  qna3e: reads('Mitsubishi 3E', () => WordPlc.start('qna3e'), word),
  iec104: reads('IEC60870-5-104', listenIec104, [readTag('switch', '100', DataType.BIT)]),

  async dlt645(client, runs, folder) {
    const serial = { link: 0, device: join(folder, 'absent'), stop: 0, parity: 2, baud: 4, data: 3 };
    await client.ok('POST', '/node', { name: 'meters', plugin: 'DLT645-2007' });
    await client.ok('POST', '/node/setting', { node: 'meters', params: { ...serial, ...meter } });
    // The native module was found: a port that is absent is waited for.
    expect((await stateOf(client, 'meters')).running).to.equal(RunningState.RUNNING);
    const tags = [readTag('value', '00-01-FF-00#1', DataType.UINT32)];
    const settings = { connection_mode: 0, link: 1, ...meter };
    await reads('DLT645-2007', () => WordPlc.start('dlt645'), tags, settings)(client, runs, folder);
  },

  nona11: reads('NON A11', () => WordPlc.start('nona11'), [readTag('value', '3!4', DataType.UINT32)], {
    connection_mode: 0,
    site: 1,
  }),
  opcua: reads('OPC UA', () => OpcUaServer.start(), [readTag('small', '1!Int16', DataType.INT16)]),
  ads: reads('Beckhoff ADS', () => AdsPlc.start(), [
    readTag('level', '0x4020,10', DataType.UINT16),
    readTag('text', '0x4020,100.8', DataType.STRING),
  ]),
  s7comm: reads('Siemens S7 ISOTCP', () => S7Plc.start(), [
    readTag('level', 'DB1.DBW10', DataType.UINT16),
    readTag('pump', 'DB7.DBW0.3', DataType.BIT),
  ]),
  ethernetip: reads('EtherNet/IP', () => EtherNetIpPlc.start(), [
    readTag('level', 'Words[7]', DataType.UINT16),
    readTag('pump', 'Pump', DataType.BOOL),
  ]),
  bacnet: reads('BACnet/IP', () => BacnetDevice.start(), [
    readTag('supply', 'AI1', DataType.FLOAT),
    readTag('clock', 'MSI2', DataType.UINT16),
  ]),
  snmp: reads('SNMP', () => SnmpAgent.start(), [
    readTag('time', 'sysUpTime', DataType.UINT32),
    readTag('received', 'ifInOctets.1', DataType.UINT32),
  ]),
};

/** Has a node of a plugin do its work once. */
export function workOf(id: string): Work {
  const work = works[id];
  if (work === undefined) throw new Error(`Say in this file how a node of ${id} is seen to work.`);
  return work;
}
