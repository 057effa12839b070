import { ErrorCode } from '@tagway/schemas';
import { Fault } from '../fault.ts';
import { type Answer, faultFrom } from './protocol.ts';

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
  ask(ms: number, send: (id: number) => void, what: string, signal?: AbortSignal): Promise<unknown> {
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    const id = this.#next++;
    const answered = this.#ask(id, ms, send, what);
    if (signal === undefined) return answered;
    const abort = (): void => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      clearTimeout(waiting?.deadline);
      waiting?.reject(signal.reason as Fault);
    };
    signal.addEventListener('abort', abort, { once: true });
    return answered.finally(() => signal.removeEventListener('abort', abort));
  }

  #ask(id: number, ms: number, send: (id: number) => void, what: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Fault(ErrorCode.BUSY, `There was no answer to "${what}" within ${ms / 1000} s.`));
      }, ms);
      this.#waiting.set(id, { resolve, reject, deadline });
      try {
        send(id);
      } catch (error) {
        // What cannot be copied to another process is never answered.
        this.#waiting.delete(id);
        clearTimeout(deadline);
        throw error;
      }
    });
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Takes an answer; a late one is dropped. */
  settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    if (!waiting) return;
    this.#waiting.delete(answer.id);
    clearTimeout(waiting.deadline);
    if ('fault' in answer) waiting.reject(faultFrom(answer.fault));
    else waiting.resolve(answer.value);
  }

  /** Rejects everything: the other side is gone. */
  abandon(fault: Fault): void {
    for (const waiting of this.#waiting.values()) {
      clearTimeout(waiting.deadline);
      waiting.reject(fault);
    }
    this.#waiting.clear();
  }
}
