import { expect } from 'chai';
import { ErrorCode } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { Bench, driverPlugin } from './harness.ts';

describe('more changes at once than may wait', () => {
  it('are refused as busy, and the others are made', async () => {
    await using bench = await Bench.open();
    const { gateway } = bench;
    await gateway.addNode({ name: 'd', plugin: driverPlugin.name });
    const asked = Array.from({ length: 1100 }, (_, index) => gateway.addGroup('d', `g${index}`, 1000));
    const refusals = (await Promise.allSettled(asked)).filter(({ status }) => status === 'rejected');
    const codes = refusals.map((refusal) => {
      const { reason } = refusal as PromiseRejectedResult;
      return isFault(reason) ? reason.code : reason;
    });
    expect(new Set(codes)).to.deep.equal(new Set([ErrorCode.BUSY]));
    expect(gateway.groups('d')).to.have.length(1100 - refusals.length);
    expect(refusals).to.have.length(100);
    await bench.restart();
    expect(bench.gateway.groups('d')).to.have.length(1000);
  });
});
