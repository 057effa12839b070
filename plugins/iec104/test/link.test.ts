import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { pointsOf, Fixture } from './fixture.ts';
import { rawFrame, sFrame, Station, U, uFrame, unitOf, type Frame, type Visit } from './station.ts';

const point = pointsOf([1, DataType.INT16]);
const quick = { t0: 2, t1: 2, t2: 1, t3: 1 };

/** A unit that reports object 1. */
const reportUnit = (value: number): number[] => unitOf(11, 3, [[1, value & 255, value >> 8, 0]]);

/** Starts a node whose link never comes up, or goes at once. */
async function unconnected(station: Station, params: Record<string, unknown> = quick): Promise<Fixture> {
  const fixture = new Fixture({ host: '127.0.0.1', port: station.port, interval: 0, ...params });
  await fixture.driver.start();
  return fixture;
}

/** What a script does with the first frame of a format, and nothing with others. */
function once(format: Frame['format'], work: (visit: Visit) => void): Station['script'] {
  let isDone = false;
  return (frame, visit) => {
    if (isDone || frame.format !== format) return undefined;
    isDone = true;
    work(visit);
    return true;
  };
}

describe('the link', () => {
  it('is not there while STARTDT is not confirmed', async () => {
    await using station = await Station.start();
    station.script = () => true;
    await using fixture = await unconnected(station);
    await until('it is given up', () => fixture.reason !== '');
    expect(fixture.reason).to.match(/did not answer in the handshake/);
    expect(fixture.isUp).to.equal(false);
    expect(await fixture.read(point)).to.equal(ErrorCode.DISCONNECTED);
  });

  it('is not there when something else comes than a confirmation of STARTDT', async () => {
    await using station = await Station.start();
    station.script = once('U', (visit) => visit.raw(uFrame(U.STOPPED)));
    await using fixture = await unconnected(station);
    await until('it says so', () => /in the place of a confirmation of STARTDT/.test(fixture.reason));
    await until('the next attempt succeeds', () => fixture.isUp);
  });

  it('answers tests before and after STARTDT', async () => {
    await using station = await Station.start();
    station.script = once('U', (visit) => visit.raw(uFrame(U.TEST), uFrame(U.STARTED), uFrame(U.TEST)));
    await using fixture = await unconnected(station);
    await until(
      'both are answered',
      () =>
        station.visit.frames.filter((frame) => frame.format === 'U' && frame.control === U.TESTED).length ===
        2,
    );
    await until('the link is there', () => fixture.isUp);
  });

  it('takes data that come together with the confirmation of STARTDT', async () => {
    await using station = await Station.start();
    station.script = once('U', (visit) => {
      visit.raw(uFrame(U.STARTED), rawFrame(0, 0, reportUnit(7)));
      visit.vs = 1;
    });
    await using fixture = await unconnected(station);
    const report = fixture.watch(point);
    await until('they are there', () => report.latest[0] === 7 || report.of(0).includes(7));
  });

  it('takes frames byte by byte and in heaps', async () => {
    await using station = await Station.start();
    await using fixture = await Fixture.connected(station.port, { w: 3 });
    const report = fixture.watch(point);
    const { visit } = station;
    await until('the interrogation is over', () => visit.vs === 2);
    const from = visit.vs;
    const frames = Array.from({ length: 10 }, (_, at) => rawFrame(from + at, visit.vr, reportUnit(at)));
    visit.vs += 10;
    for (const byte of Buffer.concat(frames.slice(0, 5))) {
      visit.raw(Buffer.from([byte]));
      await new Promise(setImmediate);
    }
    visit.raw(...frames.slice(5));
    await until('all have come', () => report.latest[0] === 9);
    expect(report.of(0).filter((value) => value !== ErrorCode.DISCONNECTED)).to.deep.equal([
      ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    ]);
  });

  const wrongs: readonly (readonly [name: string, reason: RegExp, frames: (visit: Visit) => Buffer[]])[] = [
    [
      'garbage before a frame',
      /no frame of this protocol/,
      () => [Buffer.from([0x00, 0x68, 4, 0x43, 0, 0, 0])],
    ],
    ['a frame that is too long', /no frame of this protocol/, () => [Buffer.from([0x68, 254, 0, 0, 0, 0])]],
    [
      'a number that was skipped',
      /was due: frames were lost/,
      (visit) => [rawFrame(visit.vs + 1, visit.vr, reportUnit(1))],
    ],
    [
      'a number that came before',
      /was due: frames were lost/,
      (visit) => [rawFrame((visit.vs + 32767) % 32768, visit.vr, reportUnit(1))],
    ],
    ['an acknowledgement of what was never sent', /never sent/, (visit) => [sFrame(visit.vr + 1)]],
    ['an acknowledgement that goes back', /never sent/, (visit) => [sFrame((visit.vr + 32767) % 32768)]],
    ['an information frame without data', /too short/, (visit) => [rawFrame(visit.vs, visit.vr, [1, 1, 3])]],
    ['data behind an acknowledgement', /has data behind it/, () => [Buffer.from([0x68, 5, 1, 0, 0, 0, 9])]],
    ['a STARTDT of its own', /only a controlling station/, () => [uFrame(U.STARTDT)]],
  ];
  for (const [name, reason, frames] of wrongs) {
    it(`is closed for ${name}, with the reason, and made again`, async () => {
      await using station = await Station.start();
      station.add(11, 1, 5, 0, 0);
      await using fixture = await Fixture.connected(station.port);
      const report = fixture.watch(point);
      await until('values are there', () => report.latest[0] === 5);
      const { visit } = station;
      await until('the interrogation is over', () => visit.outstanding === 0 || visit.vs >= 3);
      visit.raw(...frames(visit));
      await until('it is closed', () => visit.isClosed);
      expect(fixture.reason).to.match(reason);
      expect(fixture.record.counts.get('malformed_frames')).to.equal(1);
      await until('it is made again', () => fixture.isUp && station.visits.length === 2);
      await until('values are there again', () => report.history.length > 1 && report.latest[0] === 5);
    });
  }

  it('leaves out what is no sound unit of data, and goes on', async () => {
    await using station = await Station.start();
    await using fixture = await Fixture.connected(station.port);
    const report = fixture.watch(point);
    const { visit } = station;
    for (const unit of [
      reportUnit(1).slice(0, -1),
      [...reportUnit(2), 0],
      [11, 0, 3, 0, 1, 0],
      [11, 0x82, 3, 0, 1, 0, 1, 0, 0, 9, 0, 0],
      [200, 1, 3, 0, 1, 0, 1, 0, 0, 1],
      [45, 1, 7, 0, 1, 0],
    ])
      visit.send(unit);
    visit.send(reportUnit(3));
    await until('the next sound one has come', () => report.latest[0] === 3);
    expect(report.of(0).filter((value) => value !== ErrorCode.DISCONNECTED)).to.deep.equal([3]);
    expect(fixture.record.counts.get('malformed_frames')).to.equal(4);
    expect(fixture.record.notices.filter((line) => line.includes('left out'))).to.have.length(2);
  });

  it('is tested after t3 of silence, and closed when that is not answered within t1', async () => {
    await using station = await Station.start();
    await using fixture = await Fixture.connected(station.port, quick);
    const tests = (): number =>
      station.visit.frames.filter((frame) => frame.format === 'U' && frame.control === U.TEST).length;
    await until('it was tested twice', () => tests() >= 2);
    expect(fixture.isUp).to.equal(true);
    const { visit } = station;
    station.script = (_frame, of) => (of === visit ? true : undefined);
    await until('it is closed', () => visit.isClosed);
    expect(fixture.reason).to.match(/did not answer a test frame within t1/);
    await until('it is made again', () => fixture.isUp);
  });

  it('is closed when what was sent is not acknowledged within t1', async () => {
    await using station = await Station.start();
    station.script = (frame) => frame.format === 'I';
    await using fixture = await Fixture.connected(station.port, { ...quick, t3: 60 });
    await until('it is closed', () => /did not acknowledge a frame within t1/.test(fixture.reason));
  });

  it('acknowledges after w frames at once and otherwise after t2', async () => {
    await using station = await Station.start();
    await using _run = await Fixture.connected(station.port, { ...quick, t1: 10, t2: 1, t3: 60, w: 4 });
    const { visit } = station;
    await until('all is acknowledged', () => visit.vs > 0 && visit.outstanding === 0);
    const acknowledgements = (): number[] =>
      visit.frames.flatMap((frame) => (frame.format === 'S' ? [frame.nr] : []));
    const base = visit.vs;
    const known = acknowledgements().length;
    for (let value = 1; value <= 3; value++) visit.send(reportUnit(value));
    const from = performance.now();
    await until('three are acknowledged', () => acknowledgements().length > known);
    expect(performance.now() - from, 'after t2').to.be.above(900);
    expect(acknowledgements().slice(known)).to.deep.equal([base + 3]);
    for (let value = 4; value <= 7; value++) visit.send(reportUnit(value));
    const then = performance.now();
    await until('four are acknowledged', () => visit.outstanding === 0);
    expect(performance.now() - then, 'before t2').to.be.below(900);
  });

  it('never has more than k frames under way, and sends the rest when they are acknowledged', async () => {
    await using station = await Station.start();
    for (let ioa = 1; ioa <= 10; ioa++) station.add(1, ioa, 0);
    await using fixture = await Fixture.connected(station.port, { k: 3, w: 2, termination_wait: 0 });
    const { visit } = station;
    await until('it was interrogated', () => visit.units.length === 1 && visit.outstanding <= 3);
    const held: Frame[] = [];
    station.script = (frame) => frame.format === 'I' && held.push(frame) > 0;
    const points = pointsOf(...Array.from({ length: 10 }, (_, at) => [at + 1, DataType.BIT] as const));
    const written = fixture.write(points.map((one) => [one, 1]));
    await until('three have come', () => held.length === 3);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(held).to.have.length(3);
    station.script = undefined;
    for (const frame of held) {
      visit.vr = (visit.vr + 1) % 32768;
      if (frame.format === 'I') station.obey(frame.unit, visit);
    }
    expect(await written).to.deep.equal(new Array(10).fill(0));
  });

  it('works with k and w of 1, where every frame waits for the one before to be acknowledged', async () => {
    await using station = await Station.start();
    for (let ioa = 1; ioa <= 3; ioa++) station.add(1, ioa, 0);
    station.k = 1;
    // Longer than the test: nothing is acknowledged by a timer.
    const slow = { t1: 60, t2: 50, t3: 60 };
    await using fixture = await Fixture.connected(station.port, { ...slow, k: 1, w: 1, termination_wait: 0 });
    const points = pointsOf(...Array.from({ length: 3 }, (_, at) => [at + 1, DataType.BIT] as const));
    const report = fixture.watch(points);
    await until('it was interrogated', () => report.latest.join() === '0,0,0');
    expect(await fixture.write(points.map((one) => [one, 1]))).to.deep.equal([0, 0, 0]);
    await until('the station has returned all', () => report.latest.join() === '1,1,1');
    await until('all is acknowledged', () => station.visit.outstanding === 0);
    expect(station.visits).to.have.length(1);
  });

  it('goes on when the numbers of both sides begin again at 0 after 32767', async function () {
    this.timeout(60_000);
    await using station = await Station.start();
    for (let ioa = 1; ioa <= 1000; ioa++) station.add(1, ioa, 0);
    await using fixture = await Fixture.connected(station.port, { k: 300, w: 200, t1: 60 });
    station.k = 300;
    const points = pointsOf(...Array.from({ length: 1000 }, (_, at) => [at + 1, DataType.BIT] as const));
    const report = fixture.watch(points);
    await until('it was interrogated', () => report.latest[999] === 0);
    let wrote = 0;
    for (let round = 1; round <= 33; round++) {
      const codes = await fixture.write(points.map((one) => [one, round & 1]));
      for (const code of codes) if (code === 0) wrote++;
    }
    const { visit } = station;
    expect([wrote, station.visits.length, fixture.isUp]).to.deep.equal([33_000, 1, true]);
    expect(visit.vr, 'the numbers of the driver began again').to.equal(33_001 % 32_768);
    expect(report.of(999).slice(1)).to.deep.equal(Array.from({ length: 33 }, (_, at) => (at + 1) & 1));
  });

  it('takes leave: what was received is acknowledged, then STOPDT', async () => {
    await using station = await Station.start();
    await using fixture = await Fixture.connected(station.port);
    const report = fixture.watch(point);
    const { visit } = station;
    visit.send(reportUnit(1));
    await until('it has come', () => report.latest[0] === 1);
    await fixture.stop();
    await until('it is closed', () => visit.isClosed);
    const last = visit.frames.slice(-2);
    expect(last).to.deep.equal([
      { format: 'S', nr: visit.vs },
      { format: 'U', control: U.STOPDT },
    ]);
  });

  it('moves to the backup host when the first is gone', async () => {
    await using first = await Station.start();
    await using second = await Station.start();
    second.add(11, 1, 6, 0, 0);
    await using fixture = await Fixture.connected(first.port, {
      backup_host: '127.0.0.1',
      backup_port: second.port,
    });
    const report = fixture.watch(point);
    await first.vanish();
    await until('the backup reports', () => report.latest[0] === 6);
  });
});
