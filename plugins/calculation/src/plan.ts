import { Input, kindOf, narrow } from '@tagway/expression';
import { DataType, formatReference, parseReference, type Inputs, type Point, type Values } from '@tagway/sdk';
import { CalculatedTag } from './calculated-tag.ts';

const { BIT, BOOL, BYTES, INT64, STRING, UINT64 } = DataType;

/** The tags of one group, and which of them read which input. */
export class Plan {
  readonly tags: readonly CalculatedTag[];
  readonly #inputs: readonly Input[];
  readonly #types: (DataType | undefined)[];
  /** Of each input the indices of the tags that read it. */
  readonly #readers: readonly number[][];
  /** Tags that have something new in the call that is under way: their marks, and their indices. */
  readonly #isMarked: Uint8Array;
  readonly #marked: number[] = [];
  /** Tags whose inputs have another type than the one that they were compiled for. */
  readonly #stale = new Set<CalculatedTag>();

  constructor(points: readonly Point[], inputs: Inputs | undefined) {
    const references = inputs?.references.map(formatReference) ?? [];
    this.#inputs = references.map((reference) => new Input(reference));
    this.#types = references.map(() => undefined);
    const byReference = new Map(this.#inputs.map((input) => [input.reference, input]));
    this.tags = points.map((point) => new CalculatedTag(point, (text) => inputOf(byReference, text)));
    const places = new Map(this.#inputs.map((input, index) => [input, index]));
    this.#readers = references.map(() => []);
    for (const [index, { expression }] of this.tags.entries())
      for (const input of expression.inputs) {
        const place = places.get(input);
        if (place !== undefined) this.#readers[place]!.push(index);
      }
    this.#isMarked = new Uint8Array(points.length);
  }

  /** Takes what has arrived. With `into`, the tags that it is about are stored. */
  arrive(inputs: Inputs, into: Values | undefined): void {
    const { timestamp } = inputs;
    for (const input of inputs.fresh) {
      this.#load(inputs, input);
      this.#mark(input);
    }
    this.#compile();
    for (const index of this.#marked) {
      const tag = this.tags[index]!;
      this.#isMarked[index] = 0;
      tag.observe(timestamp, false);
      if (into !== undefined) tag.store(into, index);
    }
    this.#marked.length = 0;
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
    for (const input of this.#inputs.keys()) this.#load(inputs, input);
    this.#compile();
  }

  /** Once for each tag, however many of its inputs have another type. */
  #compile(): void {
    if (this.#stale.size === 0) return;
    for (const tag of this.#stale) tag.compile();
    this.#stale.clear();
  }

  /** What is not as it was last: what is there, and why something is not, may change without a sample. */
  #loadOthers(inputs: Inputs): void {
    for (const [index, input] of this.#inputs.entries())
      if (inputs.fault(index) !== input.fault || !Object.is(inputs.time(index), input.time))
        this.#load(inputs, index);
    this.#compile();
  }

  #mark(input: number): void {
    for (const index of this.#readers[input]!) {
      if (this.#isMarked[index] === 1) continue;
      this.#isMarked[index] = 1;
      this.#marked.push(index);
    }
  }

  #load(inputs: Inputs, index: number): void {
    const input = this.#inputs[index]!;
    const type = inputs.type(index);
    input.samples++;
    input.fault = inputs.fault(index);
    input.time = inputs.time(index);
    input.quality = inputs.quality(index);
    // A tag that is gone keeps its type, so that functions with a state go on when it comes back.
    if (type !== undefined && type !== this.#types[index]) this.#retype(index, type);
    if (input.fault === undefined) input.value = valueOf(inputs, index, this.#types[index]);
  }

  #retype(index: number, type: DataType): void {
    this.#types[index] = type;
    const kind = kindOf(type);
    const input = this.#inputs[index]!;
    if (kind === input.kind) return;
    input.kind = kind;
    for (const reader of this.#readers[index]!) this.#stale.add(this.tags[reader]!);
  }
}

function inputOf(inputs: ReadonlyMap<string, Input>, text: string): Input {
  const reference = parseReference(text);
  return (reference && inputs.get(formatReference(reference))) ?? new Input(text);
}

function valueOf(inputs: Inputs, index: number, type: DataType | undefined): Input['value'] {
  switch (type) {
    case STRING:
      return inputs.text(index);
    case BYTES:
      return inputs.bytes(index);
    case BIT:
    case BOOL:
      return inputs.number(index) !== 0;
    case INT64:
    case UINT64:
      return narrow(inputs.integer(index));
    default:
      return inputs.number(index);
  }
}
