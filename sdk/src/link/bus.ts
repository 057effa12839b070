import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { Fault } from '../fault.ts';
import { damaged, disconnected, noResponse } from './faults.ts';
import type { Asked, Line } from './line.ts';
import { Link, type LinkContext, type LinkOptions } from './link.ts';
import type { Transport } from './transport.ts';

export type BusContext = LinkContext & Pick<Context, 'exclusive'>;

/** The way to stations on one wire. */
export interface Wire {
  readonly transport: Transport;
  /** Name of the wire: those who use the same one take turns. */
  readonly key: string;
  /** Defined once the transport was opened. */
  readonly line: Line;
}

/** What the bytes that came make of the answer. */
export type Progress = 'waiting' | 'answered' | 'damaged';

/** One request to a station, and the finding of its answer. */
export interface BusQuestion extends Asked {
  /** Most bytes of the answer, for the time that they take on the wire; 0: nobody answers, so it is done once it was sent. */
  readonly answerSize: number;
  /** Begins: what came of an answer before belongs to an earlier try. */
  begin?(): void;
  /** Takes `data[0, end)`, valid during the call. `answered` ends it well; `damaged` with DECODE_FAILED, and the wire is emptied. */
  take(data: Buffer, end: number): Progress;
}

export interface BusRequest extends BusQuestion {
  /** The answer was taken, or nobody answers and it was sent. */
  done(): void;
  /** NO_RESPONSE, `damaged`, or DISCONNECTED. */
  failed(fault: Fault): void;
}

export interface BusOptions extends LinkOptions {
  /** Milliseconds to wait for the answer, beside the time on the wire. */
  readonly timeout: number;
  /** Milliseconds that stations get to obey a request that nobody answers. Default 100. */
  readonly turnaround?: number;
}

/** How the wait for an answer ended; `over`: nobody waits any more. */
type Ending = 'answered' | 'damaged' | 'silence' | 'over';

/**
 * Stations on one wire, a serial port or a TCP connection to one: one request on the wire at a time, all nodes that share it taking turns,
 * and the wire empty before the next one. An answer is known by what its request lets expect, so a station that stays
 * silent costs its own requests alone, and the connection is kept.
 */
export class Bus<R extends BusRequest = BusRequest> {
  /** Its state; requests go through the bus. */
  readonly link: Link;
  readonly #context: BusContext;
  readonly #wire: Wire;
  readonly #options: BusOptions;
  readonly #closing = new AbortController();
  readonly #urgent: R[] = [];
  readonly #waiting: R[] = [];
  /** The request that has left the queue and has not ended. */
  #current: R | undefined;
  /** Whether its answer may come. */
  #listening = false;
  #running = false;
  #end: (ending: Ending) => void = () => undefined;

  constructor(context: BusContext, wire: Wire, options: BusOptions) {
    this.#context = context;
    this.#wire = wire;
    this.#options = options;
    this.link = new Link(
      context,
      wire.transport,
      {
        frame: (_session, data, at, end) => this.#received(data.subarray(at, end)),
        up: () => wire.line.opened(),
        down: () => this.#failAll(),
      },
      options,
    );
  }

  open(): Promise<void> {
    return this.link.open();
  }

  async close(signal?: AbortSignal): Promise<void> {
    await this.link.close(signal);
    this.#closing.abort();
    this.#failAll();
  }

  /** Takes a request; an urgent one passes those that wait. Calls nothing back before it returns. False: the link is down, and nothing was taken. */
  add(request: R, urgent = false): boolean {
    if (!this.link.up) return false;
    (urgent ? this.#urgent : this.#waiting).push(request);
    void this.#run();
    return true;
  }

  /** Forgets requests without a word to them. */
  withdraw(requests: ReadonlySet<R>): void {
    for (const list of [this.#urgent, this.#waiting])
      for (let at = list.length - 1; at >= 0; at--) if (requests.has(list[at] as R)) list.splice(at, 1);
    if (this.#current === undefined || !requests.has(this.#current)) return;
    this.#current = undefined;
    this.#end('over');
  }

  /** Gives all requests up, and the connection, and makes a new one. */
  lose(reason: string): void {
    this.link.lose(reason);
  }

  /** Waits until the bus is free. Never rejects. */
  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    for (;;) {
      const request = this.#urgent.shift() ?? this.#waiting.shift();
      if (request === undefined) break;
      this.#current = request;
      await this.#carryOut(request);
      if (this.#current === request) this.#current = undefined;
    }
    this.#running = false;
  }

  async #carryOut(request: R): Promise<void> {
    const wait = this.#wire.line.waitFor(request);
    const { signal } = this.#closing;
    if (wait > 0) await sleep(Math.ceil(wait), undefined, { signal }).catch(() => undefined);
    await this.#context.exclusive(this.#wire.key, async () => {
      if (this.#current !== request) return;
      if (request.answerSize === 0) await this.#tell(request);
      else await this.#ask(request);
    });
  }

  async #ask(request: R): Promise<void> {
    const { line } = this.#wire;
    const { timeout } = this.#options;
    const sentAt = performance.now();
    request.begin?.();
    this.link.send(request.bytes);
    this.#listening = true;
    const ending = await this.#wait(timeout + (request.bytes.length + request.answerSize) * line.medium.byte);
    this.#listening = false;
    const now = performance.now();
    if (ending === 'answered') {
      this.#context.rtt(now - sentAt);
      return line.gap();
    }
    if (ending !== 'damaged') line.missed(request, now + timeout);
    if (ending === 'silence') this.#fail(noResponse);
    await line.drain(timeout);
  }

  /** Nobody answers, so it has succeeded when it was sent; the stations then get time to obey. */
  async #tell(request: R): Promise<void> {
    const { turnaround = 100 } = this.#options;
    this.link.send(request.bytes);
    const ending = await this.#wait(request.bytes.length * this.#wire.line.medium.byte + turnaround);
    if (ending !== 'silence') return;
    this.#current = undefined;
    request.done();
  }

  #received(data: Buffer): void {
    const { count } = this.#context;
    this.#wire.line.heard();
    const request = this.#current;
    if (request === undefined || !this.#listening) return count('late_frames', 1);
    const progress = request.take(data, data.length);
    if (progress === 'waiting') return;
    this.#listening = false;
    this.#current = undefined;
    if (progress === 'answered') {
      count('recv_msgs', 1);
      this.link.proven();
      this.#wire.line.answered(request);
      this.#end('answered');
      return request.done();
    }
    count('malformed_frames', 1);
    this.#end('damaged');
    request.failed(damaged);
  }

  /**
   * Waits until the answer has come or something else has ended the wait, for so many milliseconds. Before the verdict the ports are
   * looked at once more, so that an answer counts that came while this process was held up.
   */
  async #wait(ms: number): Promise<Ending> {
    const { promise, resolve } = Promise.withResolvers<Ending>();
    this.#end = resolve;
    let check: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => {
      check = setImmediate(() => resolve('silence'));
    }, Math.ceil(ms));
    const ending = await promise;
    clearTimeout(timer);
    clearImmediate(check);
    return ending;
  }

  #failAll(): void {
    const waiting = [...this.#urgent.splice(0), ...this.#waiting.splice(0)];
    this.#fail(disconnected);
    this.#end('over');
    for (const request of waiting) request.failed(disconnected);
  }

  #fail(fault: Fault): void {
    const request = this.#current;
    this.#current = undefined;
    request?.failed(fault);
  }
}

/** Asks a question on a bus. Resolves when the question has taken its answer; rejects with the fault, or with the reason of the signal. */
export async function askOnBus(
  bus: Bus,
  question: BusQuestion,
  options: { readonly signal?: AbortSignal; readonly urgent?: boolean } = {},
): Promise<void> {
  const { signal, urgent } = options;
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request: BusRequest = {
    bytes: question.bytes,
    station: question.station,
    kind: question.kind,
    answerSize: question.answerSize,
    begin: () => question.begin?.(),
    take: (data, end) => question.take(data, end),
    done: resolve,
    failed: reject,
  };
  const abort = (): void => {
    bus.withdraw(new Set([request]));
    reject(signal?.reason as Error);
  };
  if (!bus.add(request, urgent)) throw disconnected;
  signal?.addEventListener('abort', abort, { once: true });
  try {
    await promise;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
