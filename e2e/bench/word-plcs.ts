import { Attribute, DataType } from '@tagway/schemas';
import type { TagBody } from '../configure.ts';
import { WordPlc } from '../word-plc.ts';
import { measureUploads, uploadsOf } from './data-path.ts';
import type { DataPathCase } from './data-path.ts';
import type { Run } from './run.ts';
import { addGroup, openStand } from './stand.ts';

export interface WordPlcCase extends DataPathCase {
  readonly id: 'fins' | 'qna3e';
  readonly plugin: string;
}

const size = { tags: 10_000, interval: 1_000, hasTargets: false };

export const wordPlcCases: readonly WordPlcCase[] = [
  { name: 'FINS, 10k tags @ 1 s', id: 'fins', plugin: 'Omron FINS TCP', ...size },
  { name: '3E, 10k tags @ 1 s', id: 'qna3e', plugin: 'Mitsubishi 3E', ...size },
];

/** UINT16 tags on consecutive words of D, the first of them the clock of the PLC. */
function words(count: number): TagBody[] {
  return Array.from({ length: count }, (_, index) => ({
    name: index === 0 ? 'clock' : `tag${index}`,
    address: `D${index}`,
    attribute: Attribute.READ,
    type: DataType.UINT16,
  }));
}

/** One group of words from a PLC to a subscriber. */
export async function measureWordPlc(test: WordPlcCase, run: Run): Promise<void> {
  const plc = await WordPlc.start(test.id);
  try {
    await using stand = await openStand(run);
    await stand.client.ok('POST', '/node', { name: 'plant', plugin: test.plugin });
    await addGroup(stand, 'plant', 'group', test.interval, words(test.tags));
    const params = { host: '127.0.0.1', port: plc.port };
    const start = (): Promise<unknown> => stand.client.ok('POST', '/node/setting', { node: 'plant', params });
    await measureUploads(test, uploadsOf(stand, start), run);
  } finally {
    await plc.stop();
  }
}
