import {
  Cause,
  CounterBit,
  descriptorOf,
  type Format,
  formatOf,
  Kind,
  QualityBit,
  type UnitWriter,
} from '@tagway/iec104';
import { ErrorCode, Quality, type Row as SampleRow } from '@tagway/sdk';
import type { Row } from '../table/row.ts';
import { Counter } from './counter.ts';
import { elementValue } from './element-value.ts';

/** Octet of an object whose value was never known. */
const unknown = QualityBit.INVALID | QualityBit.NOT_TOPICAL;

/** From the type identification of an event with time to the type without time of the same object. */
export function plainType(type: number): number {
  return type < 30 ? type : 2 * (type - 30) + 1;
}

/** Milliseconds within which a change is taken for what a command has brought about. */
const returnTime = 10_000;

/** One object that is reported. */
export class Point {
  readonly row: Row;
  readonly ca: number;
  readonly object: number;
  /** Without time. */
  readonly plain: number;
  readonly kind: Kind;
  readonly counter: Counter | undefined;
  value = 0;
  descriptor: number = unknown;
  /** Milliseconds since the epoch, NaN: never reported by the tag. */
  time = NaN;
  isTimeInvalid = false;
  /** A control centre was shown this object in its present state, so that a change of it is an event. */
  isShown = false;
  /** Of the latest event. */
  #reported = NaN;
  /** Until when a change is that of a command, in milliseconds of the monotonic clock. */
  #commandedUntil = -Infinity;

  constructor(row: Row, ca: number) {
    this.row = row;
    this.ca = ca;
    this.object = row.object;
    this.plain = plainType(row.type);
    this.kind = (formatOf(row.type) as Format).kind;
    this.counter = this.kind === Kind.COUNTER ? new Counter() : undefined;
  }

  /** Goes on with the state of the same object before the table changed. */
  continue(before: Point): void {
    if (before.plain !== this.plain) return;
    this.value = before.value;
    this.descriptor = before.descriptor;
    this.time = before.time;
    this.isTimeInvalid = before.isTimeInvalid;
    this.isShown = before.isShown;
    this.#reported = before.#reported;
    if (before.counter !== undefined) this.counter?.continue(before.counter);
  }

  commanded(now: number): void {
    this.#commandedUntil = now + returnTime;
  }

  /** Takes a value of the tag. True: it is an event. */
  take({ column, value, fault, quality, time }: SampleRow, timestamp: number): boolean {
    const before = this.descriptor;
    this.time = Number.isNaN(time) ? timestamp : time;
    this.isTimeInvalid = (quality & Quality.TIME_INVALID) !== 0;
    const element = fault === 0 ? elementValue(this.kind, value, column.valueType) : undefined;
    if (element === undefined) {
      const isAway = fault === ErrorCode.DISCONNECTED || fault === ErrorCode.NOT_READY;
      this.descriptor = descriptorOf(quality | (isAway ? Quality.STALE : 0), true);
    } else {
      this.value = element.value;
      this.descriptor = descriptorOf(quality | (element.isBeyond ? Quality.OVERFLOW : 0), false);
    }
    if (this.kind === Kind.COUNTER) this.descriptor &= QualityBit.INVALID;
    const wasKnown = before !== unknown;
    if (!wasKnown && !this.isShown) {
      this.#reported = this.value;
      return false;
    }
    const { deadband } = this.row;
    if (Number.isNaN(deadband)) return false;
    const isChanged =
      before !== this.descriptor || (element !== undefined && this.#differs(element.value, deadband));
    if (isChanged) this.#reported = this.value;
    return isChanged;
  }

  /** Adds what is to be reported of the latest change. `now` in milliseconds of the monotonic clock. */
  writeEvent(writer: UnitWriter, now: number): void {
    const isReturn = now < this.#commandedUntil;
    if (isReturn) this.#commandedUntil = -Infinity;
    this.isShown = true;
    this.#write(writer, this.row.type, isReturn ? Cause.REMOTE_RETURN : Cause.SPONTANEOUS);
  }

  /** Adds the object as it is now, without time, for this cause of transmission. */
  writeState(writer: UnitWriter, cause: number): void {
    this.isShown = true;
    this.#write(writer, this.plain, cause);
  }

  /** Adds the object as it is now, of its own type. */
  writeRequested(writer: UnitWriter): void {
    this.isShown = true;
    this.#write(writer, this.row.type, Cause.REQUESTED);
  }

  /** Adds the counter as it was frozen, or as it is now when it never was. */
  writeCounter(writer: UnitWriter, cause: number): void {
    const { counter } = this;
    if (counter === undefined) return;
    const { value, descriptor, time } = counter.shown(this);
    writer.add(this.row.type, cause, this.ca, {
      object: this.object,
      value,
      descriptor,
      time,
      isTimeInvalid: this.isTimeInvalid,
    });
  }

  #write(writer: UnitWriter, type: number, cause: number): void {
    const { object, time, isTimeInvalid } = this;
    if (this.counter === undefined) {
      writer.add(type, cause, this.ca, {
        object,
        value: this.value,
        descriptor: this.descriptor,
        time,
        isTimeInvalid,
      });
      return;
    }
    const { value, isCarried } = this.counter.counted(this.value);
    const descriptor = this.descriptor | this.counter.sequence | (isCarried ? CounterBit.CARRY : 0);
    writer.add(type, cause, this.ca, { object, value, descriptor, time, isTimeInvalid });
  }

  #differs(value: number, deadband: number): boolean {
    if (Number.isNaN(this.#reported)) return true;
    return deadband === 0 ? value !== this.#reported : Math.abs(value - this.#reported) >= deadband;
  }
}
