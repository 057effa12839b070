import { unknownPart } from '../compile/arithmetic.ts';
import { asDouble, faultAt, literalNumberAt, numberAt, refusal, wholeAt } from '../compile/checks.ts';
import { partOf } from '../compile/part.ts';
import type { FunctionCall, FunctionRule } from '../compile/compiler.ts';
import type { Part } from '../compile/part.ts';
import { joined } from '../kinds.ts';
import type { Kind } from '../kinds.ts';
import { fitted } from '../whole-numbers.ts';
import { whenKnown } from './inputs.ts';

/** A function of doubles; whole numbers are taken as such. */
function ofDoubles(usage: string, most: 1 | 2, calculate: (x: number, y: number) => number): FunctionRule {
  const compile = ({ args, compiler, name }: FunctionCall): Part => {
    const parts = args.map((arg) => numberAt(compiler, arg, `What math.${name} takes`));
    const x = asDouble(parts[0]!);
    if (most === 1) return partOf('double', parts, () => calculate(x(), 0));
    const y = asDouble(parts[1]!);
    return partOf('double', parts, () => calculate(x(), y()));
  };
  return { least: most, most, usage, compile };
}

function test(usage: string, holds: (x: number) => boolean): FunctionRule {
  const compile = ({ args, compiler, name }: FunctionCall): Part => {
    const part = numberAt(compiler, args[0]!, `What math.${name} takes`);
    const x = asDouble(part);
    return partOf('bool', [part], () => holds(x()));
  };
  return { least: 1, most: 1, usage, compile };
}

/** `math.greatest` and `math.least` of one or more numbers; the result has the kind that they have in common. */
function extreme(
  usage: string,
  isBetter: (one: number | bigint, other: number | bigint) => boolean,
): FunctionRule {
  const compile = ({ args, compiler, name }: FunctionCall): Part => {
    const parts = args.map((arg) => numberAt(compiler, arg, `What math.${name} takes`));
    const kind = parts
      .map((part) => part.kind)
      .reduce<Kind>((one, other) => joined(one, other) ?? 'unknown', parts[0]!.kind);
    if (kind === 'unknown') return unknownPart(kind, parts);
    const runs = parts.map((part) => (kind === 'double' ? asDouble(part) : part.run)) as (() =>
      number | bigint)[];
    const [first, ...rest] = runs;
    return partOf(kind, parts, () => {
      let best = first!();
      for (const run of rest) {
        const next = run();
        if (isBetter(next, best)) best = next;
      }
      return best;
    });
  };
  return { least: 1, most: 32, usage, compile };
}

function abs({ args, compiler, node }: FunctionCall): Part {
  const part = numberAt(compiler, args[0]!, 'What math.abs takes');
  const overflow = faultAt(compiler, node, 'The result does not fit into 64 bits.');
  return whenKnown([part], 'unknown', () => {
    if (part.kind === 'double') {
      const x = part.run as () => number;
      return partOf('double', [part], () => Math.abs(x()));
    }
    const x = part.run as () => number | bigint;
    return partOf(part.kind, [part], () => {
      const value = x();
      if (value >= 0) return value;
      return typeof value === 'number' ? -value : fitted(-value, part.kind, overflow);
    });
  });
}

function sign({ args, compiler }: FunctionCall): Part {
  const part = numberAt(compiler, args[0]!, 'What math.sign takes');
  return whenKnown([part], 'unknown', () => {
    const x = part.run as () => number | bigint;
    return partOf(part.kind, [part], () => {
      const value = x();
      return value > 0 ? 1 : value < 0 ? -1 : part.kind === 'double' ? value : 0;
    });
  });
}

/** Rounds half away from zero, as CEL does. */
const roundHalf = (x: number): number =>
  Number.isFinite(x) ? Math.sign(x) * Math.floor(Math.abs(x) + 0.5) : x;

type Bits = (one: bigint, other: bigint) => bigint;

/** An operation on the bits of whole numbers of 64 bits. */
function onBits(usage: string, most: 1 | 2, calculate: Bits, isShift = false): FunctionRule {
  const compile = ({ args, compiler, name, node }: FunctionCall): Part => {
    const parts = args.map((arg) => wholeAt(compiler, arg, `What math.${name} takes`));
    const kind =
      isShift || most === 1 ? parts[0]!.kind : (joined(parts[0]!.kind, parts[1]!.kind) ?? 'unknown');
    return whenKnown(parts, kind, () => {
      const negative = faultAt(compiler, node, `math.${name} shifts by 0 or more bits.`);
      const x = parts[0]!.run as () => number | bigint;
      const y = (parts[1]?.run ?? (() => 0)) as () => number | bigint;
      const isUnsigned = kind === 'uint';
      return partOf(kind, parts, () => {
        const left = x();
        const right = y();
        if (isShift && right < 0) throw negative();
        const bits = calculate(BigInt(left), BigInt(isShift && right > 64 ? 64 : right));
        const wrapped = isUnsigned ? BigInt.asUintN(64, bits) : BigInt.asIntN(64, bits);
        const number = Number(wrapped);
        return Number.isSafeInteger(number) ? number : wrapped;
      });
    });
  };
  return { least: most, most, usage, compile };
}

const shiftRight: Bits = (one, by) => BigInt.asUintN(64, one) >> by;

/** `scale(x, 0, 27648, 0.0, 100.0)`: what lies between two values moves in between two others, on a straight line. */
function scale({ args, compiler, node }: FunctionCall): Part {
  const part = numberAt(compiler, args[0]!, 'What scale takes');
  const line = scaleLine((index) =>
    literalNumberAt(compiler, args[index]!, `Argument ${index + 1} of scale`),
  );
  if (line === undefined)
    throw refusal(
      compiler,
      node,
      'scale takes two different values to move from, and two different ones to move to.',
    );
  const x = asDouble(part);
  const { fromLow, toLow, factor } = line;
  return partOf('double', [part], () => toLow + (x() - fromLow) * factor);
}

/** The straight line of a `scale`, or undefined where it would be none. */
export function scaleLine(
  argument: (index: number) => number,
): { fromLow: number; toLow: number; factor: number } | undefined {
  const fromLow = argument(1);
  const toLow = argument(3);
  const factor = (argument(4) - toLow) / (argument(2) - fromLow);
  return Number.isFinite(factor) && factor !== 0 ? { fromLow, toLow, factor } : undefined;
}

/** `clamp(x, low, high)`: x, but not below low and not above high. */
function clamp(call: FunctionCall): Part {
  const { args, compiler } = call;
  const parts = args.map((arg) => numberAt(compiler, arg, 'What clamp takes'));
  const [x, low, high] = parts.map(asDouble);
  return partOf('double', parts, () => Math.min(Math.max(x!(), low!()), high!()));
}

export const mathematics: Readonly<Record<string, FunctionRule>> = {
  greatest: extreme('math.greatest(x, y, …)', (one, other) => one > other),
  least: extreme('math.least(x, y, …)', (one, other) => one < other),
  abs: { least: 1, most: 1, usage: 'math.abs(x)', compile: abs },
  sign: { least: 1, most: 1, usage: 'math.sign(x)', compile: sign },
  ceil: ofDoubles('math.ceil(x)', 1, Math.ceil),
  floor: ofDoubles('math.floor(x)', 1, Math.floor),
  round: ofDoubles('math.round(x)', 1, roundHalf),
  trunc: ofDoubles('math.trunc(x)', 1, Math.trunc),
  sqrt: ofDoubles('math.sqrt(x)', 1, Math.sqrt),
  pow: ofDoubles('math.pow(x, y)', 2, Math.pow),
  exp: ofDoubles('math.exp(x)', 1, Math.exp),
  ln: ofDoubles('math.ln(x)', 1, Math.log),
  log10: ofDoubles('math.log10(x)', 1, Math.log10),
  log2: ofDoubles('math.log2(x)', 1, Math.log2),
  sin: ofDoubles('math.sin(x)', 1, Math.sin),
  cos: ofDoubles('math.cos(x)', 1, Math.cos),
  tan: ofDoubles('math.tan(x)', 1, Math.tan),
  asin: ofDoubles('math.asin(x)', 1, Math.asin),
  acos: ofDoubles('math.acos(x)', 1, Math.acos),
  atan: ofDoubles('math.atan(x)', 1, Math.atan),
  atan2: ofDoubles('math.atan2(y, x)', 2, Math.atan2),
  isNaN: test('math.isNaN(x)', Number.isNaN),
  isInf: test('math.isInf(x)', (x) => x === Infinity || x === -Infinity),
  isFinite: test('math.isFinite(x)', Number.isFinite),
  bitAnd: onBits('math.bitAnd(x, y)', 2, (one, other) => one & other),
  bitOr: onBits('math.bitOr(x, y)', 2, (one, other) => one | other),
  bitXor: onBits('math.bitXor(x, y)', 2, (one, other) => one ^ other),
  bitNot: onBits('math.bitNot(x)', 1, (one) => ~one),
  bitShiftLeft: onBits('math.bitShiftLeft(x, bits)', 2, (one, by) => one << by, true),
  bitShiftRight: onBits('math.bitShiftRight(x, bits)', 2, shiftRight, true),
};

export const lineFunctions: Readonly<Record<string, FunctionRule>> = {
  scale: { least: 5, most: 5, usage: 'scale(x, from_low, from_high, to_low, to_high)', compile: scale },
  clamp: { least: 3, most: 3, usage: 'clamp(x, low, high)', compile: clamp },
};
