import { expect } from 'chai';
import { random } from '../mutations.ts';
import { brokenBy, tryFault } from './fault-trial.ts';
import { faults } from './faults.ts';
import { stopsWithin } from './judge.ts';
import { noPair, Pair } from './pair.ts';

const skipped = noPair === undefined ? '' : ` (skipped: ${noPair})`;
const seed = Date.now() % 1_000_000;

(noPair === undefined ? describe : describe.skip)(
  `faults of two gateways at one plant, with seed ${seed}${skipped}`,
  function () {
    this.timeout(180_000);
    const pick = random(seed);
    let pair: Pair;

    before(async () => {
      pair = await Pair.open();
      await pair.configure();
    });
    after(() => pair?.close());

    for (const fault of faults.filter(({ isQuick }) => isQuick === true)) {
      it(`${fault.kind}: never two poll, and the gap is as promised`, async () => {
        expect(brokenBy(await tryFault(pair, fault, pick, true), stopsWithin)).to.deep.equal([]);
      });
    }
  },
);
