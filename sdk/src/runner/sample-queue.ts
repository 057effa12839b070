import type { Sample } from '../sample.ts';

/** Approximate size of a sample in bytes. */
export function sizeOf(sample: Sample): number {
  let size = 128 + sample.numbers.byteLength + sample.integers.byteLength + sample.faults.byteLength;
  for (const item of sample.objects) size += 24 + item.length;
  return size;
}

/**
 * Samples that a receiver is too slow to take: the newest that fit, oldest first. A dropped sample hands what it was to
 * report on to the next sample of its group, so that a change is late but never lost.
 */
export class SampleQueue {
  /** How many samples were dropped so far. */
  dropped = 0;
  readonly #limit: number;
  #samples: Sample[] = [];
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  get length(): number {
    return this.#samples.length;
  }

  push(sample: Sample): void {
    this.#samples.push(sample);
    this.#bytes += sizeOf(sample);
    while (this.#bytes > this.#limit && this.#samples.length > 1) {
      const oldest = this.shift();
      if (!oldest) break;
      this.dropped++;
      const heir = this.#samples.findIndex(
        (one) => one.group === oldest.group && one.version === oldest.version,
      );
      const next = this.#samples[heir];
      if (next) this.#samples[heir] = inherit(next, oldest);
    }
  }

  shift(): Sample | undefined {
    const sample = this.#samples.shift();
    if (sample) this.#bytes -= sizeOf(sample);
    return sample;
  }

  clear(): void {
    this.#samples = [];
    this.#bytes = 0;
  }
}

function inherit(next: Sample, dropped: Sample): Sample {
  if (!next.report) return next;
  const { report: mask, ...rest } = next;
  if (!dropped.report) return rest;
  const dues = dropped.report;
  return { ...next, report: mask.map((due, column) => due | (dues[column] ?? 0)) };
}

/**
 * Sends samples through a channel that may be slower than they come: at most a window of bytes is on its way, the rest waits
 * in a queue of the newest.
 */
export class SampleOutlet {
  readonly #send: (sample: Sample, done: () => void) => void;
  readonly #queue: SampleQueue;
  readonly #window: number;
  #underway = 0;

  constructor(
    send: (sample: Sample, done: () => void) => void,
    windowBytes = 4_000_000,
    queueBytes = 32_000_000,
  ) {
    this.#send = send;
    this.#window = windowBytes;
    this.#queue = new SampleQueue(queueBytes);
  }

  get dropped(): number {
    return this.#queue.dropped;
  }

  push(sample: Sample): void {
    if (this.#queue.length > 0 || this.#underway > this.#window) this.#queue.push(sample);
    else this.#pass(sample);
  }

  #pass(sample: Sample): void {
    const size = sizeOf(sample);
    this.#underway += size;
    this.#send(sample, () => {
      this.#underway -= size;
      while (this.#underway <= this.#window) {
        const next = this.#queue.shift();
        if (!next) break;
        this.#pass(next);
      }
    });
  }
}
