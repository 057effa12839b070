import type { Layout, TagInfo } from '@tagway/sdk';
import { typeOf, valueKeyOf } from './datatype.ts';
import { prefixesOf, type Prefixes } from './metric-writer.ts';
import { birthFields } from './properties.ts';
import { bytesField, MetricKey, numberField } from './wire.ts';

function nameField(name: string): Uint8Array {
  return bytesField(MetricKey.NAME, Buffer.from(name));
}

const timestamp = Buffer.of(MetricKey.TIMESTAMP);

/** The metrics of one group, prepared once per layout: the columns in their order, and after them the tags that can only be written. */
export class GroupPlan {
  readonly layout: Layout;
  readonly tags: readonly TagInfo[];
  readonly names: readonly string[];
  /** Absent when data has the names of metrics. */
  readonly aliases: readonly number[] | undefined;
  readonly valueKeys: Uint8Array;
  readonly places: Uint32Array;
  readonly data: Prefixes;
  #birth: Prefixes | undefined;

  constructor(layout: Layout, names: readonly string[], aliases: readonly number[] | undefined) {
    this.layout = layout;
    this.tags = [...layout.columns, ...layout.writeOnly];
    this.names = names;
    this.aliases = aliases;
    this.valueKeys = Uint8Array.from(layout.columns, (column) => valueKeyOf(typeOf(column)));
    this.places = Uint32Array.from(layout.columns, ({ place }) => place);
    this.data = prefixesOf(
      this.tags.map((_tag, index) => {
        const id =
          aliases === undefined
            ? nameField(names[index] as string)
            : numberField(MetricKey.ALIAS, aliases[index] as number);
        return Buffer.concat([id, timestamp]);
      }),
    );
  }

  /** Whether the metrics have these names and aliases. */
  isNamed(names: readonly string[], aliases: readonly number[] | undefined): boolean {
    return isEqual(names, this.names) && isEqual(aliases ?? [], this.aliases ?? []);
  }

  /** For a birth: name, alias if there is one, data type, unit and span of each metric. */
  get birth(): Prefixes {
    return (this.#birth ??= prefixesOf(
      this.tags.map((tag, index) => {
        const alias = this.aliases?.[index];
        return Buffer.concat([
          nameField(this.names[index] as string),
          alias === undefined ? Buffer.alloc(0) : numberField(MetricKey.ALIAS, alias),
          Buffer.of(MetricKey.DATATYPE, typeOf(tag)),
          timestamp,
        ]);
      }),
      this.tags.map(birthFields),
    ));
  }
}

function isEqual<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
