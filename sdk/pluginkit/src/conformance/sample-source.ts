import { Attribute, DataType, ErrorCode, type Layout, type Sample, Store } from '@tagway/sdk';
import { layoutOf, type RunnerTag } from '@tagway/sdk/internal';
import { tagOf } from '../plugin-harness.ts';

const types = Object.values(DataType);

/** One tag of every data type, and one that is scaled: every second one is reported on change only. */
const all: readonly RunnerTag[] = [
  ...types.map((type, index) =>
    tagOf({ address: String(index), type, attribute: attributeOf(index) }, index),
  ),
  { ...tagOf({ address: 'scaled', type: DataType.INT16 }, types.length), decimal: 0.1, precision: 2 },
];

function attributeOf(index: number): number {
  return Attribute.READ | Attribute.WRITE | (index % 2 === 1 ? Attribute.SUBSCRIBE : 0);
}

/** The number of the suite's group. */
export const group = 1;

/** Makes the samples that apps get in the suite, of a group with tags of every type; no value comes twice in a row. */
export class SampleSource {
  #layout: Layout;
  #version = 0;
  /** Samples made so far. */
  count = 0;

  constructor() {
    this.#layout = this.change({});
  }

  /** The layout of the samples to come. */
  get layout(): Layout {
    return this.#layout;
  }

  /** Makes another version of the group: with other names, with its first tags alone, or with a history. */
  change({ driver = 'plant', name = 'group', count = all.length, keepsHistory = false }): Layout {
    const names = { driver, group: name, interval: 100, ...(keepsHistory && { keepsHistory }) };
    this.#layout = layoutOf(++this.#version, names, all.slice(0, count));
    return this.#layout;
  }

  /** The next whole sample. `isFailing`: every second column has a fault. Some have source times and qualities, in some only a part is due. */
  sample(isFailing = false): Sample {
    const count = ++this.count;
    const { columns } = this.#layout;
    const numbers: number[] = [];
    const integers: bigint[] = [];
    const objects: (string | Uint8Array)[] = [];
    for (const { store, valueType } of columns) {
      if (store === Store.NUMBER) numbers.push(numberAt(valueType, count));
      else if (store === Store.INTEGER) integers.push(integerAt(count));
      else objects.push(objectAt(valueType, count));
    }
    const failed = columns.flatMap((_, index) => (isFailing && index % 2 === 0 ? [index] : []));
    return {
      layout: this.#layout,
      timestamp: Date.now(),
      numbers: Float64Array.from(numbers),
      integers: BigInt64Array.from(integers),
      objects,
      ...faultsAt(failed),
      ...(count % 3 === 0 && { due: Uint8Array.from(columns, ({ onChange }) => (onChange ? 0 : 1)) }),
      ...(count % 2 === 0 && stampsOf(columns.length)),
    };
  }

  /** Changes of the tags that are reported on change: each of them comes twice, and the last one has failed. */
  events(): Sample {
    const changing = this.#layout.columns.flatMap(({ onChange }, index) => (onChange ? [index] : []));
    const rows = Uint32Array.from([...changing, ...changing]);
    const values = [...rows].map((column) => {
      const { valueType } = this.#layout.columns[column] as { valueType: DataType };
      return { valueType, beat: ++this.count };
    });
    return {
      layout: this.#layout,
      timestamp: Date.now(),
      rows,
      numbers: Float64Array.from(values, ({ valueType, beat: count }) => numberAt(valueType, count)),
      integers: BigInt64Array.from(values, ({ beat: count }) => integerAt(count)),
      objects: values.map(({ valueType, beat: count }) => objectAt(valueType, count)),
      ...faultsAt(rows.length === 0 ? [] : [rows.length - 1]),
      ...stampsOf(rows.length),
    };
  }
}

function numberAt(type: DataType, count: number): number {
  if (type === DataType.BIT || type === DataType.BOOL) return count % 2;
  return type === DataType.FLOAT || type === DataType.DOUBLE ? (count % 100) + 0.5 : count % 100;
}

function integerAt(count: number): bigint {
  return 2n ** 60n + BigInt(count);
}

function objectAt(type: DataType, count: number): string | Uint8Array {
  return type === DataType.BYTES ? Uint8Array.of(1, 2, count & 0xff) : `text ${count}`;
}

function faultsAt(places: readonly number[]): Pick<Sample, 'faults' | 'reasons'> {
  const faults = Int32Array.from(places.flatMap((place) => [place, ErrorCode.DISCONNECTED]));
  if (places.length === 0) return { faults };
  const texts = ['The device does not answer.'];
  return { faults, reasons: { texts, indices: new Uint16Array(places.length) } };
}

/** Source times, some of them unknown, and qualities, some of them not good. */
function stampsOf(count: number): Pick<Sample, 'timestamps' | 'qualities'> {
  const now = Date.now();
  return {
    timestamps: Float64Array.from({ length: count }, (_, index) => (index % 3 === 0 ? NaN : now - index)),
    qualities: Uint32Array.from({ length: count }, (_, index) => index % 4),
  };
}
