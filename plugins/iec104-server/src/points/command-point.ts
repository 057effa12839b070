import { Cause, CommandType, timedCommandOffset } from '@tagway/iec104';
import { DataType, type JsonValue, type TagInfo } from '@tagway/sdk';
import type { Row } from '../table/row.ts';

/** A selection of a command point. */
export interface Selection {
  /** The connection that has selected it. */
  readonly by: object;
  /** Milliseconds of the monotonic clock. */
  readonly until: number;
  /** Octets of the command without the bit of selection and without time. */
  readonly element: Buffer;
}

/** One object that control centres command. */
export class CommandPoint {
  readonly row: Row;
  readonly ca: number;
  readonly object: number;
  /** Type without time. */
  readonly base: number;
  readonly driver: string;
  readonly group: string;
  readonly tag: TagInfo;
  selection: Selection | undefined;
  /** A command is carried out: another one is refused. */
  isBusy = false;

  constructor(row: Row, ca: number, driver: string, group: string, tag: TagInfo) {
    this.row = row;
    this.ca = ca;
    this.object = row.object;
    this.base = row.type > CommandType.BIT_STRING ? row.type - timedCommandOffset : row.type;
    this.driver = driver;
    this.group = group;
    this.tag = tag;
  }

  /** Whether the row takes this type: one without time takes that with time too. */
  takes(type: number): boolean {
    return type === this.row.type || type === this.base + timedCommandOffset;
  }
}

/** What the tag is written for the value of a command; undefined for a value that the type does not have. */
export function writtenValue({ base, tag }: CommandPoint, value: number): JsonValue | undefined {
  const isSwitch = tag.valueType === DataType.BIT || tag.valueType === DataType.BOOL;
  switch (base) {
    case CommandType.SINGLE:
      return tag.valueType === DataType.BOOL ? value === 1 : value;
    case CommandType.DOUBLE:
    case CommandType.STEP:
      if (value !== 1 && value !== 2) return undefined;
      if (!isSwitch) return value;
      return tag.valueType === DataType.BOOL ? value === 2 : value - 1;
    case CommandType.BIT_STRING:
      return tag.valueType === DataType.INT32 ? value | 0 : value;
    default:
      return Number.isFinite(value) ? value : undefined;
  }
}

/** The value that ends a pulse: single commands go to 0, double ones to 1, which is off. Undefined: the command is no pulse. */
export function restValue({ base }: CommandPoint, value: number): number | undefined {
  if (base === CommandType.SINGLE) return value === 1 ? 0 : undefined;
  return base === CommandType.DOUBLE && value === 2 ? 1 : undefined;
}

/** Whether the cause is one that commands have. */
export function isCommandCause(cause: number): boolean {
  return cause === Cause.ACTIVATION || cause === Cause.DEACTIVATION;
}
