import { Area, Exception } from '@tagway/modbus/server';
import { DataType, type JsonValue } from '@tagway/sdk';
import { Point } from '../map/point.ts';
import type { BitPoints, Unit } from '../map/unit.ts';
import type { WriteRequest } from './write-request.ts';

/** A tag and what it is to be. */
export interface Assignment {
  readonly point: Point;
  readonly value: JsonValue;
}

/** What a request writes. `changes` is a register of which some bits are to change, which has to be read before. */
export interface WritePlan {
  readonly assignments: readonly Assignment[];
  readonly changes?: Point;
}

/** What a request writes, or an exception code: nothing is written then. */
export function planOf(unit: Unit, request: WriteRequest): WritePlan | number {
  const plan = new Plan();
  if (request.mask !== undefined) return masked(unit, request, request.mask, plan);
  if (request.area === Area.COIL) coils(unit, request, plan);
  else registers(unit, request, plan);
  return plan.result;
}

class Plan {
  readonly assignments: Assignment[] = [];
  #problem = 0;

  /** An address that takes no write comes before a value that is not taken. */
  refuse(exception: number): void {
    if (this.#problem !== Exception.ILLEGAL_DATA_ADDRESS) this.#problem = exception;
  }

  add(point: Point, value: JsonValue | undefined): void {
    if (!point.row.isWritable) this.refuse(Exception.ILLEGAL_DATA_ADDRESS);
    // The type of a tag that is not there is not known.
    else if (point.type === undefined) this.refuse(Exception.GATEWAY_TARGET_FAILED);
    else if (value === undefined) this.refuse(Exception.ILLEGAL_DATA_VALUE);
    else this.assignments.push({ point, value });
  }

  addBit(point: Point | undefined, bit: number): void {
    if (point !== undefined) this.add(point, point.valueOfBit(bit));
    // A bit that no tag has is read as 0, and may be written back.
    else if (bit === 1) this.refuse(Exception.ILLEGAL_DATA_VALUE);
  }

  get result(): WritePlan | number {
    return this.#problem === 0 ? { assignments: this.assignments } : this.#problem;
  }
}

function coils(unit: Unit, { start, count, data }: WriteRequest, plan: Plan): void {
  for (let index = 0; index < count; index++) {
    const entry = unit.entry(Area.COIL, start + index);
    if (entry instanceof Point) plan.addBit(entry, data[index]!);
    else plan.refuse(Exception.ILLEGAL_DATA_ADDRESS);
  }
}

function registers(unit: Unit, { start, count, data }: WriteRequest, plan: Plan): void {
  const end = start + count;
  for (let place = start; place < end;) {
    const entry = unit.entry(Area.HOLDING_REGISTER, place);
    const at = 2 * (place - start);
    if (entry === undefined) {
      plan.refuse(Exception.ILLEGAL_DATA_ADDRESS);
      place++;
    } else if (!(entry instanceof Point)) {
      addWord(entry, data.readUInt16BE(at), 0xffff, plan);
      place++;
    } else {
      const { row } = entry;
      // A part of a value is none.
      if (row.start !== place || place + row.count > end) plan.refuse(Exception.ILLEGAL_DATA_ADDRESS);
      else plan.add(entry, entry.valueOf(data, at));
      place = Math.max(place + 1, row.start + row.count);
    }
  }
}

function masked(unit: Unit, { start, data }: WriteRequest, mask: number, plan: Plan): WritePlan | number {
  const entry = unit.entry(Area.HOLDING_REGISTER, start);
  if (entry === undefined) return Exception.ILLEGAL_DATA_ADDRESS;
  if (!(entry instanceof Point)) {
    addWord(entry, data.readUInt16BE(), mask, plan);
    return plan.result;
  }
  const { row, type } = entry;
  const isWhole = row.address.type === DataType.INT16 || row.address.type === DataType.UINT16;
  if (!isWhole || !row.isWritable) return Exception.ILLEGAL_DATA_ADDRESS;
  if (type === undefined) return Exception.GATEWAY_TARGET_FAILED;
  return { assignments: [], changes: entry };
}

/** Bits of a register that are written, each to the tag of its own. */
function addWord({ points }: BitPoints, word: number, mask: number, plan: Plan): void {
  for (let bit = 0; bit < 16; bit++) if ((mask >> bit) & 1) plan.addBit(points[bit], (word >> bit) & 1);
}
