import {
  DataType,
  ErrorCode,
  Fault,
  inputsOf,
  isFault,
  type Layout,
  type Reference,
  type Sample,
  type Value,
} from '@tagway/sdk';
import type { RunnerHarness } from '@tagway/sdk/harness';
import { dataOf, layoutOf, SampleBuilder, type SubscriptionsData } from '@tagway/sdk/internal';
import { tagOf, type TestPoint } from '../plugin-harness.ts';

/** A value of a tag that is read, or the fault in its place, with its type; DOUBLE, INT64, BOOL or STRING if it has none, by the value. */
export type InputValue = Value | Fault | { readonly value: Value | Fault; readonly type: DataType };

/** What tags that are read have, by the texts of their references. */
export type InputRecord = Readonly<Record<string, InputValue>>;

/** Plays the drivers whose tags a node with inputs reads. */
export class InputSource {
  readonly #runner: RunnerHarness;
  /** Of an app: what its settings refer to. */
  readonly #references: readonly Reference[] | undefined;
  readonly #layouts = new Map<number, Layout>();
  readonly #builders = new Map<number, SampleBuilder>();
  #version = 0;

  constructor(runner: RunnerHarness, references?: readonly Reference[]) {
    this.#runner = runner;
    this.#references = references;
  }

  /** The tags that the values are of are there from now on, and no others, with these values. */
  connect(node: number, values: InputRecord): void {
    this.#runner.send({ op: 'subscriptions', node, ...this.readsOf(values) });
  }

  /** What a node gets when the tags that the values are of are there, and no others. */
  readsOf(values: InputRecord): SubscriptionsData {
    this.#layouts.clear();
    this.#builders.clear();
    for (const [index, [key, entries]] of [...byGroup(values)].entries()) {
      const [driver, group] = JSON.parse(key) as [string, string];
      const number = -1000 - index;
      const tags = entries.map(({ tag, value }) => tagOf({ name: tag, address: tag, type: typeOf(value) }));
      const layout = layoutOf(++this.#version, { driver, group, interval: 100 }, tags);
      this.#layouts.set(number, layout);
      this.#builders.set(number, new SampleBuilder({ group: number, tags, layout }));
    }
    return this.#reads(values);
  }

  /** A sample of each group with these values of the same tags. */
  send(values: InputRecord): void {
    for (const [group, layout] of this.#layouts)
      this.#runner.send({ op: 'sample', sample: dataOf(this.#sample(group, layout, values), group) });
  }

  #reads(values: InputRecord): SubscriptionsData {
    const groups = [...this.#layouts];
    return {
      subscriptions: [],
      layouts: groups.map(([group, layout]) => ({ group, layout })),
      drivers: [],
      reads: {
        groups: groups.map(([group]) => group),
        samples: groups.map(([group, layout]) => dataOf(this.#sample(group, layout, values), group)),
        ...(this.#references && { references: this.#references }),
      },
    };
  }

  #sample(group: number, layout: Layout, values: InputRecord): Sample {
    const builder = this.#builders.get(group)!;
    const draft = builder.draft();
    const entries = byGroup(values).get(JSON.stringify([layout.driver, layout.group])) ?? [];
    for (const [index, { value }] of entries.entries()) {
      const plain = plainOf(value);
      if (isFault(plain)) draft.fault(index, plain);
      else if (typeof plain === 'bigint') draft.integer(index, plain);
      else if (typeof plain === 'string') draft.text(index, plain);
      else if (plain instanceof Uint8Array) draft.bytes(index, plain);
      else draft.number(index, Number(plain));
    }
    const { group: _group, version: _version, ...rest } = builder.finish(draft.values, Date.now());
    return { ...rest, layout };
  }
}

/** The same tags, each with a fault. */
export function failing(values: InputRecord): InputRecord {
  const fault = new Fault(ErrorCode.DISCONNECTED, 'The device of the test is gone.');
  return Object.fromEntries(
    Object.entries(values).map(([text, value]) => [text, { value: fault, type: typeOf(value) }]),
  );
}

/** The references of points that have no value. */
export function withoutValue(points: readonly TestPoint[], values: InputRecord): string[] {
  const known = new Set([...byGroup(values).values()].flat().map(({ text }) => text));
  return inputsOf(points)
    .map(textOf)
    .filter((text) => !known.has(text));
}

interface Entry {
  readonly text: string;
  readonly tag: string;
  readonly value: InputValue;
}

function byGroup(values: InputRecord): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const [given, value] of Object.entries(values)) {
    const [reference] = inputsOf([{ address: `tag("${given}")` }]);
    if (reference === undefined) throw new Error(`"${given}" is no reference.`);
    const { node, group, tag } = reference;
    const key = JSON.stringify([node, group]);
    groups.set(key, [...(groups.get(key) ?? []), { text: textOf(reference), tag, value }]);
  }
  return groups;
}

const textOf = (reference: object): string => JSON.stringify(reference);

function plainOf(value: InputValue): Value | Fault {
  return typeof value === 'object' && 'value' in value ? value.value : value;
}

function typeOf(value: InputValue): DataType {
  if (typeof value === 'object' && 'value' in value) return value.type;
  switch (typeof value) {
    case 'bigint':
      return DataType.INT64;
    case 'boolean':
      return DataType.BOOL;
    case 'string':
      return DataType.STRING;
    default:
      return value instanceof Uint8Array ? DataType.BYTES : DataType.DOUBLE;
  }
}
