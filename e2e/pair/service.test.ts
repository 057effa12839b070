import { expect } from 'chai';
import { random } from '../mutations.ts';
import { ChangesTrial } from './changes-trial.ts';
import { noGate } from './network.ts';
import { noPair, Pair } from './pair.ts';
import { trySamples } from './samples-trial.ts';
import { tryPlugin, tryStaleCopy, tryUpgrades } from './service-trial.ts';

const hasGate = noGate === undefined;
const ungated = hasGate ? '' : ` (without the gate of the kernel: ${noGate})`;
const skipped = noPair === undefined ? ungated : ` (skipped: ${noPair})`;
const seed = 23;

(noPair === undefined ? describe : describe.skip)(
  `what two gateways at one plant do for others, with seed ${seed}${skipped}`,
  function () {
    this.timeout(180_000);
    const pick = random(seed);
    let pair: Pair;

    before(async () => {
      pair = await Pair.open({ hasGate, patience: 3 });
      await pair.configure();
    });
    after(() => pair?.close());

    it('no acknowledged change is lost when members of etcd and gateways are killed', async () => {
      const { broken } = await new ChangesTrial(pair, { count: 300, kills: 3, pick }).run();
      expect(broken).to.deep.equal([]);
    });

    it('1000 samples a second come through switches whole, and an edge node is born again at once', async () => {
      expect((await trySamples(pair, 2)).broken).to.deep.equal([]);
    });

    it('upgrades one after the other hardly show', async () => {
      expect((await tryUpgrades(pair, 2)).broken).to.deep.equal([]);
    });

    it('a gateway that is alone with an old copy of the configuration polls nothing', async () => {
      expect((await tryStaleCopy(pair)).broken).to.deep.equal([]);
    });

    it('an installed plugin reaches the standby before a node that needs it', async () => {
      expect((await tryPlugin(pair)).broken).to.deep.equal([]);
    });
  },
);
