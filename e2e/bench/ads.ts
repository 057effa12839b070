import { Attribute, DataType } from '@tagway/schemas';
import { AdsPlc } from '../ads-plc.ts';
import type { TagBody } from '../configure.ts';
import { measureUploads, uploadsOf } from './data-path.ts';
import type { DataPathCase } from './data-path.ts';
import type { Run } from './run.ts';
import { addGroup, openStand } from './stand.ts';

export const adsCases: readonly DataPathCase[] = [
  { name: 'ADS, 10k tags @ 1 s', tags: 10_000, interval: 1_000, hasTargets: false },
];

/** UINT16 tags on consecutive words, the first of them the clock of the controller. */
function words(count: number): TagBody[] {
  return Array.from({ length: count }, (_, index) => ({
    name: index === 0 ? 'clock' : `tag${index}`,
    address: `0x4020,${2 * index}`,
    attribute: Attribute.READ,
    type: DataType.UINT16,
  }));
}

/** One group of words from a controller to a subscriber. */
export async function measureAds(test: DataPathCase, run: Run): Promise<void> {
  const plc = await AdsPlc.start();
  try {
    await using stand = await openStand(run);
    await stand.client.ok('POST', '/node', { name: 'plant', plugin: 'Beckhoff ADS' });
    await addGroup(stand, 'plant', 'group', test.interval, words(test.tags));
    const start = (): Promise<unknown> =>
      stand.client.ok('POST', '/node/setting', { node: 'plant', params: plc.settings });
    await measureUploads(test, uploadsOf(stand, start), run);
  } finally {
    await plc.stop();
  }
}
