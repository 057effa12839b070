import { expect } from 'chai';
import { ChangesTrial } from './changes-trial.ts';
import { tryMistakes } from './mistakes-trial.ts';
import { tryRefusals } from './refusals-trial.ts';
import { trySamples } from './samples-trial.ts';
import { tryPlugin, tryStaleCopy, tryUpgrades } from './service-trial.ts';
import { describePair } from './suite.ts';

describePair('what two gateways at one plant do for others', 23, false, ({ pair, pick, hasGate }) => {
  it('no acknowledged change is lost when members of etcd and gateways are killed', async () => {
    const { broken } = await new ChangesTrial(pair(), { count: 300, kills: 3, pick }).run();
    expect(broken).to.deep.equal([]);
  });

  it('1000 samples a second come through switches whole, and an edge node is born again at once', async () => {
    expect((await trySamples(pair(), 2)).broken).to.deep.equal([]);
  });

  it('upgrades one after the other hardly show', async () => {
    expect((await tryUpgrades(pair(), 2)).broken).to.deep.equal([]);
  });

  it('a gateway that is alone with an old copy of the configuration polls nothing', async () => {
    expect((await tryStaleCopy(pair())).broken).to.deep.equal([]);
  });

  it('a second start on one folder and a wrong name of the pair change nothing', async () => {
    expect((await tryMistakes(pair(), hasGate)).broken).to.deep.equal([]);
  });

  it('an etcd that is full or asks for a password is named, and polling goes on', async () => {
    expect((await tryRefusals(pair())).broken).to.deep.equal([]);
  });

  it('an installed plugin reaches the standby before a node that needs it', async () => {
    expect((await tryPlugin(pair())).broken).to.deep.equal([]);
  });
});
