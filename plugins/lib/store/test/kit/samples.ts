import { DataType, type Layout, type Column, type Sample, Store, type TagInfo } from '@tagway/sdk';
import type { Value } from '@tagway/sdk';

/** A tag of a test; what is left out is as most tags have it. */
export type Tag = Pick<TagInfo, 'name' | 'type'> & Partial<Column>;

/** The layout of a group with these tags. */
export function layoutOf(tags: readonly Tag[], more: Partial<Layout> = {}): Layout {
  const places = [0, 0, 0];
  const columns = tags.map(({ name, type, scaled = false, ...rest }): Column => {
    const isWide = type === DataType.INT64 || type === DataType.UINT64;
    const isObject = type === DataType.STRING || type === DataType.BYTES;
    const store = isObject ? Store.OBJECT : isWide && !scaled ? Store.INTEGER : Store.NUMBER;
    const place = places[store] as number;
    places[store] = place + 1;
    return {
      name,
      type,
      valueType: scaled ? DataType.DOUBLE : type,
      precision: 0,
      address: '',
      description: '',
      scaled,
      onChange: false,
      writable: true,
      store,
      place,
      ...rest,
    };
  });
  return { version: 1, driver: 'modbus', group: 'grp', interval: 100, columns, writeOnly: [], ...more };
}

/** A whole sample with these values; a number where the value is `{ fault }` is the code of a fault. */
export function sampleWith(
  layout: Layout,
  values: readonly (Value | { readonly fault: number })[],
  more: Partial<Sample> = {},
): Sample {
  const faults: number[] = [];
  const stores: [number[], bigint[], (string | Uint8Array)[]] = [[], [], []];
  values.forEach((value, index) => {
    const { store } = layout.columns[index] as Column;
    const isFault = typeof value === 'object' && 'fault' in value;
    if (isFault) faults.push(index, value.fault);
    if (store === Store.NUMBER) stores[0].push(isFault ? 0 : Number(value));
    else if (store === Store.INTEGER) stores[1].push(isFault ? 0n : (value as bigint));
    else stores[2].push(isFault ? '' : (value as string | Uint8Array));
  });
  return {
    layout,
    timestamp: 1_650_006_388_943,
    numbers: Float64Array.from(stores[0]),
    integers: BigInt64Array.from(stores[1]),
    objects: stores[2],
    faults: Int32Array.from(faults),
    ...more,
  };
}
