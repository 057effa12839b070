import { sleep } from '../until.ts';
import type { Run } from './run.ts';

/** Messages after which V8 has compiled what runs once for each of them; it does so late (host/src/core/late-optimizing.ts). */
export const warmMessages = 1_200;

/**
 * Waits before a window begins at something that comes so many times a second. A gateway runs for years, so a whole run watches one that is
 * warm; a quick one tells what the first seconds after a start cost.
 */
export const warmUp = ({ quick }: Run, perSecond: number): Promise<void> =>
  sleep(quick ? 3_000 : Math.max(10_000, (warmMessages / perSecond) * 1_000));
