import { expect } from 'chai';
import { noClock } from './clock.ts';
import { brokenBy, tryFault } from './fault-trial.ts';
import { faults } from './faults.ts';
import { stopsWithin } from './judge.ts';
import { describePair } from './suite.ts';

describePair('faults of two gateways at one plant', 21, noClock === undefined, ({ pair, pick, hasGate }) => {
  for (const fault of faults.filter(({ isQuick }) => isQuick === true)) {
    const reason = fault.needsClock === true ? noClock : undefined;
    const title = `${fault.kind}: never two poll, and the gap is as promised`;
    (reason === undefined ? it : it.skip)(reason ? `${title} (skipped: ${reason})` : title, async () => {
      expect(brokenBy(await tryFault(pair(), fault, pick, hasGate), stopsWithin)).to.deep.equal([]);
    });
  }
});
