import { ErrorCode } from '@tagway/schemas';
import { abortable } from '../../abortable.ts';
import { Fault } from '../../fault.ts';
import { faultFrom } from './fault-data.ts';
import type { Answer } from './protocol.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(fault: Fault): void;
  readonly deadline: NodeJS.Timeout;
}

/** The requests that one side has sent and the other has not answered yet. */
export class Requests {
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;

  /**
   * Sends by calling `send` with a new id. Rejects with BUSY after `ms`, with the fault of the answer, or with the reason of
   * the signal.
   */
  async ask(ms: number, send: (id: number) => void, what: string, signal?: AbortSignal): Promise<unknown> {
    signal?.throwIfAborted();
    const id = this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const deadline = setTimeout(() => {
      this.#waiting.delete(id);
      reject(new Fault(ErrorCode.BUSY, `There was no answer to "${what}" within ${ms / 1000} s.`));
    }, ms);
    this.#waiting.set(id, { resolve, reject, deadline });
    try {
      send(id);
    } catch (error) {
      // A message that cannot be copied to another process is never answered.
      this.#take(id);
      throw error;
    }
    return abortable(promise, signal, () => this.#take(id));
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Takes an answer; a late one is dropped. */
  settle(answer: Answer): void {
    const waiting = this.#take(answer.id);
    if ('fault' in answer) waiting?.reject(faultFrom(answer.fault));
    else waiting?.resolve(answer.value);
  }

  /** Rejects everything: the other side is gone. */
  abandon(fault: Fault): void {
    for (const id of this.#waiting.keys()) this.#take(id)?.reject(fault);
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    clearTimeout(waiting?.deadline);
    return waiting;
  }
}
