import { SignalQueue, type SignalQueueOptions } from './signal-queue.ts';

/** Milliseconds after which what was gathered is sent. */
const pause = 1000;
/** Things, and their characters, that are gathered at most until then: those that come later are dropped. */
const thingsMost = 2000;
const charactersMost = 2 << 20;
/** Things of a request. */
const requestMost = 500;

export interface GatheredExportOptions<T> extends SignalQueueOptions {
  readonly encode: (things: T[]) => Uint8Array;
  /** Characters that a thing takes of the memory. */
  readonly sizeOf: (thing: T) => number;
}

/** Sends what comes one by one, such as entries of a log, soon and together. */
export class GatheredExport<T> {
  readonly #options: GatheredExportOptions<T>;
  readonly #queue: SignalQueue;
  #things: T[] = [];
  #characters = 0;
  #timer: NodeJS.Timeout | undefined;
  #adding: Promise<void> = Promise.resolve();

  constructor(options: GatheredExportOptions<T>) {
    this.#options = options;
    this.#queue = new SignalQueue(options);
  }

  /** `make` is called when there is room. Never throws unless `make` does. */
  take(make: () => T): void {
    if (this.#things.length >= thingsMost || this.#characters >= charactersMost) {
      this.#options.counts.dropped++;
      return;
    }
    const thing = make();
    this.#things.push(thing);
    this.#characters += this.#options.sizeOf(thing);
    this.#timer ??= setTimeout(() => this.#flush(), pause);
  }

  async close(milliseconds: number): Promise<void> {
    this.#flush();
    await this.#adding;
    await this.#queue.close(milliseconds);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const things = this.#things;
    this.#things = [];
    this.#characters = 0;
    this.#adding = this.#adding.then(async () => {
      for (let from = 0; from < things.length; from += requestMost) {
        const part = things.slice(from, from + requestMost);
        await this.#queue.add(this.#options.encode(part), part.length);
      }
    });
  }
}
