import { Attribute, DataType } from '@tagway/schemas';
import { AdsPlc } from '../ads-plc.ts';
import { BacnetDevice } from '../bacnet-device.ts';
import type { TagBody } from '../configure.ts';
import type { DeviceProcess } from '../device-process.ts';
import { S7Plc } from '../s7-plc.ts';
import { WordPlc } from '../word-plc.ts';
import { measureUploads, uploadsOf } from './data-path.ts';
import type { DataPathCase } from './data-path.ts';
import type { Run } from './run.ts';
import { addGroup, openStand } from './stand.ts';

/** A driver with a simulated device. */
export interface DriverCase extends DataPathCase {
  readonly plugin: string;
  readonly start: () => Promise<DeviceProcess>;
  /** Settings beside those of the device. */
  readonly settings?: object;
  /** The tag with this number; 0 is the clock of the device. */
  readonly tagAt: (index: number) => Pick<TagBody, 'address' | 'type'>;
}

const size = { tags: 10_000, interval: 1_000, hasTargets: false };

/** UINT16 tags on consecutive words. */
const words =
  (addressAt: (index: number) => string): DriverCase['tagAt'] =>
  (index) => ({ address: addressAt(index), type: DataType.UINT16 });

/** Two digits of a data identifier. */
const hex = (value: number): string => value.toString(16).toUpperCase().padStart(2, '0');

export const driverCases: readonly DriverCase[] = [
  {
    ...{ ...size, name: 'ADS, 10k tags @ 1 s', plugin: 'Beckhoff ADS' },
    start: () => AdsPlc.start(),
    tagAt: words((index) => `0x4020,${2 * index}`),
  },
  {
    ...{ ...size, name: 'S7, 10k tags @ 1 s', plugin: 'Siemens S7 ISOTCP' },
    start: () => S7Plc.start(),
    tagAt: words((index) => `DB1.DBW${2 * index}`),
  },
  {
    ...{ ...size, name: 'FINS, 10k tags @ 1 s', plugin: 'Omron FINS TCP' },
    start: () => WordPlc.start('fins'),
    tagAt: words((index) => `D${index}`),
  },
  {
    ...{ ...size, name: '3E, 10k tags @ 1 s', plugin: 'Mitsubishi 3E' },
    start: () => WordPlc.start('qna3e'),
    tagAt: words((index) => `D${index}`),
  },
  {
    ...{ ...size, name: 'DL/T645, 10k tags in 200 blocks @ 1 s', plugin: 'DLT645-2007' },
    start: () => WordPlc.start('dlt645'),
    settings: { connection_mode: 0, link: 1, mail_address: 161, timeout: 1000, interval: 0 },
    tagAt: (index) => ({
      address: `00-${hex(Math.floor(index / 50))}-FF-00#${(index % 50) + 1}`,
      type: DataType.UINT32,
    }),
  },
  {
    ...{ ...size, name: 'A11, 10k tags of 5 commands @ 1 s', plugin: 'NON A11' },
    start: () => WordPlc.start('nona11'),
    settings: { connection_mode: 0, site: 1, timeout: 1000, interval: 0 },
    tagAt: words((index) => `${1 + Math.floor(index / 2000)}!${2 * (index % 2000)}`),
  },
  {
    ...{ ...size, tags: 2_000, name: 'BACnet, 2k objects @ 1 s', plugin: 'BACnet/IP' },
    start: () => BacnetDevice.start(),
    tagAt: (index) =>
      index === 0
        ? { address: 'MSI0', type: DataType.UINT16 }
        : { address: `AI${index}`, type: DataType.FLOAT },
  },
];

/** One group from a simulated device to a subscriber. */
export async function measureDriver(test: DriverCase, run: Run): Promise<void> {
  const device = await test.start();
  try {
    await using stand = await openStand(run);
    const tags = Array.from({ length: test.tags }, (_, index) => ({
      ...test.tagAt(index),
      name: index === 0 ? 'clock' : `tag${index}`,
      attribute: Attribute.READ,
    }));
    await stand.client.ok('POST', '/node', { name: 'plant', plugin: test.plugin });
    await addGroup(stand, 'plant', 'group', test.interval, tags);
    const params = { ...device.settings, ...test.settings };
    const start = (): Promise<unknown> => stand.client.ok('POST', '/node/setting', { node: 'plant', params });
    await measureUploads(test, uploadsOf(stand, start), run);
  } finally {
    await device.stop();
  }
}
