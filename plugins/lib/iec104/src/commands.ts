import { normalizedScale } from './elements.ts';
import { CommandType, timedCommandOffset } from './protocol.ts';
import { timeSize } from './time.ts';

/** Octets of the information element of a command without the time, by its type without time. */
const sizes = new Map<number, number>([
  [CommandType.SINGLE, 1],
  [CommandType.DOUBLE, 1],
  [CommandType.STEP, 1],
  [CommandType.NORMALIZED, 3],
  [CommandType.SCALED, 3],
  [CommandType.SHORT_FLOAT, 5],
  [CommandType.BIT_STRING, 4],
]);

const selectBit = 0x80;

/** The type without time of a command; the same for one that has none. */
function baseOf(type: number): number {
  return sizes.has(type) ? type : type - timedCommandOffset;
}

/** What a command of an ASDU says. */
export interface Command {
  /** Without time. */
  readonly base: number;
  readonly hasTime: boolean;
  readonly value: number;
  /** It selects and does not execute. */
  readonly isSelection: boolean;
  /** Qualifier of command: 0 none, 1 short pulse, 2 long pulse, 3 persistent; of a set point 0 is usual. */
  readonly qualifier: number;
  /** Where its time lies, if it has one. */
  readonly timeAt: number;
}

export function isCommandType(type: number): boolean {
  return sizes.has(baseOf(type));
}

/** The command whose element is `data[at, end)`; undefined when its length is not that of its type. */
export function commandAt(type: number, data: Buffer, at: number, end: number): Command | undefined {
  const base = baseOf(type);
  const size = sizes.get(base);
  const hasTime = base !== type;
  if (size === undefined || end - at !== size + (hasTime ? timeSize : 0)) return undefined;
  const last = base === CommandType.BIT_STRING ? 0 : data[at + size - 1]!;
  const isPoint = base <= CommandType.STEP;
  return {
    base,
    hasTime,
    value: valueOf(base, data, at),
    isSelection: (last & selectBit) !== 0,
    qualifier: isPoint ? (last >> 2) & 0x1f : last & 0x7f,
    timeAt: at + size,
  };
}

function valueOf(base: number, data: Buffer, at: number): number {
  switch (base) {
    case CommandType.SINGLE:
      return data[at]! & 1;
    case CommandType.DOUBLE:
    case CommandType.STEP:
      return data[at]! & 3;
    case CommandType.NORMALIZED:
      return data.readInt16LE(at) / normalizedScale;
    case CommandType.SCALED:
      return data.readInt16LE(at);
    case CommandType.SHORT_FLOAT:
      return data.readFloatLE(at);
    default:
      return data.readUInt32LE(at);
  }
}
