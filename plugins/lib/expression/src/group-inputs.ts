import { DataType, formatReference, parseReference, type Inputs } from '@tagway/sdk';
import { Input } from './input.ts';
import { kindOf } from './kinds.ts';
import { narrow } from './whole-numbers.ts';

const { BIT, BOOL, BYTES, INT64, STRING, UINT64 } = DataType;

/** What the tags of one group read, and which of them read which input. Tags are known by their index in the group. */
export class GroupInputs {
  readonly #inputs: readonly Input[];
  readonly #byReference: ReadonlyMap<string, Input>;
  readonly #places: ReadonlyMap<Input, number>;
  readonly #types: (DataType | undefined)[];
  /** Of each input the indices of the tags that read it. */
  readonly #readers: readonly number[][];
  /** Tags that have something new in the call that is under way: their marks, and their indices. */
  readonly #isMarked: Uint8Array;
  readonly #marked: number[] = [];
  /** Tags whose inputs have another type than the one that they were compiled for. */
  readonly #stale = new Set<number>();

  /** `tags`: how many the group has. */
  constructor(inputs: Inputs | undefined, tags: number) {
    const references = inputs?.references.map(formatReference) ?? [];
    this.#inputs = references.map((reference) => new Input(reference));
    this.#byReference = new Map(this.#inputs.map((input) => [input.reference, input]));
    this.#places = new Map(this.#inputs.map((input, index) => [input, index]));
    this.#types = references.map(() => undefined);
    this.#readers = references.map(() => []);
    this.#isMarked = new Uint8Array(tags);
  }

  /** How many inputs there are. */
  get size(): number {
    return this.#inputs.length;
  }

  /** The input of a reference as an expression has it. */
  readonly resolve = (text: string): Input => {
    const reference = parseReference(text);
    return (reference && this.#byReference.get(formatReference(reference))) ?? new Input(text);
  };

  /** A tag reads these inputs, each named once. */
  connect(tag: number, inputs: Iterable<Input>): void {
    for (const input of inputs) {
      const place = this.#places.get(input);
      if (place !== undefined) this.#readers[place]!.push(tag);
    }
  }

  /** The latest of an input that was loaded. */
  at(index: number): Input {
    return this.#inputs[index]!;
  }

  /** Takes what an input has now as a sample of it. */
  load(inputs: Inputs, index: number): void {
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

  /** Whether an input is as it was loaded last: what is there, and why something is not, may change without a sample. */
  isAsLoaded(inputs: Inputs, index: number): boolean {
    const input = this.#inputs[index]!;
    return inputs.fault(index) === input.fault && Object.is(inputs.time(index), input.time);
  }

  /** Marks the tags that read an input. */
  mark(index: number): void {
    for (const tag of this.#readers[index]!) {
      if (this.#isMarked[tag] === 1) continue;
      this.#isMarked[tag] = 1;
      this.#marked.push(tag);
    }
  }

  /** The tags that are marked, each once. */
  get marked(): readonly number[] {
    return this.#marked;
  }

  /** Nothing is marked any more. */
  clearMarks(): void {
    for (const tag of this.#marked) this.#isMarked[tag] = 0;
    this.#marked.length = 0;
  }

  /** Tags that are to be compiled for other types of their inputs, each once, until `clearStale`. */
  get stale(): ReadonlySet<number> {
    return this.#stale;
  }

  clearStale(): void {
    this.#stale.clear();
  }

  #retype(index: number, type: DataType): void {
    this.#types[index] = type;
    const kind = kindOf(type);
    const input = this.#inputs[index]!;
    if (kind === input.kind) return;
    input.kind = kind;
    for (const reader of this.#readers[index]!) this.#stale.add(reader);
  }
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
