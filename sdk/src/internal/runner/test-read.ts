import { ErrorCode } from '@tagway/schemas';
import { Fault } from '../../fault.ts';
import type { Point } from '../../point.ts';
import type { Values } from '../../results.ts';
import { rowsOf } from '../../rows.ts';
import type { Value } from '../../value.ts';
import { layoutOf } from '../samples/group-columns.ts';
import { SampleBuilder, sampleOf } from '../samples/sample-builder.ts';

/** Reads one point, unscaled. Rejects with its fault. */
export async function readOne(
  point: Point,
  read: (points: readonly Point[], into: Values) => Promise<void>,
): Promise<Value> {
  const tag = { ...point, precision: 0, decimal: 0, bias: 0 };
  const layout = layoutOf(0, { driver: '', group: '', interval: 0 }, [tag]);
  const builder = new SampleBuilder({ group: 0, layout, tags: [tag] });
  const draft = builder.draft();
  try {
    await read(builder.points, draft);
  } finally {
    draft.close();
  }
  for (const { value, fault, reason } of rowsOf(sampleOf(builder.finish(draft.values, 0), layout))) {
    if (value === undefined) throw new Fault(fault, reason);
    return value;
  }
  throw new Fault(ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED, 'A static tag has nothing to read from a device.');
}
