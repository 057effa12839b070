import { DataType, type Layout, type Sample, type Subscription } from '@tagway/sdk';
import { layoutOf, sampleWith } from './samples.ts';

/** A group of two tags: `tag0` is a number, `tag1` the largest integer of 64 bits. */
export const layout: Layout = layoutOf([
  { name: 'tag0', type: DataType.INT32 },
  { name: 'tag1', type: DataType.INT64 },
]);

export const subscription: Subscription = { id: 1, driver: 'modbus', group: 'grp', layout };

export function sampleOf(tag0: number, more: Partial<Sample> = {}): Sample {
  return sampleWith(layout, [tag0, 0x7fff_ffff_ffff_ffffn], more);
}
