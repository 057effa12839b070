import { Attribute, DataType } from '@tagway/schemas';
import type { TagBody } from '../configure.ts';
import { WordPlc } from '../word-plc.ts';
import { measureUploads, uploadsOf } from './data-path.ts';
import type { DataPathCase } from './data-path.ts';
import type { Run } from './run.ts';
import { addGroup, openStand } from './stand.ts';

export interface MeterCase extends DataPathCase {
  readonly id: 'dlt645' | 'nona11';
  readonly plugin: string;
  /** Settings beside place and port. */
  readonly params: object;
  readonly type: DataType;
  /** Address of the tag with this number. */
  readonly addressOf: (index: number) => string;
}

const size = { tags: 10_000, interval: 1_000, hasTargets: false };

/** Two digits of a data identifier. */
const hex = (value: number): string => value.toString(16).toUpperCase().padStart(2, '0');

export const meterCases: readonly MeterCase[] = [
  {
    name: 'DL/T645, 10k tags in 200 blocks @ 1 s',
    id: 'dlt645',
    plugin: 'DLT645-2007',
    params: { link: 1, mail_address: 161, timeout: 1000, interval: 0 },
    type: DataType.UINT32,
    addressOf: (index) => `00-${hex(Math.floor(index / 50))}-FF-00#${(index % 50) + 1}`,
    ...size,
  },
  {
    name: 'A11, 10k tags of 5 commands @ 1 s',
    id: 'nona11',
    plugin: 'NON A11',
    params: { site: 1, timeout: 1000, interval: 0 },
    type: DataType.UINT16,
    addressOf: (index) => `${1 + Math.floor(index / 2000)}!${2 * (index % 2000)}`,
    ...size,
  },
];

/** One group from a simulated meter or site to a subscriber; its first tag is a clock. */
export async function measureMeter(test: MeterCase, run: Run): Promise<void> {
  const device = await WordPlc.start(test.id);
  try {
    await using stand = await openStand(run);
    const tags = Array.from({ length: test.tags }, (_, index): TagBody => ({
      name: index === 0 ? 'clock' : `tag${index}`,
      address: test.addressOf(index),
      attribute: Attribute.READ,
      type: test.type,
    }));
    await stand.client.ok('POST', '/node', { name: 'plant', plugin: test.plugin });
    await addGroup(stand, 'plant', 'group', test.interval, tags);
    const params = { connection_mode: 0, host: '127.0.0.1', port: device.port, ...test.params };
    const start = (): Promise<unknown> => stand.client.ok('POST', '/node/setting', { node: 'plant', params });
    await measureUploads(test, uploadsOf(stand, start), run);
  } finally {
    await device.stop();
  }
}
