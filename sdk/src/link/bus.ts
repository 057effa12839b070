import { setTimeout as sleep } from 'node:timers/promises';
import { abortable } from '../abortable.ts';
import type { Context } from '../context.ts';
import type { Fault } from '../fault.ts';
import { Priority, PriorityQueue } from '../priority.ts';
import { damaged, disconnected, noResponse } from './faults.ts';
import type { Asked, Line } from './line.ts';
import { Link, type LinkContext, type LinkOptions } from './link.ts';
import type { Transport } from './transport.ts';

export type BusContext = LinkContext & Pick<Context, 'exclusive'>;

/** The transport to stations on one wire. */
export interface Wire {
  readonly transport: Transport;
  /** Name of the wire: requests of all nodes with the same name go one after another. */
  readonly key: string;
  /** Defined once the transport was opened. */
  readonly line: Line;
}

/** The state of an answer after some bytes have arrived. */
export type Progress = 'waiting' | 'answered' | 'damaged';

/** One request to a station; it recognizes its answer in the received bytes. */
export interface BusQuestion extends Asked {
  /** Most bytes of the answer, for the time that they take on the wire; 0: none comes, so it is done once it was sent. */
  readonly answerSize: number;
  /** Called when the request is sent: discards received bytes, which belong to the answer to an earlier attempt. */
  begin?(): void;
  /** Takes `data[0, end)`, valid during the call. `answered` ends it well; `damaged` with DECODE_FAILED, and the wire is emptied. */
  take(data: Buffer, end: number): Progress;
}

export interface BusRequest extends BusQuestion {
  /** The answer was taken, or the request was sent and none comes. */
  done(): void;
  /** NO_RESPONSE, `damaged`, or DISCONNECTED. */
  failed(fault: Fault): void;
}

export interface BusOptions extends LinkOptions {
  /** Milliseconds to wait for the answer, beside the time on the wire. */
  readonly timeout: number;
  /** Milliseconds that stations get to obey a request without answer. Default 100. */
  readonly turnaround?: number;
}

/** How the wait for an answer ended; `over`: the request was withdrawn or the link was lost. */
type Ending = 'answered' | 'damaged' | 'silence' | 'over';

/**
 * Stations on one wire, a serial port or a TCP connection to one: one request is on the wire at a time, of all nodes that share it, and the
 * wire is empty before the next one. A request recognizes its own answer, so a silent station delays only its own requests, and
 * the connection is kept.
 */
export class Bus<R extends BusRequest = BusRequest> {
  /** Its state; requests go through the bus. */
  readonly link: Link;
  readonly #context: BusContext;
  readonly #wire: Wire;
  readonly #options: BusOptions;
  readonly #closing = new AbortController();
  readonly #waiting = new PriorityQueue<R>();
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

  /** Takes a request. Calls nothing back before it returns. False: the link is down, and nothing was taken. */
  add(request: R, priority: Priority = Priority.POLL): boolean {
    if (!this.link.up) return false;
    this.#waiting.push(request, priority);
    void this.#run();
    return true;
  }

  /** Removes requests: none of their functions is called any more. */
  withdraw(requests: ReadonlySet<R>): void {
    this.#waiting.withdraw(requests);
    if (this.#current === undefined || !requests.has(this.#current)) return;
    this.#current = undefined;
    this.#end('over');
  }

  /** Drops the connection, which fails all requests, and makes a new one. */
  lose(reason: string): void {
    this.link.lose(reason);
  }

  /** Waits until the bus is free. Never rejects. */
  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    for (;;) {
      const request = this.#waiting.shift();
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
      if (request.answerSize === 0) await this.#broadcast(request);
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

  /** No station answers, so the request has succeeded when it was sent; the stations then get time to obey. */
  async #broadcast(request: R): Promise<void> {
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
   * Waits until the answer has arrived or something else has ended the wait, for at most `ms`. Received bytes are handled before the wait
   * ends, so that an answer counts that arrived while this process was blocked.
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
    const waiting = this.#waiting.takeAll();
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
  if (!bus.add(request, urgent === true ? Priority.WRITE : Priority.POLL)) throw disconnected;
  await abortable(promise, signal, () => bus.withdraw(new Set([request])));
}
