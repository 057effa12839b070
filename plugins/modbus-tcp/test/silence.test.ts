import { expect } from 'chai';
import { LinkState } from '@tagway/sdk';
import { pointsOf, until } from '@tagway/testkit';
import { openFixture } from './fixture.ts';

describe('a device that does not answer', () => {
  it('skips the rest of a silent unit in that cycle, and reads the other units', async () => {
    await using fixture = await openFixture({ timeout: 400 });
    fixture.device.script = (request, usual) => (request.unit === 1 ? undefined : usual());
    const points = pointsOf('1!400001', '1!400100', '1!400200', '2!400003');
    expect(await fixture.read(points)).to.deep.equal(['fault 3015', 'fault 3015', 'fault 3015', 2]);
    expect(fixture.device.asked()).to.deep.equal(['1/3 0+1', '2/3 2+1']);
    expect(fixture.device.connections, 'the connection stays').to.equal(1);
  });

  it('repeats an unanswered read as often as it may, and takes the late success', async () => {
    await using fixture = await openFixture({ timeout: 400, max_retries: 2, retry_interval: 30 });
    let silent = 2;
    fixture.device.script = (_request, usual) => (silent-- > 0 ? undefined : usual());
    expect(await fixture.read(pointsOf('1!400004'))).to.deep.equal([3]);
    expect(fixture.device.asked()).to.have.length(3);
  });

  it('leaves a dead unit alone for a while when others answer, so that they keep their period', async () => {
    await using fixture = await openFixture({ timeout: 400 });
    fixture.device.script = (request, usual) => (request.unit === 1 ? undefined : usual());
    const points = pointsOf('1!400001', '2!400003');
    await fixture.read(points);
    fixture.device.asked();
    expect(await fixture.read(points)).to.deep.equal(['fault 3015', 2]);
    expect(fixture.device.asked()).to.deep.equal(['2/3 2+1']);
    fixture.device.script = (_request, usual) => usual();
    fixture.record.clockOffset += 1500;
    expect(await fixture.read(points), 'it is asked beside the reading').to.deep.equal(['fault 3015', 2]);
    await until('it has values', async () => (await fixture.read(points))[0] === 0);
  });

  it('shows no old values of a unit that another group found dead', async () => {
    await using fixture = await openFixture({ timeout: 400 });
    const one = pointsOf('1!400001', '2!400003');
    const other = pointsOf('1!400005', '2!400006');
    expect(await fixture.read(one)).to.deep.equal([0, 2]);
    fixture.device.script = (request, usual) => (request.unit === 1 ? undefined : usual());
    expect(await fixture.read(other)).to.deep.equal(['fault 3015', 5]);
    expect(await fixture.read(one)).to.deep.equal(['fault 3015', 2]);
  });

  it('degrades a unit after so many silent cycles, for so many seconds', async () => {
    await using fixture = await openFixture({
      timeout: 400,
      device_degrade: 1,
      degrade_cycle: 2,
      degrade_time: 60,
    });
    fixture.device.script = (request, usual) => (request.unit === 1 ? undefined : usual());
    const points = pointsOf('1!400001', '2!400003');
    await fixture.read(points);
    await fixture.read(points);
    fixture.device.asked();
    fixture.device.script = (_request, usual) => usual();
    fixture.record.clockOffset += 50_000;
    expect(await fixture.read(points)).to.deep.equal(['fault 3015', 2]);
    expect(fixture.device.asked()).to.deep.equal(['2/3 2+1']);
    fixture.record.clockOffset += 11_000;
    await until('it has values', async () => (await fixture.read(points))[0] === 0);
  });

  it('asks a degraded unit for a test read all the same', async () => {
    await using fixture = await openFixture({ timeout: 400, device_degrade: 1, degrade_cycle: 1 });
    const [point] = pointsOf('1!400005');
    fixture.device.script = () => undefined;
    await fixture.read([point!]);
    fixture.device.script = (_request, usual) => usual();
    await until('the link is up again', async () => (await fixture.read([point!], 'test'))[0] === 4);
  });

  it('a request that is ignored for its address does not keep the rest of its unit from being read', async () => {
    await using fixture = await openFixture({ timeout: 400 });
    fixture.device.script = (request, usual) => (request.start === 0 ? undefined : usual());
    const points = pointsOf('1!400001', '1!400100', '1!400200');
    await fixture.read(points);
    await until('the others have values', async () => {
      const readings = await fixture.read(points);
      return JSON.stringify(readings) === '["fault 3015",99,199]';
    });
    await fixture.read(points);
    fixture.device.asked();
    expect(await fixture.read(points)).to.deep.equal(['fault 3015', 99, 199]);
    expect(fixture.device.asked(), 'it does not cost a timeout in every cycle').to.deep.equal([
      '1/3 99+1',
      '1/3 199+1',
    ]);
    fixture.device.script = (_request, usual) => usual();
    fixture.record.clockOffset += 11_000;
    await until('all have values', async () => (await fixture.read(points))[0] === 0);
    expect(await fixture.read(points)).to.deep.equal([0, 99, 199]);
  });

  it('drops a late answer, and never takes it for the answer to a newer request', async () => {
    await using fixture = await openFixture({ timeout: 400 });
    const { device, record } = fixture;
    const held: (() => void)[] = [];
    const points = pointsOf('1!400001', '2!400003');
    device.script = (request, usual) => {
      if (request.unit === 2) return usual();
      // The register has another value by the time the answer comes.
      const old = Buffer.from([0, 0, 0, 0, 0, 5, 1, 3, 2, 0x12, 0x34]);
      old.writeUInt16BE(request.id, 0);
      held.push(() => request.send(old));
      return undefined;
    };
    expect(await fixture.read(points)).to.deep.equal(['fault 3015', 2]);
    record.clockOffset += 5000;
    device.script = (_request, usual) => {
      for (const send of held.splice(0)) send();
      return usual();
    };
    await until('both have values', async () => {
      const readings = await fixture.read(points);
      expect(readings[0], 'never the old value').to.be.oneOf(['fault 3015', 0]);
      return readings[0] === 0;
    });
    expect(record.counts.get('late_frames')).to.equal(1);
    expect(device.connections).to.equal(1);
  });

  it('reconnects after a cycle without any answer, and says "connected" only when the device answers again', async () => {
    await using fixture = await openFixture({ timeout: 400 });
    const { device } = fixture;
    const points = pointsOf('1!400001');
    expect(await fixture.read(points)).to.deep.equal([0]);
    device.script = () => undefined;
    expect(await fixture.read(points)).to.deep.equal(['fault 3015']);
    expect(fixture.link).to.equal(LinkState.DISCONNECTED);
    expect(await fixture.read(points)).to.deep.equal(['fault 3002']);
    await until('it has connected again', () => device.connections === 2);
    expect(fixture.link, 'a connection alone proves nothing').to.equal(LinkState.DISCONNECTED);
    device.script = (_request, usual) => usual();
    await until('values are back', async () => (await fixture.read(points))[0] === 0);
    expect(fixture.link).to.equal(LinkState.CONNECTED);
  });
});
