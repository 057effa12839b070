import { ErrorCode } from '@tagway/schemas';
import type { Clock } from '../../context.ts';
import { Fault } from '../../fault.ts';
import type { ExplainFrame, FrameDirection, FrameMeaning, FrameSource } from '../../frames.ts';
import type { MessageOrigin, MessageSource } from '../../messages.ts';
import type { FrameConnection, TracedFrame, TraceFilter } from '../channel/protocol.ts';
import { MessageWatch, type Outcome } from './message-watch.ts';
import { mostOfFrame, tracedMessage } from './traced-message.ts';
import { soundText, textOf } from './sound-fault.ts';

type Source = FrameSource | MessageSource;

function isOfFrames(source: Source): source is FrameSource {
  return 'format' in source;
}

export interface TracerParts {
  readonly clock: Clock;
  /** Takes frames of the trace with this id; `full`: no more come. */
  send(trace: number, frames: readonly TracedFrame[], full: boolean): void;
}

/** Milliseconds between two messages with frames. */
const pause = 100;

/** Milliseconds of silence that end a frame which nothing else ends. */
const gap = 50;

/** Passes on the frames or the messages of a node while somebody traces them; between traces it keeps the list of their sources alone. */
export class FrameTracer {
  readonly #parts: TracerParts;
  readonly #sources = new Set<Source>();
  #sink: FrameSink | undefined;
  #watch: MessageWatch | undefined;

  constructor(parts: TracerParts) {
    this.#parts = parts;
  }

  /** Adds a connection, or what sends messages, which is traced from here on if the node is. */
  add(source: Source): Disposable {
    this.#sources.add(source);
    this.#attach(source);
    return {
      [Symbol.dispose]: () => {
        source.trace(undefined);
        this.#sources.delete(source);
      },
    };
  }

  /** The run has ended, and its connections with it. */
  clear(): void {
    this.#watch?.[Symbol.dispose]();
    for (const source of this.#sources) source.trace(undefined);
    this.#sources.clear();
    this.#sink?.flush();
  }

  /** Throws `nothing` when there is nothing to trace, and PARAM_INVALID for a filter that the driver has no answer to. */
  begin(filter: TraceFilter, nothing: Fault = noFrames): void {
    if (this.#sources.size === 0) throw nothing;
    const formats = [...this.#sources].flatMap((source) => (isOfFrames(source) ? source.format : []));
    const canFind = formats.some(({ byTag }) => byTag);
    if (filter.tag !== undefined && !canFind) throw notByTag;
    const canTellUnits = formats.some(({ byUnit }) => byUnit);
    if (filter.unit !== undefined && !canTellUnits) throw notByUnit;
    this.prepare(filter);
    for (const source of this.#sources) this.#attach(source);
  }

  /**
   * Waits for what becomes of the messages of one sample. Undefined when the node has no messages to show, or shows them to somebody else: of two
   * samples at once nobody could say whose a message is.
   */
  watch(of: MessageOrigin, settled: (outcome: Outcome | undefined) => void): MessageWatch | undefined {
    if (this.#sink !== undefined || this.#watch !== undefined) return undefined;
    const sources = [...this.#sources].filter((source): source is MessageSource => !isOfFrames(source));
    if (sources.length === 0) return undefined;
    this.#watch = new MessageWatch(sources, of, (outcome) => {
      this.#watch = undefined;
      settled(outcome);
    });
    return this.#watch;
  }

  /** Traces what is added from here on. */
  prepare(filter: TraceFilter): void {
    this.end();
    this.#sink = new FrameSink(this.#parts, filter, () => this.end());
  }

  end(): void {
    this.#watch?.[Symbol.dispose]();
    if (this.#sink === undefined) return;
    for (const source of this.#sources) source.trace(undefined);
    this.#sink.flush();
    this.#sink = undefined;
  }

  #attach(source: Source): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    if (!isOfFrames(source)) {
      const connection = { id: sink.nextConnection(), peer: textOf(source.peer()), datagrams: true };
      return source.trace((message) => sink.take(tracedMessage(message, connection)));
    }
    const trace = new SourceTrace(source, sink);
    source.trace((direction, data, at, end) => trace.take(direction, data, at, end));
  }
}

/** Frames on their way to the gateway. */
class FrameSink {
  readonly clock: Clock;
  readonly filter: TraceFilter;
  readonly #parts: TracerParts;
  readonly #filled: () => void;
  /** Time since the epoch when the monotonic clock is 0: the times of a trace do not jump when somebody sets the clock. */
  readonly #epoch: number;
  #frames: TracedFrame[] = [];
  #pieces = new Set<SourceTrace>();
  #timer: Disposable | undefined;
  #framesLeft: number;
  #bytesLeft: number;
  #connection: number;

  constructor(parts: TracerParts, filter: TraceFilter, filled: () => void) {
    this.#parts = parts;
    this.clock = parts.clock;
    this.filter = filter;
    this.#connection = filter.connection;
    this.#filled = filled;
    this.#epoch = this.clock.now() - this.clock.monotonic();
    this.#framesLeft = filter.frames;
    this.#bytesLeft = filter.bytes;
  }

  nextConnection(): number {
    return this.#connection++;
  }

  /** A trace has the beginning of a frame whose end only a pause shows. */
  hasPiece(trace: SourceTrace): void {
    this.#pieces.add(trace);
    this.#schedule();
  }

  take(frame: Omit<TracedFrame, 'at'>, monotonic = this.clock.monotonic(), isOfTag?: boolean): void {
    if (this.#framesLeft <= 0) return;
    const { tag, unit, of } = this.filter;
    if (tag !== undefined && isOfTag !== true) return;
    if (unit !== undefined && frame.unit !== unit) return;
    if (of !== undefined && (frame.of?.driver !== of.driver || frame.of.group !== of.group)) return;
    this.#framesLeft--;
    this.#bytesLeft -= frame.data.length;
    this.#frames.push({ ...frame, at: this.#epoch + monotonic });
    this.#schedule();
    if (this.#framesLeft > 0 && this.#bytesLeft > 0) return;
    this.#framesLeft = 0;
    this.#filled();
  }

  flush(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    for (const trace of [...this.#pieces]) trace.settle();
    this.#pieces.clear();
    this.#send();
  }

  #send(): void {
    const isFull = this.#framesLeft <= 0;
    if (this.#frames.length === 0) return;
    this.#parts.send(this.filter.id, this.#frames, isFull);
    this.#frames = [];
  }

  #schedule(): void {
    this.#timer ??= this.clock.timer(pause, () => {
      this.#timer = undefined;
      const now = this.clock.monotonic();
      for (const trace of [...this.#pieces]) if (trace.settle(now - gap)) this.#pieces.delete(trace);
      this.#send();
      if (this.#pieces.size > 0) this.#schedule();
    });
  }
}

/** The frames of one connection after the other of one source. */
class SourceTrace {
  readonly #source: FrameSource;
  readonly #sink: FrameSink;
  #generation: number | undefined;
  #connection!: FrameConnection;
  #explain: ExplainFrame | undefined;
  /** Received bytes that may go on. */
  #piece: Buffer | undefined;
  #pieceAt = 0;
  #pieceUntil = 0;

  constructor(source: FrameSource, sink: FrameSink) {
    this.#source = source;
    this.#sink = sink;
  }

  take(direction: FrameDirection, data: Buffer, at: number, end: number): void {
    const now = this.#sink.clock.monotonic();
    if (this.#generation !== this.#source.generation()) this.#connected();
    const bytes = Buffer.from(data.subarray(at, end));
    if (!this.#source.isPiecemeal || direction === 'sent') {
      this.settle();
      return this.#frame(direction, bytes, now);
    }
    if (now - this.#pieceUntil > gap || (this.#piece?.length ?? 0) > mostOfFrame) this.settle();
    if (this.#piece === undefined) this.#pieceAt = now;
    this.#piece = this.#piece === undefined ? bytes : Buffer.concat([this.#piece, bytes]);
    this.#pieceUntil = now;
    this.#sink.hasPiece(this);
  }

  /** Ends the frame that received bytes have begun, when the latest came before `until`. False: it may go on. */
  settle(until = Infinity): boolean {
    const piece = this.#piece;
    if (piece === undefined) return true;
    if (this.#pieceUntil > until) return false;
    this.#piece = undefined;
    this.#frame('received', piece, this.#pieceAt);
    return true;
  }

  #connected(): void {
    this.settle();
    const { datagrams, format } = this.#source;
    this.#generation = this.#source.generation();
    this.#connection = {
      id: this.#sink.nextConnection(),
      peer: textOf(this.#source.peer()),
      datagrams,
      ...(format.port !== undefined && { port: format.port }),
      ...(format.dissector !== undefined && { dissector: format.dissector }),
    };
    this.#explain = attempt(() => format.explain?.(this.#sink.filter.tag));
  }

  #frame(direction: FrameDirection, bytes: Buffer, at: number): void {
    const meaning: FrameMeaning | undefined = attempt(() => this.#explain?.(direction, bytes));
    const text = meaning && soundText(meaning.text);
    const unit = meaning?.unit === undefined ? undefined : textOf(meaning.unit);
    const frame = {
      direction,
      size: bytes.length,
      data: bytes.subarray(0, mostOfFrame),
      connection: this.#connection,
      ...(text !== undefined && { text }),
      ...(unit !== undefined && { unit }),
    };
    this.#sink.take(frame, at, meaning?.isOfTag);
  }
}

/** A driver that cannot explain a frame is no reason to lose the frame, or the connection. */
function attempt<T>(explain: () => T): T | undefined {
  try {
    return explain();
  } catch {
    return undefined;
  }
}

const noFrames = new Fault(
  ErrorCode.TRACE_UNSUPPORTED,
  'This driver has no frames to trace: it speaks to its device through a library of its own.',
);
export const noMessages = new Fault(
  ErrorCode.TRACE_UNSUPPORTED,
  'This app has no messages to show: it speaks to the other side through a library of its own.',
);
const notByTag = new Fault(
  ErrorCode.PARAM_INVALID,
  'This driver cannot tell which frames are about a tag: leave the tag out.',
);
const notByUnit = new Fault(
  ErrorCode.PARAM_INVALID,
  'This driver cannot tell which frames are of a unit: leave the unit out.',
);
