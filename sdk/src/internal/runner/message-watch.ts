import type { AppMessage, MessageOrigin, MessageSource } from '../../messages.ts';
import type { Delivered } from '../samples/sample-way.ts';
import { soundText } from './sound-fault.ts';

export type Outcome = Pick<Delivered, 'messages' | 'topic' | 'failure'>;

/** Waits for what becomes of the messages of one sample: those with values of its group that are made until `made` is called. */
export class MessageWatch implements Disposable {
  readonly #sources: readonly MessageSource[];
  readonly #of: MessageOrigin;
  readonly #settled: (outcome: Outcome | undefined) => void;
  #count = 0;
  #left = 0;
  #isMade = false;
  #hasEnded = false;
  #topic: string | undefined;
  #failure: string | undefined;

  /** `settled` is called once: with the outcome, or with nothing when there is none to wait for. */
  constructor(
    sources: readonly MessageSource[],
    of: MessageOrigin,
    settled: (outcome: Outcome | undefined) => void,
  ) {
    this.#sources = sources;
    this.#of = of;
    this.#settled = settled;
    // Of messages that were made before this nothing is known: they are not taken for those of the sample.
    for (const source of sources) source.trace(this.#take, this.#add);
  }

  /** All messages of the sample were made. Later ones belong to other samples. */
  made(): void {
    this.#isMade = true;
    if (this.#count === 0) this[Symbol.dispose]();
    else if (this.#left === 0) this.#end(this.#outcome());
  }

  [Symbol.dispose](): void {
    this.#end(undefined);
  }

  readonly #add = (of: MessageOrigin): void => {
    if (this.#isMade || !this.#isOwn(of)) return;
    this.#count++;
    this.#left++;
  };

  readonly #take = ({ direction, topic, of, failure }: AppMessage): void => {
    if (direction !== 'sent' || of === undefined || !this.#isOwn(of) || this.#left === 0) return;
    this.#topic ??= soundText(topic);
    if (failure !== undefined) this.#failure ??= soundText(failure);
    this.#left--;
    if (this.#left === 0 && this.#isMade) this.#end(this.#outcome());
  };

  #outcome(): Outcome {
    return {
      messages: this.#count,
      ...(this.#topic !== undefined && { topic: this.#topic }),
      ...(this.#failure !== undefined && { failure: this.#failure }),
    };
  }

  #end(outcome: Outcome | undefined): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const source of this.#sources) source.trace(undefined);
    this.#settled(outcome);
  }

  #isOwn({ driver, group }: MessageOrigin): boolean {
    return driver === this.#of.driver && group === this.#of.group;
  }
}
