import { keys, type NameSeparatorRecord } from '../records/records.ts';
import type { State } from '../records/state.ts';

/** What the page cuts names at to make a tree of the tags, for all who look at it: `plant/line 1/oven`. */
export class NameSeparator {
  readonly #state: State;
  #text = '/';

  constructor(state: State) {
    this.#state = state;
  }

  /** Takes what is stored, in the place of what was. */
  load(record: NameSeparatorRecord | undefined): void {
    this.#text = record?.text ?? '/';
  }

  /** Empty: names are not cut. */
  get text(): string {
    return this.#text;
  }

  set(text: string): Promise<void> {
    return this.#state.change(async () => {
      const record: NameSeparatorRecord = { text };
      await this.#state.commit({ set: [[keys.nameSeparator, record]] });
      this.#text = text;
    });
  }
}
