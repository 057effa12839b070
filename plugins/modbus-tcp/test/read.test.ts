import { expect } from 'chai';
import { DataType, LinkState } from '@tagway/sdk';
import { callOf, pointsOf, ValuesRecorder } from '@tagway/testkit';
import { frame } from './device.ts';
import { openFixture } from './fixture.ts';

describe('reading', () => {
  it('reads all four areas of several units, values in the order of the points', async () => {
    await using fixture = await openFixture();
    const points = pointsOf(
      '2!400011',
      ['1!000004', DataType.BIT],
      '1!300008',
      ['1!100003', DataType.BIT],
      '1!400002',
      ['1!400006.2', DataType.BIT],
    );
    expect(await fixture.read(points)).to.deep.equal([10, 1, 7, 0, 1, 1]);
    expect(fixture.device.asked()).to.deep.equal([
      '1/1 3+1',
      '1/2 2+1',
      '1/4 7+1',
      '1/3 1+1',
      '1/3 5+1',
      '2/3 10+1',
    ]);
    expect(fixture.link).to.equal(LinkState.CONNECTED);
    expect(fixture.record.rtts).to.not.be.empty;
  });

  it('packs 10000 consecutive registers, in any order of the tags, into 80 requests of 125', async () => {
    await using fixture = await openFixture({ max_in_flight: 8 });
    const numbers = Array.from({ length: 10_000 }, (_, index) => (index * 7919) % 10_000);
    const points = pointsOf(...numbers.map((number) => `1!4${number + 1}`));
    expect(await fixture.read(points)).to.deep.equal(numbers);
    const asked = fixture.device.asked();
    expect(asked).to.have.length(80);
    expect(asked.every((request) => request.endsWith('+125'))).to.equal(true);
  });

  it('asks once for an address that several tags share', async () => {
    await using fixture = await openFixture();
    const points = pointsOf('1!400005', ['1!400005', DataType.UINT16], '1!400005', [
      '1!400005.0',
      DataType.BIT,
    ]);
    expect(await fixture.read(points)).to.deep.equal([4, 4, 4, 0]);
    expect(fixture.device.asked()).to.deep.equal(['1/3 4+1']);
  });

  it('reads over a gap only when it is allowed to', async () => {
    const points = pointsOf('1!400001', '1!400005', '1!400020');
    await using exact = await openFixture();
    expect(await exact.read(points)).to.deep.equal([0, 4, 19]);
    expect(exact.device.asked()).to.deep.equal(['1/3 0+1', '1/3 4+1', '1/3 19+1']);
    await using generous = await openFixture({ max_gap: 3 });
    expect(await generous.read(points)).to.deep.equal([0, 4, 19]);
    expect(generous.device.asked()).to.deep.equal(['1/3 0+5', '1/3 19+1']);
  });

  it('never has more requests in flight than the setting allows, and uses what it allows', async () => {
    await using fixture = await openFixture({ max_in_flight: 4 });
    const { device } = fixture;
    let waiting: (() => void)[] = [];
    let most = 0;
    device.script = (request, usual) => {
      waiting.push(() => request.send(frame(request.id, request.unit, usual())));
      most = Math.max(most, waiting.length);
      setTimeout(() => {
        // The last question is answered first: order does not matter, ids do.
        for (const answer of waiting.reverse()) answer();
        waiting = [];
      }, 20);
      return undefined;
    };
    const numbers = Array.from({ length: 1250 }, (_, index) => index);
    expect(await fixture.read(pointsOf(...numbers.map((number) => `1!4${number + 1}`)))).to.deep.equal(
      numbers,
    );
    expect(most).to.equal(4);
  });

  it('keeps the interval between requests, and needs none before the first', async () => {
    await using fixture = await openFixture({ interval: 50 });
    const begin = performance.now();
    await fixture.read(pointsOf('1!400001', '1!400010', '1!400020', '1!400030'));
    expect(performance.now() - begin).to.be.at.least(145);
  });

  it('counts registers from 0 when the address base is 0', async () => {
    await using fixture = await openFixture({ address_base: 0 });
    expect(await fixture.read(pointsOf('1!400005', ['1!465535', DataType.UINT16]))).to.deep.equal([
      5, 65_535,
    ]);
  });

  it('gives a point with an invalid address its own fault', async () => {
    await using fixture = await openFixture();
    expect(await fixture.read(pointsOf('1!400001', '1!900001', ['1!400001', DataType.INT8]))).to.deep.equal([
      0,
      'fault 2205',
      'fault 2204',
    ]);
  });

  it('leaves the byte order out of a test read', async () => {
    await using fixture = await openFixture({ endianess: 4 });
    const points = pointsOf(['1!400003', DataType.UINT32]);
    expect(await fixture.read(points)).to.deep.equal([0x0003_0002]);
    expect(await fixture.read(points, 'test')).to.deep.equal([0x0002_0003]);
    expect(await fixture.read(points), 'a poll of the same points').to.deep.equal([0x0003_0002]);
  });

  it('ends at once when the signal aborts, and reads again afterwards', async () => {
    await using fixture = await openFixture();
    const points = pointsOf('1!400001');
    fixture.device.script = () => undefined;
    const aborter = new AbortController();
    const reading = fixture.driver.read(points, new ValuesRecorder(), callOf('poll', aborter.signal));
    setTimeout(() => aborter.abort(new Error('enough')), 30);
    const failure = await Promise.resolve(reading).catch((error: unknown) => error);
    expect((failure as Error).message).to.equal('enough');
    fixture.device.script = (_request, usual) => usual();
    expect(await fixture.read(points)).to.deep.equal([0]);
    expect(fixture.device.connections).to.equal(1);
  });
});
