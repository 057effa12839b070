import { ErrorCode } from '@tagway/schemas';
import type {
  AppMessage,
  ExplainFrame,
  Fault,
  FrameFormat,
  FrameSource,
  MessageTrace,
  Point,
  Trace,
} from '@tagway/sdk';
import type { TracedFrame, TraceFilter } from '@tagway/sdk/internal';
import { expect } from 'chai';
import { FrameTracer } from '../../src/internal/runner/frame-tracer.ts';
import { VirtualClock } from './virtual-clock.ts';

/** A connection of which a test sends frames. */
class Source implements FrameSource {
  readonly format: FrameFormat;
  readonly isPiecemeal: boolean;
  readonly datagrams = false;
  /** How often a trace was set and taken away again. */
  readonly changes: boolean[] = [];
  connections = 1;
  #trace: Trace | undefined;

  constructor(format: FrameFormat = {}, isPiecemeal = false) {
    this.format = format;
    this.isPiecemeal = isPiecemeal;
  }

  peer = (): string => 'plc:502';
  generation = (): number => this.connections;

  trace(trace: Trace | undefined): void {
    this.changes.push(trace !== undefined);
    this.#trace = trace;
  }

  frame(direction: 'sent' | 'received', text: string): void {
    // The bytes are valid during the call only.
    const bytes = Buffer.from(`<${text}>`);
    this.#trace?.(direction, bytes, 1, bytes.length - 1);
    bytes.fill(0);
  }
}

/** Says that a frame is of the unit that is its first letter, and about the tag of that name. */
function explainUnits(tag: Point | undefined): ExplainFrame {
  return (direction, frame) => {
    const text = frame.toString();
    if (text === 'throw') throw new Error('This is no frame of mine.');
    return {
      unit: text.charAt(0),
      text: `${direction} ${text}\nof it`,
      isOfTag: text.includes(tag?.name ?? '-'),
    };
  };
}

const byUnit: FrameFormat = { port: 502, explain: explainUnits, byTag: true, byUnit: true };
const all: TraceFilter = { id: 7, connection: 1, frames: 1000, bytes: 100_000 };

function open(): {
  tracer: FrameTracer;
  clock: VirtualClock;
  messages: { trace: number; frames: readonly TracedFrame[]; full: boolean }[];
  texts(): string[];
} {
  const clock = new VirtualClock();
  const messages: { trace: number; frames: readonly TracedFrame[]; full: boolean }[] = [];
  const tracer = new FrameTracer({
    clock,
    send: (trace, frames, full) => messages.push({ trace, frames, full }),
  });
  const texts = (): string[] =>
    messages.splice(0).flatMap(({ frames }) => frames.map(({ data }) => Buffer.from(data).toString()));
  return { tracer, clock, messages, texts };
}

function codeOf(work: () => void): number {
  try {
    work();
    return 0;
  } catch (error) {
    return (error as Fault).code;
  }
}

describe('the tracer of frames', () => {
  it('asks nothing of a connection while nothing is traced', () => {
    const { tracer, clock, messages } = open();
    const source = new Source(byUnit);
    const listed = tracer.add(source);
    expect(source.changes).to.deep.equal([]);
    source.frame('sent', 'a');
    clock.advance(1000);
    expect(messages).to.deep.equal([]);
    expect(clock.armed).to.equal(0);
    listed[Symbol.dispose]();
    expect(codeOf(() => tracer.begin(all))).to.equal(ErrorCode.TRACE_UNSUPPORTED);
  });

  it('sends frames together, with their times, connections and meanings', () => {
    const { tracer, clock, messages } = open();
    const source = new Source(byUnit);
    tracer.add(source);
    tracer.begin(all);
    clock.advance(3);
    source.frame('sent', '1a');
    clock.advance(2);
    source.frame('received', '1b');
    source.connections++;
    source.frame('sent', 'throw');
    expect(messages).to.deep.equal([]);
    clock.advance(100);
    const [message] = messages;
    const connection = { id: 1, peer: 'plc:502', datagrams: false, port: 502 };
    const next = { ...connection, id: 2 };
    const begun = clock.now() - 105;
    expect(messages).to.have.length(1);
    expect(message).to.include({ trace: 7, full: false });
    expect(message?.frames).to.deep.equal([
      {
        at: begun + 3,
        direction: 'sent',
        size: 2,
        data: Buffer.from('1a'),
        connection,
        unit: '1',
        text: 'sent 1a of it',
      },
      {
        at: begun + 5,
        direction: 'received',
        size: 2,
        data: Buffer.from('1b'),
        connection,
        unit: '1',
        text: 'received 1b of it',
      },
      { at: begun + 5, direction: 'sent', size: 5, data: Buffer.from('throw'), connection: next },
    ]);
    tracer.end();
    expect(source.changes).to.deep.equal([true, false]);
    source.frame('sent', '1c');
    clock.advance(1000);
    expect(messages).to.have.length(1);
  });

  it('takes frames of one unit, or about one tag, alone', () => {
    const { tracer, texts } = open();
    const source = new Source(byUnit);
    tracer.add(source);
    tracer.begin({ ...all, unit: '2' });
    for (const text of ['1 low', '2 low', '2 high']) source.frame('sent', text);
    tracer.end();
    expect(texts()).to.deep.equal(['2 low', '2 high']);
    const tag = { name: 'low', address: 'low', type: 3, attribute: 1 } as const;
    tracer.begin({ ...all, tag });
    for (const text of ['1 low', '2 low', '2 high', 'throw']) source.frame('sent', text);
    tracer.end();
    expect(texts()).to.deep.equal(['1 low', '2 low']);
  });

  it('refuses what the driver cannot answer', () => {
    const { tracer } = open();
    tracer.add(new Source());
    const tag = { name: 'low', address: 'low', type: 3, attribute: 1 } as const;
    expect(codeOf(() => tracer.begin({ ...all, tag }))).to.equal(ErrorCode.PARAM_INVALID);
    expect(codeOf(() => tracer.begin({ ...all, unit: '1' }))).to.equal(ErrorCode.PARAM_INVALID);
    expect(codeOf(() => tracer.begin(all))).to.equal(0);
  });

  it('makes one frame of pieces that come without a pause', () => {
    const { tracer, clock, texts } = open();
    const source = new Source({}, true);
    tracer.add(source);
    tracer.begin(all);
    source.frame('sent', 'question');
    source.frame('received', 'an');
    clock.advance(30);
    source.frame('received', 'swer');
    clock.advance(60);
    source.frame('received', 'late');
    source.frame('sent', 'next');
    clock.advance(1000);
    expect(texts()).to.deep.equal(['question', 'answer', 'late', 'next']);
    expect(clock.armed, 'timers that are left').to.equal(0);
    source.frame('received', 'at the end');
    tracer.end();
    expect(texts()).to.deep.equal(['at the end']);
  });

  it('ends by itself at its limits, and says so', () => {
    const { tracer, messages } = open();
    const source = new Source();
    tracer.add(source);
    tracer.begin({ ...all, frames: 2 });
    for (const text of ['a', 'b', 'c']) source.frame('sent', text);
    expect(messages.map(({ frames, full }) => [frames.length, full])).to.deep.equal([[2, true]]);
    expect(source.changes.at(-1)).to.equal(false);
    tracer.begin({ ...all, bytes: 10 });
    source.frame('sent', 'x'.repeat(70_000));
    const [frame] = messages.at(-1)?.frames ?? [];
    expect(frame?.size).to.equal(70_000);
    expect(frame?.data.length).to.equal(65_000);
    expect(messages.at(-1)?.full).to.equal(true);
  });

  it('traces connections that come later, as those of the next run, and numbers them on', () => {
    const { tracer, messages } = open();
    tracer.prepare({ ...all, connection: 5 });
    const source = new Source();
    tracer.add(source);
    source.frame('sent', 'hello');
    tracer.clear();
    expect(source.changes).to.deep.equal([true, false]);
    const next = new Source();
    tracer.add(next);
    next.frame('sent', 'hello');
    tracer.end();
    const ids = messages.flatMap(({ frames }) => frames.map(({ connection }) => connection.id));
    expect(ids).to.deep.equal([5, 6]);
  });

  describe('of an app', () => {
    const origin = { driver: 'boiler', group: 'fast' };

    function openMessages() {
      const opened = open();
      let trace: MessageTrace | undefined;
      opened.tracer.add({
        peer: () => 'broker:1883',
        trace: (given: MessageTrace | undefined) => void (trace = given),
      });
      const send = (text: string, more: Partial<AppMessage> = {}): void =>
        trace?.({ direction: 'sent', topic: 'plant/fast', data: Buffer.from(text), ...more });
      return { ...opened, send, isTraced: () => trace !== undefined };
    }

    it('passes messages on with topic, subscription and what became of them, and takes itself away', () => {
      const { tracer, clock, messages, send, isTraced } = openMessages();
      expect(isTraced()).to.equal(false);
      tracer.begin(all);
      send('{"a":1}', { of: origin });
      send('{"a":2}', { failure: 'The broker\nrefused it.' });
      clock.advance(200);
      const frames = messages.flatMap((message) => message.frames);
      expect(
        frames.map(({ topic, of, failure, text, connection }) => ({
          topic,
          of,
          failure,
          text,
          peer: connection.peer,
        })),
      ).to.deep.equal([
        { topic: 'plant/fast', of: origin, failure: undefined, text: '{"a":1}', peer: 'broker:1883' },
        {
          topic: 'plant/fast',
          of: undefined,
          failure: 'The broker refused it.',
          text: '{"a":2}',
          peer: 'broker:1883',
        },
      ]);
      tracer.end();
      expect(isTraced()).to.equal(false);
    });

    it('keeps those of the group that is asked for, and the first bytes of a long one', () => {
      const { tracer, clock, messages, send } = openMessages();
      tracer.begin({ ...all, of: origin });
      send('other', { of: { driver: 'boiler', group: 'slow' } });
      send('none');
      send('é'.repeat(50_000), { of: origin });
      clock.advance(200);
      const [frame, ...others] = messages.flatMap((message) => message.frames);
      expect(others).to.deep.equal([]);
      expect(frame?.size).to.equal(100_000);
      expect(frame?.data.length).to.equal(65_000);
      expect(frame?.text).to.match(/^é{999}…$/);
    });

    it('has no text for bytes that are none, but what the app says of them', () => {
      const { tracer, clock, messages, send } = openMessages();
      tracer.begin(all);
      send('\u0001\u0002');
      send('\u0001\u0002', { text: 'two numbers' });
      clock.advance(200);
      expect(messages.flatMap(({ frames }) => frames.map(({ text }) => text))).to.deep.equal([
        undefined,
        'two numbers',
      ]);
    });
  });
});
