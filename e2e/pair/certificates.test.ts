import { expect } from 'chai';
import { noCertificates, tryCertificates } from './certificates-trial.ts';
import { noGate } from './network.ts';

const skipped = noCertificates === undefined ? '' : ` (skipped: ${noCertificates})`;

(noCertificates === undefined ? describe : describe.skip)(
  `etcd behind TLS, for a pair${skipped}`,
  function () {
    this.timeout(300_000);

    it('knows gateways by certificates that are renewed while they run, and one without a good one hands over and says why', async () => {
      const { broken } = await tryCertificates({ hasGate: noGate === undefined, patience: 3 });
      expect(broken).to.deep.equal([]);
    });
  },
);
