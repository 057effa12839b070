import { DataType, ErrorCode, Fault, type Values } from '@tagway/sdk';
import type { Alarm } from './alarm.ts';
import { isActive, nameOf, shownOf } from './machine/states.ts';

const { BIT, BOOL, INT64, STRING, UINT64 } = DataType;

const unknown = new Fault(ErrorCode.NOT_READY, 'The condition of the alarm was not calculated yet.');

/** Stores an alarm as a tag of a type shows it. */
export function show({ condition, kept }: Alarm, into: Values, index: number, type: DataType): void {
  if (!kept.isKnown) return into.fault(index, condition.fault ?? unknown);
  const { state } = kept;
  const shown = shownOf(state);
  switch (type) {
    case BIT:
    case BOOL:
      into.number(index, isActive(shown) ? 1 : 0);
      break;
    case STRING:
      into.text(index, nameOf(shown));
      break;
    case INT64:
    case UINT64:
      into.integer(index, BigInt(shown));
      break;
    default:
      into.number(index, shown);
  }
  if (state.since > 0 || condition.quality !== 0)
    into.stamp(index, state.since > 0 ? state.since : NaN, condition.quality);
}
