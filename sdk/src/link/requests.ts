import { abortable } from '../abortable.ts';
import type { Fault } from '../fault.ts';
import { Priority } from '../priority.ts';
import { disconnected } from './faults.ts';
import { RequestQueue, type Request, type RequestLink, type RequestQueueOptions } from './request-queue.ts';

export type RequestsOptions = Omit<RequestQueueOptions<Request>, 'send'>;

export interface AskOptions {
  /** Aborts: the promise rejects with its reason, and the answer is dropped when it comes. */
  readonly signal?: AbortSignal;
  /** Passes requests that wait, for example a write ahead of reads. */
  readonly urgent?: boolean;
  /** Milliseconds to wait for the answer, in place of that of all. */
  readonly timeout?: number;
}

/**
 * Asks a device and gives the answers as promises. `frame` of the protocol hands every answer to `settle`. The form without promises,
 * for thousands of requests a second, is `RequestQueue`.
 */
export class Requests<Answer> {
  readonly #link: RequestLink;
  readonly #queue: RequestQueue<Asked<Answer>>;

  constructor(link: RequestLink, options: RequestsOptions) {
    this.#link = link;
    this.#queue = new RequestQueue(link, { ...options, send: (asked, id) => asked.send(id) });
  }

  /** Most requests that wait for their answers at the same time; a handshake may change it. */
  get window(): number {
    return this.#queue.window;
  }

  set window(most: number) {
    this.#queue.window = most;
  }

  /**
   * Asks once there is room: `send` is called with the id that must come back with the answer, and once more for every retry. Rejects with
   * NO_RESPONSE after the deadline, DISCONNECTED when the link is or goes down, the fault given to `fail` or `failAll`, or
   * the reason of the signal.
   */
  async ask(send: (id: number) => void, options: AskOptions = {}): Promise<Answer> {
    const { signal, timeout, urgent } = options;
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const asked: Asked<Answer> = {
      send,
      ...(timeout !== undefined && { timeout }),
      answered: resolve,
      failed: reject,
    };
    const priority = urgent === true ? Priority.WRITE : Priority.POLL;
    if (!this.#queue.add(asked, priority)) throw disconnected;
    return abortable(promise, signal, () => this.#queue.withdraw(new Set([asked])));
  }

  /** An answer has come; without ids, `id` is ignored. False, and counted, when it is late or was not asked for. */
  settle(id: number, answer: Answer): boolean {
    const asked = this.#queue.take(id);
    if (asked === undefined) return false;
    this.#link.proven();
    asked.answered(answer);
    return true;
  }

  /** The answer is an error: `ask` rejects with it. A fault answered by the device is an answer all the same: the link works. */
  fail(id: number, fault: Fault): boolean {
    const asked = this.#queue.take(id);
    if (asked === undefined) return false;
    this.#link.proven();
    asked.failed(fault, true);
    return true;
  }

  /** The device asks for more time: the deadline is moved to `ms` from now, by default the timeout. */
  extend(id: number, ms?: number): boolean {
    return this.#queue.extend(id, ms);
  }

  /** Rejects everything that was asked. */
  failAll(fault: Fault): void {
    this.#queue.failAll(fault);
  }
}

interface Asked<Answer> extends Request {
  send(id: number): void;
  answered(answer: Answer): void;
}
