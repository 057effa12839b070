import { random } from '../kit/mutations.ts';
import type { Pick } from './faults.ts';
import { noGate } from './network.ts';
import { noPair, Pair } from './pair.ts';

/** What the tests of a suite share. */
interface Shared {
  readonly pick: Pick;
  readonly hasGate: boolean;
  /** To be asked for in tests alone: it is opened before the first one. */
  readonly pair: () => Pair;
}

/** A suite about one pair of gateways with its plant; skipped, with the reason in its title, where that cannot be. */
export function describePair(
  title: string,
  seed: number,
  hasClock: boolean,
  tests: (shared: Shared) => void,
): void {
  const hasGate = noGate === undefined;
  const ungated = hasGate ? '' : ` (without the gate of the kernel: ${noGate})`;
  const skipped = noPair === undefined ? ungated : ` (skipped: ${noPair})`;
  (noPair === undefined ? describe : describe.skip)(`${title}, with seed ${seed}${skipped}`, function () {
    this.timeout(180_000);
    let pair: Pair;
    before(async () => {
      pair = await Pair.open({ hasGate, hasClock, patience: 3 });
      await pair.configure();
    });
    after(() => pair?.[Symbol.asyncDispose]());
    tests({ pick: random(seed), hasGate, pair: () => pair });
  });
}
