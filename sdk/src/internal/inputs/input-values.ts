import { DataType, ErrorCode, errorMeaning, formatReference, type Reference } from '@tagway/schemas';
import { Fault } from '../../fault.ts';
import type { Inputs } from '../../inputs.ts';
import { type Layout, type Sample, Store } from '../../sample.ts';

const none = new Uint32Array(0);
const noBytes = new Uint8Array(0);

/** How the columns of a group that is read are inputs. */
interface Source {
  readonly layout: Layout;
  /** The input of each column, or -1. */
  readonly inputOf: Int32Array;
  /** All inputs of the group, ascending. */
  readonly all: Uint32Array;
}

/** The latest values of what the points of one group, or the settings of an app, refer to. */
export class InputValues implements Inputs {
  readonly references: readonly Reference[];
  fresh: Uint32Array = none;
  timestamp = NaN;
  readonly #texts: readonly string[];
  readonly #types: (DataType | undefined)[];
  readonly #numbers: Float64Array;
  readonly #integers: BigInt64Array;
  readonly #objects: (string | Uint8Array)[];
  readonly #faults: (Fault | undefined)[];
  readonly #times: Float64Array;
  readonly #qualities: Uint32Array;
  /** By the number of the group that is read. */
  #sources = new Map<number, Source>();
  /** 1 for each input that the present step has. */
  readonly #marks: Uint8Array;

  constructor(references: readonly Reference[]) {
    this.references = Object.freeze(references);
    const count = this.references.length;
    this.#texts = this.references.map(formatReference);
    this.#types = new Array<DataType | undefined>(count).fill(undefined);
    this.#numbers = new Float64Array(count).fill(NaN);
    this.#integers = new BigInt64Array(count);
    this.#objects = new Array<string>(count).fill('');
    this.#faults = this.#texts.map(missing);
    this.#times = new Float64Array(count).fill(NaN);
    this.#qualities = new Uint32Array(count);
    this.#marks = new Uint8Array(count);
  }

  get count(): number {
    return this.references.length;
  }

  /** Goes on with the values of the same references of `earlier`, in the place of which it stands. */
  adopt(earlier: InputValues): void {
    const indices = new Map(earlier.#texts.map((text, index) => [text, index]));
    for (const [input, text] of this.#texts.entries()) {
      const from = indices.get(text);
      if (from === undefined) continue;
      this.#types[input] = earlier.#types[from];
      this.#numbers[input] = earlier.#numbers[from]!;
      this.#integers[input] = earlier.#integers[from]!;
      this.#objects[input] = earlier.#objects[from]!;
      this.#faults[input] = earlier.#faults[from];
      this.#times[input] = earlier.#times[from]!;
      this.#qualities[input] = earlier.#qualities[from]!;
    }
  }

  /**
   * Takes the layouts of all groups that are read, by their numbers. An input that is new, or of another type than before, is not ready until
   * the next sample of its group; one whose tag is not there any more has a fault. Whether any input is another one than before.
   */
  connect(layouts: ReadonlyMap<number, Layout>): boolean {
    const before = this.#sources;
    const inputsOfGroups = this.#byGroup();
    const found = new Uint8Array(this.count);
    let isOther = false;
    this.#sources = new Map();
    for (const [group, layout] of layouts) {
      const inputs = inputsOfGroups.get(groupKey(layout.driver, layout.group));
      if (inputs === undefined) continue;
      const known = before.get(group);
      const source = known?.layout === layout ? known : sourceOf(layout, inputs);
      this.#sources.set(group, source);
      for (const [column, input] of source.inputOf.entries()) {
        if (input < 0) continue;
        found[input] = 1;
        const { valueType } = layout.columns[column]!;
        if (this.#types[input] === valueType) continue;
        isOther = true;
        this.#types[input] = valueType;
        this.#await(input);
      }
    }
    for (let input = 0; input < found.length; input++) {
      if (found[input] === 1 || this.#types[input] === undefined) continue;
      isOther = true;
      this.#await(input);
      this.#types[input] = undefined;
      this.#faults[input] = missing(this.#texts[input]!);
    }
    return isOther;
  }

  /** Whether the group is one of those that are read. */
  has(group: number): boolean {
    return this.#sources.has(group);
  }

  /**
   * Takes a sample of a group: all of it, or its events from the row `from` on, up to the first one of an input that came before. Returns the
   * row where the next step begins; 0 when there is none. Without anything that is read, `fresh` is empty.
   */
  take(group: number, sample: Sample, from = 0): number {
    const source = this.#sources.get(group);
    this.fresh = none;
    if (source === undefined || source.layout !== sample.layout) return 0;
    this.timestamp = sample.timestamp;
    return sample.rows === undefined ? this.#takeWhole(source, sample) : this.#takeRows(source, sample, from);
  }

  /** A call that no sample has caused. */
  settle(now: number): void {
    this.fresh = none;
    this.timestamp = now;
  }

  type(index: number): DataType | undefined {
    return this.#types[index];
  }

  number(index: number): number {
    return this.#numbers[index]!;
  }

  integer(index: number): bigint {
    const value = this.#integers[index]!;
    return this.#types[index] === DataType.UINT64 ? BigInt.asUintN(64, value) : value;
  }

  text(index: number): string {
    const value = this.#objects[index];
    return typeof value === 'string' ? value : '';
  }

  bytes(index: number): Uint8Array {
    const value = this.#objects[index];
    return value instanceof Uint8Array ? value : noBytes;
  }

  fault(index: number): Fault | undefined {
    return this.#faults[index];
  }

  time(index: number): number {
    return this.#times[index]!;
  }

  quality(index: number): number {
    return this.#qualities[index]!;
  }

  #takeWhole(source: Source, sample: Sample): number {
    const { inputOf, layout } = source;
    const { columns } = layout;
    const { faults, timestamps, qualities, timestamp } = sample;
    let next = 0;
    for (let column = 0; column < inputOf.length; column++) {
      const failed = faults[next] === column ? next : -1;
      if (failed >= 0) next += 2;
      const input = inputOf[column]!;
      if (input < 0) continue;
      const { store, place } = columns[column]!;
      this.#put(input, sample, failed, store, place);
      const time = timestamps?.[column] ?? NaN;
      this.#times[input] = Number.isNaN(time) ? timestamp : time;
      this.#qualities[input] = qualities?.[column] ?? 0;
    }
    this.fresh = source.all;
    return 0;
  }

  #takeRows(source: Source, sample: Sample, from: number): number {
    const { inputOf, layout } = source;
    const { faults, timestamps, qualities, timestamp } = sample;
    const rows = sample.rows!;
    const marks = this.#marks;
    const fresh: number[] = [];
    let next = 0;
    while (next < faults.length && faults[next]! < from) next += 2;
    let row = from;
    for (; row < rows.length; row++) {
      const column = rows[row]!;
      const failed = faults[next] === row ? next : -1;
      const input = inputOf[column]!;
      if (input >= 0) {
        if (marks[input] === 1) break;
        marks[input] = 1;
        fresh.push(input);
        this.#put(input, sample, failed, layout.columns[column]!.store, row);
        const time = timestamps?.[row] ?? NaN;
        this.#times[input] = Number.isNaN(time) ? timestamp : time;
        this.#qualities[input] = qualities?.[row] ?? 0;
      }
      if (failed >= 0) next += 2;
    }
    for (const input of fresh) marks[input] = 0;
    this.fresh = Uint32Array.from(fresh).sort();
    return row < rows.length ? row : 0;
  }

  /** `failed`: the place of its pair among the faults, or -1. */
  #put(input: number, sample: Sample, failed: number, store: Store, place: number): void {
    if (failed >= 0) {
      const code = sample.faults[failed + 1]!;
      const { reasons } = sample;
      const reason = reasons?.texts[reasons.indices[failed / 2] ?? 0] ?? '';
      this.#fail(input, code, reason === '' ? errorMeaning(code) : reason);
      return;
    }
    this.#faults[input] = undefined;
    if (store === Store.NUMBER) this.#numbers[input] = sample.numbers[place]!;
    else if (store === Store.INTEGER) this.#integers[input] = sample.integers[place]!;
    else this.#objects[input] = sample.objects[place] ?? '';
  }

  #fail(input: number, code: number, reason: string): void {
    const text = `"${this.#texts[input]!}" has no value: ${reason}`;
    const before = this.#faults[input];
    if (before?.code !== code || before.message !== text) this.#faults[input] = new Fault(code, text);
    this.#numbers[input] = NaN;
    this.#integers[input] = 0n;
    this.#objects[input] = '';
  }

  #await(input: number): void {
    this.#fail(input, ErrorCode.NOT_READY, 'it was not read yet.');
    this.#times[input] = NaN;
    this.#qualities[input] = 0;
  }

  /** The inputs of each group, with the names of their tags. */
  #byGroup(): Map<string, Map<string, number>> {
    const groups = new Map<string, Map<string, number>>();
    for (const [input, { node, group, tag }] of this.references.entries()) {
      const key = groupKey(node, group);
      const tags = groups.get(key) ?? new Map<string, number>();
      groups.set(key, tags.set(tag, input));
    }
    return groups;
  }
}

function groupKey(node: string, group: string): string {
  return JSON.stringify([node, group]);
}

function missing(text: string): Fault {
  return new Fault(ErrorCode.TAG_NOT_FOUND, `There is no tag "${text}" that can be read.`);
}

function sourceOf(layout: Layout, inputs: ReadonlyMap<string, number>): Source {
  const inputOf = Int32Array.from(layout.columns, ({ name }) => inputs.get(name) ?? -1);
  return { layout, inputOf, all: inputOf.filter((input) => input >= 0).sort() as unknown as Uint32Array };
}
