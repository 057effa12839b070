import { expect } from 'chai';
import { ErrorCode, LinkState } from '@tagway/sdk';
import { callOf, dialIn, freePort, readings, until } from '@tagway/testkit';
import { driverOf, other, own, plantOf, pointsOf, tcp } from './plant.ts';
import { Simulator } from './simulator.ts';

const points = pointsOf('02-01-01-00', '02-01-02-00');
const values = [2205, 2206];
const all = (code: number): object[] => points.map(() => ({ fault: code }));

function meters(): Simulator {
  return new Simulator().meter(own, { '02-01-01-00': '05 22', '02-01-02-00': '06 22' });
}

describe('the link', function () {
  this.timeout(30_000);

  it('is made anew when no meter answers, and says why', async () => {
    await using plant = await plantOf({}, meters());
    const { simulator, driver, record } = plant;
    simulator.script = () => [];
    expect(await readings(driver, points)).to.deep.equal(all(ErrorCode.NO_RESPONSE));
    await until('the link is down', async () => {
      record.later += 5000;
      await readings(driver, points);
      return record.links.at(-1)?.state === LinkState.DISCONNECTED;
    });
    expect(record.links.at(-1)?.report.reason).to.contain('no meter has answered');
    simulator.script = undefined;
    await until('values come again', async () => (await readings(driver, points))[0] === 2205);
    expect(record.links.at(-1)?.state).to.equal(LinkState.CONNECTED);
  });

  it('does not take a late answer for that of another item', async () => {
    await using plant = await plantOf({}, meters());
    const { simulator, driver, record } = plant;
    simulator.meter(own, { '02-01-02-00': '06 22' });
    let late: (() => void) | undefined;
    simulator.script = (_frame, usual, send) => {
      const answer = usual();
      late = () => send(answer);
      return [];
    };
    expect(await readings(driver, points.slice(0, 1))).to.deep.equal([{ fault: ErrorCode.NO_RESPONSE }]);
    simulator.script = (_frame, usual, send) => {
      late?.();
      setTimeout(() => send(usual()), 30);
      return [];
    };
    expect(await readings(driver, points.slice(1))).to.deep.equal([2206]);
    expect(record.counts.get('foreign_frames')).to.equal(1);
    expect(simulator.connections, 'the connection is kept').to.equal(1);
  });

  it('does not take a late error for that of another item', async () => {
    await using plant = await plantOf({}, meters());
    const { simulator, driver } = plant;
    let late: (() => void) | undefined;
    simulator.script = (_frame, _usual, send) => {
      late = () => send(simulator.frame(own, 0xd1, Buffer.of(2)));
      return [];
    };
    await readings(driver, points.slice(0, 1));
    simulator.script = (_frame, usual, send) => {
      late?.();
      late = undefined;
      setTimeout(() => send(usual()), 30);
      return [];
    };
    expect(await readings(driver, points.slice(1))).to.deep.equal([2206]);
  });

  it('takes half a frame and the rest, two frames at once, single bytes, and any number of wake-up bytes', async () => {
    await using plant = await plantOf({}, meters());
    const { simulator, driver } = plant;
    simulator.script = (_frame, usual) => Array.from(usual(), (byte) => Buffer.of(byte));
    expect(await readings(driver, points), 'single bytes').to.deep.equal(values);
    simulator.script = (_frame, usual, send) => {
      const answer = usual();
      setTimeout(() => send(answer.subarray(9)), 40);
      return [answer.subarray(0, 9)];
    };
    expect(await readings(driver, points), 'halves').to.deep.equal(values);
    simulator.script = (_frame, usual) => [Buffer.concat([usual(), usual()])];
    expect(await readings(driver, points), 'twice at once').to.deep.equal(values);
    simulator.script = undefined;
    for (const count of [0, 1, 9]) {
      simulator.preamble = Buffer.alloc(count, 0xfe);
      expect(await readings(driver, points), `${count} bytes`).to.deep.equal(values);
    }
  });

  it('finds the answer behind noise and frames of other meters, and says when it is damaged', async () => {
    await using plant = await plantOf({}, meters());
    const { simulator, driver, record } = plant;
    const noise = Buffer.from('0068ff681668', 'hex');
    simulator.script = (frame, usual) => [
      Buffer.concat([
        noise,
        frame,
        simulator.frame(other, 0x91, Buffer.from('000101021122', 'hex')),
        usual(),
      ]),
    ];
    expect(await readings(driver, points)).to.deep.equal(values);
    simulator.script = (_frame, usual) => {
      const answer = usual();
      answer[answer.length - 3] = 0x99;
      return [answer];
    };
    expect(await readings(driver, points)).to.deep.equal(all(ErrorCode.DECODE_FAILED));
    expect(record.counts.get('malformed_frames')).to.equal(2);
    simulator.script = undefined;
    expect(await readings(driver, points)).to.deep.equal(values);
    expect(simulator.connections).to.equal(1);
  });

  it('survives a device server that restarts in the middle of a poll', async () => {
    await using plant = await plantOf({}, meters());
    const { simulator, driver, record } = plant;
    expect(await readings(driver, points)).to.deep.equal(values);
    simulator.script = () => {
      simulator.cut();
      return [];
    };
    expect(await readings(driver, points)).to.deep.equal(all(ErrorCode.DISCONNECTED));
    const { port } = simulator;
    await simulator.close();
    await until('the link is down', () => record.links.at(-1)?.state === LinkState.DISCONNECTED);
    simulator.script = undefined;
    await simulator.listen(port);
    await until('values come again', async () => (await readings(driver, points))[0] === 2205);
  });

  it('ends a read when its call does', async () => {
    await using plant = await plantOf({ timeout: 20_000 }, meters());
    const { simulator, driver } = plant;
    simulator.script = () => [];
    const abort = new AbortController();
    const reading = readings(driver, points, callOf('poll', abort.signal)).then(
      () => undefined,
      (error: unknown) => error,
    );
    await until('it was asked', () => simulator.asked.length > 0);
    const reason = new Error('enough');
    abort.abort(reason);
    expect(await reading).to.equal(reason);
    simulator.script = undefined;
    expect(await readings(driver, points)).to.deep.equal(values);
  });

  it('lets a device server dial in, the newest one counting', async () => {
    await using simulator = meters();
    await simulator.listen();
    const port = await freePort();
    await using started = await driverOf(tcp(port, { connection_mode: 1 }));
    const { driver, record } = started;
    expect(await readings(driver, points)).to.deep.equal(all(ErrorCode.DISCONNECTED));
    for (let round = 0; round < 2; round++) {
      await using _caller = await dialIn(port, simulator.port);
      await until('values come', async () => (await readings(driver, points))[1] === 2206);
      expect(record.links.at(-1)?.state).to.equal(LinkState.CONNECTED);
    }
    await until('the loss is told', () => record.links.at(-1)?.state === LinkState.DISCONNECTED);
  });
});
