import { ErrorCode } from '@tagway/schemas';
import { Fault } from '../../fault.ts';
import type { Write } from '../../point.ts';
import type { Results } from '../../results.ts';
import type { RunnerRequest } from '../channel/protocol.ts';
import { soundFault } from './sound-fault.ts';

const unconfirmed = new Fault(ErrorCode.WRITE_FAILED, 'The driver did not confirm the write.');

/** The writes of a request, as a driver gets them. */
export function writesOf({ by, writes }: Extract<RunnerRequest, { readonly op: 'write' }>): Write[] {
  return writes.map(({ tag, value }) => ({ point: tag, value, ...(by && { by }) }));
}

/** The results that a driver reports for some writes, until its call has settled. */
export class WriteResults implements Results {
  /** Undefined: no result yet; null: done. */
  readonly #entries: (Fault | null | undefined)[];
  readonly #confirmed: (index: number) => void;
  #open = true;

  /** `confirmed` is called for each write as soon as it is done. */
  constructor(count: number, confirmed: (index: number) => void) {
    this.#entries = new Array<Fault | null | undefined>(count).fill(undefined);
    this.#confirmed = confirmed;
  }

  done(index: number): void {
    if (this.#put(index, null)) this.#confirmed(index);
  }

  fault(index: number, fault: Fault): void {
    this.#put(index, soundFault(fault, ErrorCode.WRITE_FAILED));
  }

  close(): void {
    this.#open = false;
  }

  /** The writes that failed; those without a result get `missing`. */
  faults(missing = unconfirmed): (readonly [index: number, fault: Fault])[] {
    return this.#entries.flatMap((entry, index) =>
      entry === null ? [] : [[index, entry ?? missing] as const],
    );
  }

  #put(index: number, entry: Fault | null): boolean {
    const isTaken = this.#open && index >= 0 && index < this.#entries.length;
    if (isTaken) this.#entries[index] = entry;
    return isTaken;
  }
}
