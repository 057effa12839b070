import { type Notice, type QueuedSample, type QueueEvents, SampleQueue, sizeOf } from './sample-queue.ts';

export interface OutletLimits {
  /** Bytes that may be on their way. */
  readonly window?: number;
  /** Bytes that may wait. */
  readonly queue?: number;
}

/**
 * Sends samples through a channel that may be slower than the samples: at most a window of bytes is in transit, the rest waits
 * in a queue, which keeps the newest. Notices keep their order among them.
 */
export class SampleOutlet<S extends QueuedSample> {
  readonly #send: (sample: S, done: () => void) => void;
  readonly #queue: SampleQueue<S>;
  readonly #window: number;
  #underway = 0;
  #isPassing = false;
  #isFull = false;
  #room = Promise.withResolvers<void>();

  constructor(
    send: (sample: S, done: () => void) => void,
    events: QueueEvents<S>,
    { window = 4_000_000, queue = 32_000_000 }: OutletLimits = {},
  ) {
    this.#send = send;
    this.#window = window;
    this.#queue = new SampleQueue(queue, events);
    this.#room.resolve();
  }

  get hasRoom(): boolean {
    return this.#queue.length === 0 && this.#underway <= this.#window;
  }

  /** Resolves when there is room again. */
  get drained(): Promise<void> {
    return this.#room.promise;
  }

  /** Whether the sample was sent at once; the channel has copied it then. */
  push(sample: S): boolean {
    const { hasRoom } = this;
    if (hasRoom) this.#pass(sample);
    else this.#queue.push(sample);
    if (!this.hasRoom) this.#full();
    return hasRoom;
  }

  /** Runs `notice` once everything that was pushed before is on its way. */
  after(notice: Notice): void {
    if (this.#queue.length === 0) notice();
    else this.#queue.push(notice);
  }

  #pass(sample: S): void {
    const size = sizeOf(sample);
    this.#underway += size;
    this.#send(sample, () => {
      this.#underway -= size;
      // A closed channel calls this at once; the loop in `#passWaiting` then goes on by itself.
      if (!this.#isPassing) this.#passWaiting();
    });
  }

  #passWaiting(): void {
    this.#isPassing = true;
    while (this.#underway <= this.#window) {
      const next = this.#queue.shift();
      if (next === undefined) break;
      if (typeof next === 'function') next();
      else this.#pass(next);
    }
    this.#isPassing = false;
    if (this.#isFull && this.hasRoom) {
      this.#isFull = false;
      this.#room.resolve();
    }
  }

  #full(): void {
    if (this.#isFull) return;
    this.#isFull = true;
    this.#room = Promise.withResolvers();
  }
}
