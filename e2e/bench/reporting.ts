import { int16Tags } from './plant.ts';
import type { PublishingGateway } from './publisher.ts';
import type { MeasureContext } from './setup.ts';
import { measureSideBySide } from './side-by-side.ts';

export const reportingName = 'deadband and pace beside neither, 10k @ 100 ms';

const job = { tags: 10_000, interval: 100 };

/** Every reading of the device differs from the one before by more than that, so that both gateways publish the same. */
const deadband = 5;
/** All tags are compared with what was reported; the shortest pause is below the interval and holds nothing back, the longest is an hour and makes nothing due. */
const pace = { report: 'change', min_interval: 50, max_interval: 3_600_000 };

async function setDeadbands({ client }: PublishingGateway): Promise<void> {
  const tags = int16Tags(job.tags).map((tag) => ({ ...tag, deadband }));
  await client.ok('PUT', '/tags', { node: 'plant', group: 'group', tags }, { within: 120_000 });
}

async function setPace({ client }: PublishingGateway): Promise<void> {
  await client.ok('PUT', '/group', { node: 'plant', group: 'group', ...pace });
}

/** Two gateways without deadband and pace, one with each. */
export function measureReporting(run: MeasureContext): Promise<void> {
  return measureSideBySide(
    reportingName,
    job,
    [
      { what: 'neither' },
      { what: 'neither, once more' },
      { what: 'a deadband on every tag', prepare: setDeadbands, most: 1.05 },
      { what: 'a pace of the group', prepare: setPace, most: 1.05 },
    ],
    run,
  );
}
