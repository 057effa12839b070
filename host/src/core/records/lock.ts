import { ErrorCode } from '@tagway/schemas';
import { Refusal, sentence } from '../system/sentence.ts';

/** Work that is done one after the other. */
interface Lane {
  tail: Promise<unknown>;
  pending: number;
}

/** Runs pieces of asynchronous work one after the other, in the order of the calls, or `atOnce` of them at a time. */
export class Lock {
  readonly #lanes: readonly Lane[];

  constructor(atOnce = 1) {
    this.#lanes = Array.from({ length: atOnce }, () => ({ tail: Promise.resolve(), pending: 0 }));
  }

  /** Rejects with BUSY, without running `work`, when `limit` other pieces are not done yet. */
  run<T>(work: () => Promise<T>, limit = Infinity): Promise<T> {
    const pending = this.#lanes.reduce((sum, lane) => sum + lane.pending, 0);
    if (pending >= limit) {
      return Promise.reject(
        new Refusal(ErrorCode.BUSY, sentence`The server is busy: ${pending} requests are waiting.`),
      );
    }
    const lane = this.#lanes.reduce((one, other) => (other.pending < one.pending ? other : one));
    lane.pending++;
    const result = lane.tail.then(work).finally(() => {
      lane.pending--;
    });
    lane.tail = result.catch(() => undefined);
    return result;
  }
}
