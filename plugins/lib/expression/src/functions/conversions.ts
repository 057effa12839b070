import { asDouble, faultAt, literalNumberAt, numberAt, refusal } from '../compile/checks.ts';
import { partOf } from '../compile/part.ts';
import type { FunctionCall, FunctionRule } from '../compile/compiler.ts';
import type { Part } from '../compile/part.ts';
import { isNumber, isWhole, kindName } from '../kinds.ts';
import type { Operand } from '../kinds.ts';
import { fitted, fromDouble } from '../whole-numbers.ts';
import { whenKnown } from './inputs.ts';

function argument({ args, compiler }: FunctionCall): Part {
  return compiler.part(args[0]!);
}

function cannot({ compiler, name, node }: FunctionCall, { kind }: Part): Error {
  return refusal(compiler, node, `${name} makes nothing of ${kindName(kind)}.`);
}

/** int(x) and uint(x). */
function toWhole(call: FunctionCall, kind: 'int' | 'uint'): Part {
  const part = argument(call);
  const overflow = faultAt(call.compiler, call.node, `The number does not fit into ${kind}.`);
  const noNumber = faultAt(call.compiler, call.node, 'The text is no whole number.');
  return whenKnown([part], kind, () => {
    const { run } = part;
    if (part.kind === kind) return part;
    if (part.kind === 'bool') return partOf(kind, [part], () => (run() === true ? 1 : 0));
    if (part.kind === 'double')
      return partOf(kind, [part], () => fromDouble(run() as number, kind, overflow));
    if (isWhole(part.kind))
      return partOf(kind, [part], () => fitted(BigInt(run() as number | bigint), kind, overflow));
    if (part.kind !== 'string') throw cannot(call, part);
    return partOf(kind, [part], () => {
      const text = run() as string;
      if (!/^-?\d{1,20}$/.test(text)) throw noNumber();
      return fitted(BigInt(text), kind, overflow);
    });
  });
}

const decimalNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const spelled: Readonly<Record<string, number>> = {
  NaN: NaN,
  Infinity,
  '+Infinity': Infinity,
  '-Infinity': -Infinity,
};

function toDouble(call: FunctionCall): Part {
  const part = argument(call);
  const noNumber = faultAt(call.compiler, call.node, 'The text is no number.');
  return whenKnown([part], 'double', () => {
    const { run } = part;
    if (isNumber(part.kind)) return partOf('double', [part], asDouble(part));
    if (part.kind === 'bool') return partOf('double', [part], () => (run() === true ? 1 : 0));
    if (part.kind !== 'string') throw cannot(call, part);
    return partOf('double', [part], () => {
      const text = run() as string;
      const number = spelled[text] ?? (decimalNumber.test(text) ? Number(text) : undefined);
      if (number === undefined) throw noNumber();
      return number;
    });
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a value. */
export function textOf(value: Operand): string {
  return value instanceof Uint8Array ? utf8.decode(value) : String(value);
}

function toText(call: FunctionCall): Part {
  const part = argument(call);
  const noText = faultAt(call.compiler, call.node, 'The bytes are no text in UTF-8.');
  const { run } = part;
  if (part.kind === 'string') return part;
  return whenKnown([part], 'string', () =>
    partOf('string', [part], () => {
      const value = run();
      try {
        return textOf(value);
      } catch {
        throw noText();
      }
    }),
  );
}

const truths: Readonly<Record<string, boolean>> = {
  '1': true,
  t: true,
  T: true,
  TRUE: true,
  true: true,
  True: true,
  '0': false,
  f: false,
  F: false,
  FALSE: false,
  false: false,
  False: false,
};

function toBool(call: FunctionCall): Part {
  const part = argument(call);
  const noTruth = faultAt(call.compiler, call.node, 'The text is neither true nor false.');
  const { run } = part;
  if (part.kind === 'bool') return part;
  return whenKnown([part], 'bool', () => {
    if (part.kind !== 'string') throw cannot(call, part);
    return partOf('bool', [part], () => {
      const truth = truths[run() as string];
      if (truth === undefined) throw noTruth();
      return truth;
    });
  });
}

function toBytes(call: FunctionCall): Part {
  const part = argument(call);
  const { run } = part;
  if (part.kind === 'bytes') return part;
  return whenKnown([part], 'bytes', () => {
    if (part.kind !== 'string') throw cannot(call, part);
    return partOf('bytes', [part], () => Buffer.from(run() as string));
  });
}

/** `fixed(x, 2)`: the text of a number with a fixed number of decimals. */
function fixed({ args, compiler }: FunctionCall): Part {
  const part = numberAt(compiler, args[0]!, 'The first argument of fixed');
  const decimals = literalNumberAt(compiler, args[1]!, 'The second argument of fixed');
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > 17)
    throw refusal(compiler, args[1]!, 'The second argument of fixed is a number of decimals, 0 to 17.');
  const number = asDouble(part);
  return partOf('string', [part], () => number().toFixed(decimals));
}

const one = (usage: string, compile: FunctionRule['compile']): FunctionRule => ({
  least: 1,
  most: 1,
  usage,
  compile,
});

const whole = (kind: 'int' | 'uint'): FunctionRule => one(`${kind}(x)`, (call) => toWhole(call, kind));

export const conversions: Readonly<Record<string, FunctionRule>> = {
  int: whole('int'),
  uint: whole('uint'),
  double: one('double(x)', toDouble),
  string: one('string(x)', toText),
  bool: one('bool(x)', toBool),
  bytes: one('bytes(x)', toBytes),
  dyn: one('dyn(x)', argument),
  fixed: { least: 2, most: 2, usage: 'fixed(x, decimals)', compile: fixed },
};
