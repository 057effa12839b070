import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';

/** Runs pieces of asynchronous work one after the other, in the order of the calls. */
export class Lock {
  #tail: Promise<unknown> = Promise.resolve();
  #pending = 0;

  /** Rejects with BUSY, without running `work`, when `limit` other pieces are not done yet. */
  run<T>(work: () => Promise<T>, limit = Infinity): Promise<T> {
    if (this.#pending >= limit) {
      return Promise.reject(
        new Fault(ErrorCode.BUSY, `The server is busy: ${this.#pending} requests are waiting.`),
      );
    }
    this.#pending++;
    const result = this.#tail.then(work).finally(() => {
      this.#pending--;
    });
    this.#tail = result.catch(() => undefined);
    return result;
  }
}
