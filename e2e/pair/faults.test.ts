import { expect } from 'chai';
import { random } from '../mutations.ts';
import { noClock } from './clock.ts';
import { brokenBy, tryFault } from './fault-trial.ts';
import { faults } from './faults.ts';
import { stopsWithin } from './judge.ts';
import { noGate } from './network.ts';
import { noPair, Pair } from './pair.ts';

const hasGate = noGate === undefined;
const ungated = hasGate ? '' : ` (without the gate of the kernel: ${noGate})`;
const skipped = noPair === undefined ? ungated : ` (skipped: ${noPair})`;
const seed = 21;

(noPair === undefined ? describe : describe.skip)(
  `faults of two gateways at one plant, with seed ${seed}${skipped}`,
  function () {
    this.timeout(180_000);
    const pick = random(seed);
    let pair: Pair;

    before(async () => {
      pair = await Pair.open({ hasGate, hasClock: noClock === undefined, patience: 3 });
      await pair.configure();
    });
    after(() => pair?.close());

    for (const fault of faults.filter(({ isQuick }) => isQuick === true)) {
      const reason = fault.needsClock === true ? noClock : undefined;
      const title = `${fault.kind}: never two poll, and the gap is as promised`;
      (reason === undefined ? it : it.skip)(reason ? `${title} (skipped: ${reason})` : title, async () => {
        expect(brokenBy(await tryFault(pair, fault, pick, hasGate), stopsWithin)).to.deep.equal([]);
      });
    }
  },
);
