import { DataType } from '@tagway/schemas';
import { AdsPlc } from '../world/ads-plc.ts';
import { BacnetDevice } from '../world/bacnet-device.ts';
import { OpcUaServer } from '../world/opcua-server.ts';
import { SnmpAgent } from '../world/snmp-agent.ts';
import { EtherNetIpPlc } from '../world/ethernetip-plc.ts';
import { S7Plc } from '../world/s7-plc.ts';
import { WordPlc } from '../world/word-plc.ts';
import type { PolledCase } from './polled.ts';
import type { Source } from './publisher.ts';

/** Registers whose number is two printable characters from "0" to "o": 64 blocks of 64 registers. */
const blocks = 64;
const printable = 0x30;

/** Kinds of tags, each with the register at which the one with this number begins; the device holds `n` in register `n`. */
const kinds: readonly { type: DataType; length: string; registerOf: (number: number) => number }[] = [
  // From 0x4100 on: 8.06 and more.
  { type: DataType.FLOAT, length: '', registerOf: (number) => 0x4100 + 2 * (number % 1000) },
  {
    type: DataType.STRING,
    length: '.8',
    registerOf: (number) =>
      ((printable + (Math.floor(number / 16) % blocks)) << 8) + printable + 4 * (number % 16),
  },
  { type: DataType.INT64, length: '', registerOf: (number) => 20_000 + 4 * (number % 2500) },
  { type: DataType.UINT64, length: '', registerOf: (number) => 40_000 + 4 * (number % 2500) },
];

/** Values that are no small integers: tags of all kinds in turn, on as many units as it takes. */
const mixed: Source = {
  // Values stay as they are, because registers that count on their own make texts and singles that are none.
  fastDevice: { changing: 1 },
  tagAt(index) {
    if (index === 0) return { address: '1!400001', type: DataType.INT16 };
    const number = Math.floor(index / kinds.length);
    const { type, length, registerOf } = kinds[index % kinds.length]!;
    const register = String(1 + registerOf(number)).padStart(5, '0');
    return { address: `${1 + Math.floor(number / 1000)}!4${register}${length}`, type };
  },
};

function polled(name: string, source: Source, { tags = 10_000, interval = 1_000 } = {}): PolledCase {
  return { name, tags, interval, source };
}

const fast = { interval: 100 };

export const mixedCase = polled('FLOAT, STRING and 64 bits, 10k @ 100 ms', mixed, fast);

/** Variables of a server of which a tenth changes every 100 ms; the first is the server's clock. */
export const opcUa = (counting: number, settings: object = {}): Source => ({
  plugin: 'OPC UA',
  start: () => OpcUaServer.start({ counting, every: 100 }),
  settings: ({ port }) => ({ url: `opc.tcp://127.0.0.1:${port}/`, ...settings }),
  tagAt: (index) => ({ address: `1!tag${index}`, type: DataType.INT16 }),
});

/** UINT16 tags on consecutive words. */
const words =
  (addressAt: (index: number) => string): Source['tagAt'] =>
  (index) => ({ address: addressAt(index), type: DataType.UINT16 });

/** Two digits of a data identifier. */
const hex = (value: number): string => value.toString(16).toUpperCase().padStart(2, '0');

/** Settings of a driver that asks its device over TCP, one request after the other without a pause. */
const overTcp = { connection_mode: 0, timeout: 1000, interval: 0 };

/** One group of each driver, from a simulated device to a subscriber. */
export const driverCases: readonly PolledCase[] = [
  polled('OPC UA, 10k tags polled @ 1 s', opcUa(10_000)),
  polled(
    'OPC UA, 10k tags monitored @ 100 ms',
    opcUa(10_000, { update_mode: 1, publishing_interval: 100 }),
    fast,
  ),
  polled('ADS, 10k tags @ 1 s', {
    plugin: 'Beckhoff ADS',
    start: () => AdsPlc.start(),
    tagAt: words((index) => `0x4020,${2 * index}`),
  }),
  polled('S7, 10k tags @ 1 s', {
    plugin: 'Siemens S7 ISOTCP',
    start: () => S7Plc.start(),
    tagAt: words((index) => `DB1.DBW${2 * index}`),
  }),
  polled('EtherNet/IP, 10k tags @ 1 s', {
    plugin: 'EtherNet/IP',
    start: () => EtherNetIpPlc.start(),
    tagAt: words((index) => `Words[${index}]`),
  }),
  polled('FINS, 10k tags @ 1 s', {
    plugin: 'Omron FINS TCP',
    start: () => WordPlc.start('fins'),
    tagAt: words((index) => `D${index}`),
  }),
  polled('3E, 10k tags @ 1 s', {
    plugin: 'Mitsubishi 3E',
    start: () => WordPlc.start('qna3e'),
    tagAt: words((index) => `D${index}`),
  }),
  polled('DL/T645, 10k tags in 200 blocks @ 1 s', {
    plugin: 'DLT645-2007',
    start: () => WordPlc.start('dlt645'),
    settings: ({ settings }) => ({ ...settings, ...overTcp, link: 1, mail_address: 161 }),
    tagAt: (index) => ({
      address: `00-${hex(Math.floor(index / 50))}-FF-00#${index % 50}`,
      type: DataType.UINT32,
    }),
  }),
  polled('A11, 10k tags of 5 commands @ 1 s', {
    plugin: 'NON A11',
    start: () => WordPlc.start('nona11'),
    settings: ({ settings }) => ({ ...settings, ...overTcp, site: 1 }),
    tagAt: words((index) => `${1 + Math.floor(index / 2000)}!${2 * (index % 2000)}`),
  }),
  polled(
    'BACnet, 2k objects @ 1 s',
    {
      plugin: 'BACnet/IP',
      start: () => BacnetDevice.start(),
      tagAt: (index) =>
        index === 0
          ? { address: 'MSI0', type: DataType.UINT16 }
          : { address: `AI${index}`, type: DataType.FLOAT },
    },
    { tags: 2_000 },
  ),
  polled(
    'SNMP, 2k objects @ 1 s',
    {
      plugin: 'SNMP',
      start: () => SnmpAgent.start(),
      tagAt: (index) => ({
        // The first is a clock.
        address: index === 0 ? '1.3.6.1.4.1.99999.0.0' : `1.3.6.1.4.1.99999.${index}.1`,
        type: DataType.UINT32,
      }),
    },
    { tags: 2_000 },
  ),
];
