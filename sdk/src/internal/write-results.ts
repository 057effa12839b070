import { ErrorCode } from '@tagway/schemas';
import { Fault } from '../fault.ts';
import type { Results } from '../results.ts';
import { soundFault } from './sound-fault.ts';

const unconfirmed = new Fault(ErrorCode.WRITE_FAILED, 'The driver did not confirm the write.');

/** What a driver says of some writes, until its call has settled. */
export class WriteResults implements Results {
  /** Undefined: nothing was said; null: done. */
  readonly #entries: (Fault | null | undefined)[];
  #open = true;

  constructor(count: number) {
    this.#entries = new Array<Fault | null | undefined>(count).fill(undefined);
  }

  done(index: number): void {
    this.#put(index, null);
  }

  fault(index: number, fault: Fault): void {
    this.#put(index, soundFault(fault, ErrorCode.WRITE_FAILED));
  }

  close(): void {
    this.#open = false;
  }

  /** The writes that failed; those of which nothing was said with `missing`. */
  faults(missing = unconfirmed): (readonly [index: number, fault: Fault])[] {
    return this.#entries.flatMap((entry, index) =>
      entry === null ? [] : [[index, entry ?? missing] as const],
    );
  }

  #put(index: number, entry: Fault | null): void {
    if (this.#open && index >= 0 && index < this.#entries.length) this.#entries[index] = entry;
  }
}
