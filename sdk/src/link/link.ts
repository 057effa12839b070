import { abortable } from '../abortable.ts';
import type { Context } from '../context.ts';
import type { FrameFormat, FrameSource } from '../frames.ts';
import { Connection } from './connection.ts';
import { disconnected, noResponse } from './faults.ts';
import type { Failure } from './failure.ts';
import type { Protocol } from './protocol.ts';
import { FrameSplitter } from './splitter.ts';
import { LinkStatus } from './status.ts';
import { bothTraces, oneByOne, type Trace } from './trace.ts';
import type { Transport } from './transport.ts';

/** The part of its node's context that a link uses. */
export type LinkContext = Pick<Context, 'clock' | 'count' | 'link' | 'log' | 'rtt' | 'traceable'>;

export interface LinkOptions {
  /** Milliseconds to wait for each frame of the handshake. Default 3 s. */
  readonly timeout?: number;
  /** Milliseconds without any good answer after which an unanswered request ends the connection. Default three times `timeout`. */
  readonly silence?: number;
  /** Milliseconds after the loss of a connection that served before operators and tags learn of it, because it may be back by then. Default 0. */
  readonly grace?: number;
  /** The link is that of one station of several: the name under which its state is reported. */
  readonly part?: string;
  /** Called with every frame, for finding errors: see `hexTrace`. */
  readonly trace?: Trace;
  /** What the frames mean, and how a network analyser takes them, for people who trace the frames of the node. */
  readonly frames?: FrameFormat;
}

/** Called when a link comes up and goes down. */
export interface LinkObserver {
  up?(): void;
  down(failure: Failure): void;
}

/** How long `open` waits for the first attempt, in milliseconds. */
const firstWait = 1000;

const disconnectTimeout = 1000;

/** Most bytes of frames that wait for a handshake to take them. */
const mostWaiting = 1 << 20;

/** A lasting connection to a device: connects, does the handshake, splits bytes into frames, reports its state, and reconnects. */
export class Link<Session = void> {
  readonly context: LinkContext;
  readonly options: LinkOptions;
  readonly transport: Transport;
  readonly #protocol: Protocol<Session>;
  readonly #status: LinkStatus;
  readonly #splitter: FrameSplitter;
  readonly #observers: LinkObserver[] = [];
  readonly #attempted = Promise.withResolvers<void>();
  #connection: Connection | undefined;
  #session: Session | undefined;
  /** The peer of the latest connection. */
  #peer = '';
  /** The option `trace`, a trace of the node, or both. */
  #trace: Trace | undefined;
  readonly #traceable: Disposable | undefined;
  #up = false;
  #closing = false;
  #generation = 0;
  /** Monotonic time of the last good answer, or of the connection. */
  #heardAt = 0;
  #frames = 0;
  #receivedAt = 0;

  constructor(
    context: LinkContext,
    transport: Transport,
    protocol: Protocol<Session>,
    options: LinkOptions = {},
  ) {
    this.context = context;
    this.transport = transport;
    this.options = options;
    this.#protocol = protocol;
    this.#status = new LinkStatus(context, options);
    this.#splitter = new FrameSplitter(protocol, {
      frame: (data, at, end) => this.#frame(data, at, end),
      skipped: (bytes) => {
        context.count('malformed_frames', 1);
        context.count('skipped_bytes', bytes);
      },
      invalid: () => {
        // A foreign datagram does not affect those that follow it.
        if (transport.datagrams) return context.count('foreign_frames', 1);
        context.count('malformed_frames', 1);
        this.lose('what was received is no frame of this protocol', 'malformed');
      },
    });
    this.#trace = options.trace;
    this.#traceable = context.traceable?.(this.#frameSource());
  }

  /** Whether requests can be sent now. */
  get up(): boolean {
    return this.#up;
  }

  /** Whether `close` was called: the link will never be up again. */
  get closing(): boolean {
    return this.#closing;
  }

  /** Number of connections so far: when it has grown, findings about the device may be out of date. */
  get generation(): number {
    return this.#generation;
  }

  /** The result of the handshake; undefined while the link is down. */
  get session(): Session | undefined {
    return this.#session;
  }

  /** The session; throws DISCONNECTED while the link is down. */
  requireSession(): Session {
    if (!this.#up) throw disconnected;
    return this.#session as Session;
  }

  /** Milliseconds since the last good answer, or since the connection. */
  get quietFor(): number {
    return this.context.clock.monotonic() - this.#heardAt;
  }

  /** Claims what the transport needs; resolves once the first attempt has ended or taken a second, whatever the result. Rejects when nothing can be claimed. */
  async open(): Promise<void> {
    this.#status.connecting();
    const events = {
      opened: (peer: string) => this.#opened(peer),
      received: (data: Buffer, end: number) => this.#received(data, end),
      closed: (failure: Failure) => this.#closed(failure),
    };
    await this.transport.open(events, this.context.clock);
    const enough = this.context.clock.timer(firstWait, this.#attempted.resolve);
    await this.#attempted.promise;
    enough[Symbol.dispose]();
  }

  /** Resolves when the link is up. Rejects with the signal's reason. */
  async ready(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#up) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const stopObserving = this.observe({ up: resolve, down: () => undefined });
    await abortable(promise, signal).finally(stopObserving);
  }

  /** Calls the observer from now on, until the function that it returns is called. */
  observe(observer: LinkObserver): () => void {
    this.#observers.push(observer);
    return () => {
      const at = this.#observers.indexOf(observer);
      if (at >= 0) this.#observers.splice(at, 1);
    };
  }

  /** Sends bytes while the link is up, and keeps the buffer. */
  send(bytes: Buffer): void {
    if (this.#up) this.#send(bytes);
  }

  /** The device has given a good answer: the link works, and after a loss it is connected again at once. */
  proven(): void {
    if (!this.#up) return;
    this.#heardAt = this.#receivedAt;
    if (this.#status.answered()) this.transport.proven();
  }

  /** A request got no answer: the connection is dropped when there was no answer for `silence`. */
  unanswered(): void {
    const { silence, timeout = 3000 } = this.options;
    const quiet = this.quietFor;
    if (this.#up && quiet >= (silence ?? 3 * timeout)) this.silent();
  }

  /** Drops the connection because of missing answers; the link counts as down until the device answers. */
  silent(reason = `nothing was answered for ${Math.round(this.quietFor)} ms`): void {
    this.#status.doubt();
    this.lose(reason, 'timeout');
  }

  /** Gives the connection up and makes a new one. `reason` is a clause without a full stop. Requests in flight fail with DISCONNECTED, or DECODE_FAILED when it is `malformed`. */
  lose(reason: string, kind: Failure['kind'] = 'given up'): void {
    this.transport.drop({ kind, reason });
  }

  /** Says goodbye to the device and releases everything; waiting requests fail with DISCONNECTED. The signal cuts the goodbye short. */
  async close(signal?: AbortSignal): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    await this.#farewell(signal);
    await this.transport.close();
    this.#traceable?.[Symbol.dispose]();
    this.#attempted.resolve();
    this.#down({ kind: 'given up', reason: 'the node stops' });
    this.#status.end();
  }

  async #farewell(signal: AbortSignal | undefined): Promise<void> {
    if (!this.#up || this.#protocol.farewell === undefined || this.#connection === undefined) return;
    const late = new AbortController();
    using _timer = this.context.clock.timer(disconnectTimeout, () => late.abort(disconnected));
    const ends = [late.signal, this.#connection.signal];
    if (signal !== undefined) ends.push(signal);
    const over = AbortSignal.any(ends);
    try {
      await abortable(this.#protocol.farewell(this.#session as Session, over), over);
    } catch (error) {
      if (!over.aborted) this.context.log.debug(`Taking leave of the device failed: ${messageOf(error)}.`);
    }
  }

  #frameSource(): FrameSource {
    const { datagrams } = this.transport;
    return {
      format: this.options.frames ?? {},
      datagrams,
      isPiecemeal: this.#protocol.length === undefined && !datagrams,
      peer: () => this.#peer,
      generation: () => this.#generation,
      trace: (trace) => {
        this.#trace = bothTraces(this.options.trace, trace && oneByOne(trace, this.#protocol));
      },
    };
  }

  #opened(peer: string): void {
    this.#splitter.reset();
    this.#peer = peer;
    this.#generation++;
    this.#heardAt = this.context.clock.monotonic();
    const connection = new Connection(peer, this.#generation, {
      send: (bytes) => this.#send(bytes),
      lose: (reason) => this.lose(reason),
      proven: () => this.proven(),
      timeout: this.options.timeout ?? 3000,
      clock: this.context.clock,
    });
    this.#connection = connection;
    if (this.#protocol.handshake === undefined) this.#agreed(connection, undefined as Session);
    else
      this.#protocol.handshake(connection).then(
        (session) => this.#agreed(connection, session),
        (error: unknown) => this.#refused(connection, error),
      );
  }

  /** The handshake is done. Frames that arrived after it follow in their order. */
  #agreed(connection: Connection, session: Session): void {
    if (connection.signal.aborted || this.#closing) return;
    this.#session = session;
    this.#up = true;
    this.#heardAt = this.context.clock.monotonic();
    this.#status.opened(connection.peer, !this.transport.datagrams || this.#protocol.handshake !== undefined);
    this.#attempted.resolve();
    this.#protocol.up?.(session, connection);
    for (const observer of this.#observers.slice()) observer.up?.();
    const rest = connection.rest();
    for (const frame of rest) {
      if (connection.signal.aborted) return;
      this.#protocol.frame(session, frame, 0, frame.length);
    }
    if (rest.length > 0 && !connection.signal.aborted) this.#protocol.chunkEnd?.(session);
  }

  #refused(connection: Connection, error: unknown): void {
    if (connection.signal.aborted) return;
    if (error === noResponse) this.lose(`${connection.peer} did not answer in the handshake`, 'timeout');
    else this.lose(messageOf(error));
  }

  #received(data: Buffer, end: number): void {
    const { count } = this.context;
    this.#frames = 0;
    this.#receivedAt = this.context.clock.monotonic();
    this.#splitter.take(data, end);
    count('recv_bytes', end);
    // Without a length a chunk of a stream is no message.
    const isCounted = this.#protocol.length !== undefined || this.transport.datagrams;
    if (this.#frames > 0 && isCounted) count('recv_msgs', this.#frames);
    if (this.transport.datagrams && this.#splitter.reset() > 0) count('foreign_frames', 1);
    if (this.#up) this.#protocol.chunkEnd?.(this.#session as Session);
  }

  #frame(data: Buffer, at: number, end: number): void {
    this.#frames++;
    this.#trace?.('received', data, at, end);
    if (this.#up) return this.#protocol.frame(this.#session as Session, data, at, end);
    const connection = this.#connection;
    if (connection !== undefined && connection.keep(data, at, end) > mostWaiting)
      connection.lose('it sent more in the handshake than can be kept');
  }

  #send(bytes: Buffer): void {
    const { context } = this;
    this.#trace?.('sent', bytes, 0, bytes.length);
    context.count('send_bytes', bytes.length);
    context.count('send_msgs', 1);
    if (this.#up) this.#status.asked();
    this.transport.send(bytes);
  }

  #closed(failure: Failure): void {
    if (this.#closing) return this.#down(failure);
    const located = this.#connection === undefined ? failure : this.#withStep(failure);
    this.#status.closed(located);
    this.#down(located);
    this.#attempted.resolve();
  }

  /** The failure of a connection, with the step that it had reached. */
  #withStep({ kind, reason }: Failure): Failure {
    const { handshakeHint: hint } = this.#protocol;
    const isPuzzling = hint !== undefined && (kind === 'closed' || kind === 'timeout');
    if (!this.#up) return { kind, reason: isPuzzling ? `${reason}; ${hint}` : reason, step: 'handshake' };
    return this.#status.proven ? { kind, reason } : { kind, reason, step: 'first answer' };
  }

  #down(failure: Failure): void {
    const connection = this.#connection;
    const session = this.#session;
    const wasUp = this.#up;
    this.#connection = undefined;
    this.#session = undefined;
    this.#up = false;
    this.#splitter.reset();
    connection?.end();
    if (!wasUp) return;
    for (const observer of this.#observers.slice()) observer.down(failure);
    this.#protocol.down?.(session as Session, failure);
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}
