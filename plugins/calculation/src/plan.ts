import { GroupInputs } from '@tagway/expression';
import type { Inputs, Point, Values } from '@tagway/sdk';
import { CalculatedTag } from './calculated-tag.ts';

/** The tags of one group, and what they read. */
export class Plan {
  readonly tags: readonly CalculatedTag[];
  readonly #inputs: GroupInputs;

  constructor(points: readonly Point[], inputs: Inputs | undefined) {
    this.#inputs = new GroupInputs(inputs, points.length);
    this.tags = points.map((point) => new CalculatedTag(point, this.#inputs.resolve));
    for (const [index, { expression }] of this.tags.entries()) this.#inputs.connect(index, expression.inputs);
  }

  /** Takes what has arrived. With `into`, the tags that it is about are stored. */
  arrive(inputs: Inputs, into: Values | undefined): void {
    const { timestamp } = inputs;
    for (const input of inputs.fresh) {
      this.#inputs.load(inputs, input);
      this.#inputs.mark(input);
    }
    this.#compile();
    for (const index of this.#inputs.marked) {
      const tag = this.tags[index]!;
      tag.observe(timestamp, false);
      if (into !== undefined) tag.store(into, index);
    }
    this.#inputs.clearMarks();
  }

  /** A tick, or somebody who asks: time has passed. Stores all tags. */
  tick(inputs: Inputs | undefined, now: number, into: Values): void {
    if (inputs !== undefined) this.#loadOthers(inputs);
    for (const [index, tag] of this.tags.entries()) {
      tag.observe(now, true);
      tag.store(into, index);
    }
  }

  /** Takes everything that is there. */
  load(inputs: Inputs): void {
    for (let input = 0; input < this.#inputs.size; input++) this.#inputs.load(inputs, input);
    this.#compile();
  }

  /** Once for each tag, however many of its inputs have another type. */
  #compile(): void {
    if (this.#inputs.stale.size === 0) return;
    for (const index of this.#inputs.stale) this.tags[index]!.compile();
    this.#inputs.clearStale();
  }

  /** What is not as it was last. */
  #loadOthers(inputs: Inputs): void {
    for (let input = 0; input < this.#inputs.size; input++)
      if (!this.#inputs.isAsLoaded(inputs, input)) this.#inputs.load(inputs, input);
    this.#compile();
  }
}
