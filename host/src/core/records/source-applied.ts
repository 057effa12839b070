import { keys, type SourceRecord } from './records.ts';
import type { State } from './state.ts';

/** What was pulled last from a source and applied; both gateways of a pair know it. */
export class SourceApplied {
  readonly #state: State;
  #record: SourceRecord | undefined;

  constructor(state: State) {
    this.#state = state;
  }

  /** Takes what is stored, in the place of what was. */
  load(record: SourceRecord | undefined): void {
    this.#record = record;
  }

  get record(): SourceRecord | undefined {
    return this.#record;
  }

  set(record: SourceRecord): Promise<void> {
    return this.#state.changeValues(async () => {
      await this.#state.commit({ set: [[keys.source, record]] });
      this.#record = record;
    }, true);
  }
}
