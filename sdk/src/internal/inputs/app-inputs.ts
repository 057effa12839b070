import { isDeepStrictEqual } from 'node:util';
import type { Reference } from '@tagway/schemas';
import type { Inputs } from '../../inputs.ts';
import type { Sample } from '../../sample.ts';
import { InputValues } from './input-values.ts';
import type { Reads } from './known-layouts.ts';

type Take = (inputs: Inputs) => void | Promise<void>;

/** What the settings of an app refer to, and the calls that follow from it. */
export class AppInputs {
  #values = new InputValues([]);
  #groups: readonly number[] = [];

  /** Numbers of the groups that are read. */
  get groups(): Iterable<number> {
    return this.#groups;
  }

  /** Whether samples with this number are of what is read. */
  has(group: number): boolean {
    return this.#values.has(group);
  }

  /** Takes what is read now. Whether any input is another one than before. */
  connect(references: readonly Reference[], { layouts, present }: Reads): boolean {
    const isOther = !isDeepStrictEqual(references, this.#values.references);
    if (isOther) {
      const before = this.#values;
      this.#values = new InputValues(references);
      this.#values.adopt(before);
    }
    this.#groups = [...layouts.keys()];
    if (!this.#values.connect(layouts) && !isOther) return false;
    for (const [group, sample] of present) this.#values.take(group, sample);
    return true;
  }

  /** Calls the app with all inputs as they are; it does not where there are none. */
  reportAll(now: number, take: Take): void | Promise<void> {
    if (this.#values.count === 0) return undefined;
    this.#values.settle(now);
    this.#values.fresh = Uint32Array.from(this.#values.references.keys());
    return take(this.#values);
  }

  /** Calls the app for a sample, of events as often as an input comes twice. A promise is pending as long as one of the calls is. */
  deliver(group: number, sample: Sample, take: Take): void | Promise<void> {
    let row = 0;
    do {
      row = this.#values.take(group, sample, row);
      if (this.#values.fresh.length === 0) continue;
      const call = take(this.#values);
      if (call) return this.#deliverRest(call, group, sample, row, take);
    } while (row > 0);
    return undefined;
  }

  async #deliverRest(
    first: Promise<void>,
    group: number,
    sample: Sample,
    from: number,
    take: Take,
  ): Promise<void> {
    await first;
    let row = from;
    while (row > 0) {
      row = this.#values.take(group, sample, row);
      if (this.#values.fresh.length > 0) await take(this.#values);
    }
  }
}
