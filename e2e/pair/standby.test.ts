import { expect } from 'chai';
import { noDisk, tryBusySwitches, tryFullDisk, tryWipedEtcd } from './standby-trial.ts';
import { describePair } from './suite.ts';

describePair('a standby that cannot take over what it should', 25, false, ({ pair }) => {
  const skipped = noDisk === undefined ? '' : ` (skipped: ${noDisk})`;
  (noDisk === undefined ? it : it.skip)(
    `with a full disk is behind and not ready, and takes over all of it once there is space${skipped}`,
    async () => {
      expect((await tryFullDisk(pair())).broken).to.deep.equal([]);
    },
  );

  it('is handed the plant also while the configuration is changed all the time', async () => {
    expect((await tryBusySwitches(pair(), 4)).broken).to.deep.equal([]);
  });

  it('does not make an old configuration that of the pair when etcd was wiped', async () => {
    expect((await tryWipedEtcd(pair())).broken).to.deep.equal([]);
  });
});
