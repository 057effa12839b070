import { expect } from 'chai';
import { ErrorCode } from '@tagway/schemas';
import { Bench, codeOf, driverPlugin } from './harness.ts';

describe('more changes at once than may wait', () => {
  it('are refused as busy, and the others are made', async () => {
    await using bench = await Bench.open();
    const { gateway } = bench;
    await gateway.nodes.add({ name: 'd', plugin: driverPlugin.name });
    const asked = Array.from({ length: 1100 }, (_, index) => gateway.groups.add('d', `g${index}`, 1000));
    const codes = await Promise.all(asked.map(codeOf));
    expect(codes.filter((code) => code === 0)).to.have.length(1000);
    expect(codes.filter((code) => code === ErrorCode.BUSY)).to.have.length(100);
    expect(gateway.groups.list('d')).to.have.length(1000);
    await bench.restart();
    expect(bench.gateway.groups.list('d')).to.have.length(1000);
  });
});
