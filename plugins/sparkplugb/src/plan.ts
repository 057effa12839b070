import type { Layout, TagInfo } from '@tagway/sdk';
import { kindOf, typeOf } from './datatype.ts';
import { prefixesOf, type Prefixes } from './metric-writer.ts';
import { maxVarint, MetricKey, writeVarint } from './wire.ts';

function varint(value: number): Uint8Array {
  const bytes = new Uint8Array(maxVarint);
  return bytes.subarray(0, writeVarint(bytes, 0, value));
}

function nameField(name: string): Uint8Array {
  const bytes = Buffer.from(name);
  return Buffer.concat([Buffer.of(MetricKey.NAME), varint(bytes.length), bytes]);
}

function aliasField(alias: number): Uint8Array {
  return Buffer.concat([Buffer.of(MetricKey.ALIAS), varint(alias)]);
}

const timestamp = Buffer.of(MetricKey.TIMESTAMP);

/**
 * How one group becomes metrics: what is prepared once per layout. Metrics are the columns in their order, and after them the tags
 * that can be written only.
 */
export class GroupPlan {
  readonly layout: Layout;
  readonly tags: readonly TagInfo[];
  readonly names: readonly string[];
  /** Absent when metrics are called by their names. */
  readonly aliases: readonly number[] | undefined;
  readonly kinds: Uint8Array;
  readonly places: Uint32Array;
  readonly data: Prefixes;
  #birth: Prefixes | undefined;

  constructor(layout: Layout, names: readonly string[], aliases: readonly number[] | undefined) {
    this.layout = layout;
    this.tags = [...layout.columns, ...layout.writeOnly];
    this.names = names;
    this.aliases = aliases;
    this.kinds = Uint8Array.from(layout.columns, kindOf);
    this.places = Uint32Array.from(layout.columns, ({ place }) => place);
    this.data = prefixesOf(
      this.tags.map((_tag, index) => {
        const id =
          aliases === undefined ? nameField(names[index] as string) : aliasField(aliases[index] as number);
        return Buffer.concat([id, timestamp]);
      }),
    );
  }

  /** Whether the metrics have these names and aliases. */
  isNamed(names: readonly string[], aliases: readonly number[] | undefined): boolean {
    return isEqual(names, this.names) && isEqual(aliases ?? [], this.aliases ?? []);
  }

  /** With the name, the alias if there is one, and the data type. */
  get birth(): Prefixes {
    return (this.#birth ??= prefixesOf(
      this.tags.map((tag, index) => {
        const alias = this.aliases?.[index];
        return Buffer.concat([
          nameField(this.names[index] as string),
          alias === undefined ? Buffer.alloc(0) : aliasField(alias),
          Buffer.of(MetricKey.DATATYPE, typeOf(tag)),
          timestamp,
        ]);
      }),
    ));
  }
}

function isEqual<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
