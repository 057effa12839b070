import { DataType, Fault, placesOf, Store, storeOf, type Layout, type Sample, type Value } from '@tagway/sdk';

/** The values of a sample in the order of its columns, each in the form of its type, and faults in their places. */
export function valuesOf({ columns }: Layout, sample: Sample): (Value | Fault)[] {
  const places = placesOf(columns);
  const faults = new Map<number, number>();
  for (let at = 0; at < sample.faults.length; at += 2) {
    faults.set(sample.faults[at] ?? -1, sample.faults[at + 1] ?? 0);
  }
  return columns.map((column, index) => {
    const code = faults.get(index);
    if (code !== undefined) return new Fault(code);
    const place = places[index] ?? 0;
    const store = storeOf(column);
    if (store === Store.OBJECT) return sample.objects[place] ?? '';
    if (store === Store.INTEGER) {
      const bits = sample.integers[place] ?? 0n;
      return column.type === DataType.UINT64 ? BigInt.asUintN(64, bits) : bits;
    }
    const value = sample.numbers[place] ?? 0;
    return column.type === DataType.BOOL ? value !== 0 : value;
  });
}

/** What typeof says of a value of each type. */
export function kindOf(type: DataType): string {
  if (type === DataType.INT64 || type === DataType.UINT64) return 'bigint';
  if (type === DataType.BOOL) return 'boolean';
  if (type === DataType.STRING) return 'string';
  return type === DataType.BYTES ? 'object' : 'number';
}
