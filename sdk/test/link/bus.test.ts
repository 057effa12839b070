import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorCode, LinkState } from '@tagway/schemas';
import type { Fault } from '@tagway/sdk';
import {
  askOnBus,
  Bus,
  damaged,
  Line,
  noResponse,
  tcpClient,
  tcpMedium,
  type BusContext,
  type BusQuestion,
  type Progress,
} from '@tagway/sdk/link';
import { rejection } from './client.ts';
import { contextFor, Device, frame, type Record } from './device.ts';
import { until } from '../until.ts';

/** Asks a station; an answer begins with the station's number and ends with a sum of zero where it is sound. */
class Question implements BusQuestion {
  readonly bytes: Buffer;
  readonly station: number;
  readonly kind = 1;
  readonly answerSize: number;
  answer = '';
  #kept = '';

  constructor(station: number, text: string, answerSize = 10) {
    this.bytes = frame(station, text);
    this.station = station;
    this.answerSize = answerSize;
  }

  take(data: Buffer, end: number): Progress {
    this.#kept += data.toString('latin1', 0, end);
    const stop = this.#kept.indexOf('.');
    if (stop < 0) return 'waiting';
    this.answer = this.#kept.slice(0, stop);
    return this.answer.startsWith(`${this.station}`) ? 'answered' : 'damaged';
  }
}

/** A bus to a device that answers "station text." */
async function plant(
  timeout: number,
): Promise<{ device: Device; bus: Bus; record: Record } & AsyncDisposable> {
  const device = await new Device().listen();
  device.script = ({ id, text, send }) => send(Buffer.from(`${id} ${text}.`));
  const { context, record } = contextFor();
  const turns: Promise<unknown>[] = [Promise.resolve()];
  const busContext: BusContext = {
    ...context,
    exclusive: async (_key, work) => {
      const turn = (turns.at(-1) as Promise<unknown>).then(work);
      turns.push(turn.catch(() => undefined));
      return await turn;
    },
  };
  const transport = tcpClient({ host: '127.0.0.1', port: device.port });
  const bus = new Bus(busContext, { transport, key: 'wire', line: new Line(tcpMedium) }, { timeout });
  await bus.open();
  return {
    device,
    bus,
    record,
    async [Symbol.asyncDispose]() {
      await bus.close();
      await device[Symbol.asyncDispose]();
    },
  };
}

describe('a bus', () => {
  it('has one request on the wire at a time, urgent ones first', async () => {
    await using at = await plant(1000);
    let most = 0;
    let waiting = 0;
    at.device.script = ({ id, text, send }) => {
      most = Math.max(most, ++waiting);
      setTimeout(() => {
        waiting--;
        for (const byte of `${id} ${text}.`) send(Buffer.from(byte));
      }, 5);
    };
    const questions = ['a', 'b', 'c'].map((text) => new Question(1, text));
    const write = new Question(2, 'w');
    const asking = questions.map((question) => askOnBus(at.bus, question));
    await Promise.all([...asking, askOnBus(at.bus, write, { urgent: true })]);
    expect(questions.map(({ answer }) => answer)).to.deep.equal(['1 a', '1 b', '1 c']);
    expect(at.device.asked).to.deep.equal(['a', 'w', 'b', 'c']);
    expect([most, at.record.rtts.length, at.record.counts.get('recv_msgs')]).to.deep.equal([1, 4, 4]);
    expect(at.record.links.at(-1)?.state).to.equal(LinkState.CONNECTED);
  });

  it('keeps the connection when a station is silent, and never takes its late answer for another', async () => {
    await using at = await plant(500);
    const { script } = at.device;
    at.device.script = ({ id, send }) => void setTimeout(() => send(Buffer.from(`${id} LATE.`)), 650);
    expect(await rejection(askOnBus(at.bus, new Question(1, 'a')))).to.equal(noResponse);
    at.device.script = script;
    const next = new Question(1, 'b');
    const other = new Question(2, 'c');
    await Promise.all([askOnBus(at.bus, next), askOnBus(at.bus, other)]);
    expect([next.answer, other.answer]).to.deep.equal(['1 b', '2 c']);
    expect(at.record.counts.get('late_frames')).to.equal(1);
    expect(at.device.connections).to.equal(1);
  });

  it('gives a damaged answer as such and waits until the wire is empty', async () => {
    await using at = await plant(1000);
    const { script } = at.device;
    at.device.script = ({ send }) => send(Buffer.from('9 x.'));
    expect(await rejection(askOnBus(at.bus, new Question(1, 'a')))).to.equal(damaged);
    at.device.script = script;
    const begin = performance.now();
    const next = new Question(1, 'b');
    await askOnBus(at.bus, next);
    expect(next.answer).to.equal('1 b');
    expect(performance.now() - begin).to.be.at.least(45);
  });

  it('is done with a request that nobody answers once it was sent and obeyed', async () => {
    await using at = await plant(1000);
    at.device.script = () => undefined;
    const begin = performance.now();
    await askOnBus(at.bus, new Question(0, 'all', 0));
    expect(performance.now() - begin).to.be.within(95, 900);
    expect(at.device.asked).to.deep.equal(['all']);
  });

  it('fails everything when the connection goes, and can give up by a signal', async () => {
    await using at = await plant(20_000);
    at.device.script = () => undefined;
    const abort = new AbortController();
    const reason = new Error('enough');
    const given = rejection(askOnBus(at.bus, new Question(1, 'a'), { signal: abort.signal }));
    await until('it was asked', () => at.device.asked.length === 1);
    abort.abort(reason);
    expect(await given).to.equal(reason);
    const asking = [2, 3].map((station) => rejection(askOnBus(at.bus, new Question(station, 'b'))));
    await sleep(100);
    at.device.cut();
    for (const fault of await Promise.all(asking))
      expect((fault as Fault).code).to.equal(ErrorCode.DISCONNECTED);
  });
});
