import { Attribute, DataType } from '@tagway/schemas';
import { BacnetDevice } from '../bacnet-device.ts';
import type { TagBody } from '../configure.ts';
import { measureUploads, uploadsOf } from './data-path.ts';
import type { DataPathCase } from './data-path.ts';
import type { Run } from './run.ts';
import { addGroup, openStand } from './stand.ts';

export const bacnetCases: readonly DataPathCase[] = [
  { name: 'BACnet, 2k objects @ 1 s', tags: 2_000, interval: 1_000, hasTargets: false },
];

/** Present values of as many objects, the first of them the clock of the device. */
function presentValues(count: number): TagBody[] {
  return Array.from({ length: count }, (_, index) => ({
    name: index === 0 ? 'clock' : `tag${index}`,
    address: index === 0 ? 'MSI0' : `AI${index}`,
    attribute: Attribute.READ,
    type: index === 0 ? DataType.UINT16 : DataType.FLOAT,
  }));
}

/** One group of objects from a device to a subscriber. */
export async function measureBacnet(test: DataPathCase, run: Run): Promise<void> {
  const device = await BacnetDevice.start();
  try {
    await using stand = await openStand(run);
    await stand.client.ok('POST', '/node', { name: 'plant', plugin: 'BACnet/IP' });
    await addGroup(stand, 'plant', 'group', test.interval, presentValues(test.tags));
    const start = (): Promise<unknown> =>
      stand.client.ok('POST', '/node/setting', { node: 'plant', params: device.settings });
    await measureUploads(test, uploadsOf(stand, start), run);
  } finally {
    await device.stop();
  }
}
