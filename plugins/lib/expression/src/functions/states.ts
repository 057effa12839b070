import { conditionAt, literalNumberAt, numberAt, refusal } from '../compile/checks.ts';
import { unknownPart } from '../compile/arithmetic.ts';
import type { Compiler, FunctionCall, FunctionRule } from '../compile/compiler.ts';
import type { Part } from '../compile/part.ts';
import { Delta, Previous, Rate } from '../state/changes.ts';
import { Debounce, Hysteresis, OnFor } from '../state/conditions.ts';
import type { Step } from '../state/step.ts';
import { Count, Total } from '../state/totals.ts';
import { Average, Extreme } from '../state/windows.ts';
import type { Kind } from '../kinds.ts';

/** What stands in the brackets of a function with a state: the argument, numbers that are written out, and a reset. */
interface Pieces {
  readonly call: FunctionCall;
  readonly argument: Part;
  readonly numbers: readonly number[];
  readonly reset: Part | undefined;
  readonly scope: Compiler['scope'];
}

interface StateRule {
  readonly usage: string;
  readonly of: 'number' | 'condition' | 'any';
  /** How many numbers follow the argument. */
  readonly numbers: 0 | 1 | 2;
  /** The kind of the result while that of the argument is not known. */
  readonly kind: Kind;
  /** Refuses numbers that make no sense. */
  readonly check?: (call: FunctionCall, numbers: readonly number[]) => void;
  readonly make: (pieces: Pieces) => Step;
}

function argumentOf({ args, compiler, name }: FunctionCall, of: StateRule['of']): Part {
  const node = args[0]!;
  if (of === 'any') return compiler.part(node);
  const what = `The first argument of ${name}`;
  return of === 'number' ? numberAt(compiler, node, what) : conditionAt(compiler, node, what);
}

/** A step is only made of an argument whose kind is known: until then there is nothing that it could take. */
function stateful({ usage, of, numbers: count, kind, check, make }: StateRule): FunctionRule {
  const compile = (call: FunctionCall): Part => {
    const { args, compiler, name } = call;
    const argument = argumentOf(call, of);
    const numbers = args
      .slice(1, 1 + count)
      .map((arg, index) => literalNumberAt(compiler, arg, `Argument ${index + 2} of ${name}`));
    check?.(call, numbers);
    const resetNode = args[1 + count];
    const reset = resetNode && conditionAt(compiler, resetNode, `The reset of ${name}`);
    const parts = reset === undefined ? [argument] : [argument, reset];
    const number = compiler.stepCount++;
    if (argument.kind === 'unknown') return unknownPart(kind, [argument]);
    const step = make({ call, argument, numbers, reset, scope: compiler.scope });
    step.name = name;
    compiler.steps.set(number, step);
    return { kind: step.kind, run: step.read, inputs: [...new Set(parts.flatMap(({ inputs }) => inputs))] };
  };
  return { least: 1 + count, most: 2 + count, usage, compile };
}

function checkSeconds({ args, compiler, name }: FunctionCall, [seconds = NaN]: readonly number[]): void {
  if (seconds > 0 && seconds <= 31_622_400) return;
  const sentence = `The second argument of ${name} is a number of seconds, more than 0 and at most a year.`;
  throw refusal(compiler, args[1]!, sentence);
}

function checkLimits({ args, compiler }: FunctionCall, [low = NaN, high = NaN]: readonly number[]): void {
  if (!(low <= high))
    throw refusal(compiler, args[1]!, 'hysteresis takes the lower limit before the upper one.');
}

const rules: Readonly<Record<string, StateRule>> = {
  previous: {
    usage: 'previous(x, reset)',
    of: 'any',
    numbers: 0,
    kind: 'unknown',
    make: ({ argument, reset, scope }) => new Previous(argument, reset, scope),
  },
  delta: {
    usage: 'delta(x, reset)',
    of: 'number',
    numbers: 0,
    kind: 'unknown',
    make: ({ argument, call, reset }) => new Delta(call.compiler, call.node, argument, reset),
  },
  rate: {
    usage: 'rate(x, reset)',
    of: 'number',
    numbers: 0,
    kind: 'double',
    make: ({ argument, reset, scope }) => new Rate(argument, reset, scope),
  },
  total: {
    usage: 'total(x, reset)',
    of: 'number',
    numbers: 0,
    kind: 'double',
    make: ({ argument, reset, scope }) => new Total(argument, reset, scope),
  },
  count: {
    usage: 'count(condition, reset)',
    of: 'condition',
    numbers: 0,
    kind: 'int',
    make: ({ argument, reset, scope }) => new Count(argument, reset, scope),
  },
  avg: {
    usage: 'avg(x, seconds, reset)',
    of: 'number',
    numbers: 1,
    kind: 'double',
    check: checkSeconds,
    make: ({ argument, numbers, reset, scope }) => new Average(argument, numbers[0]!, reset, scope),
  },
  min: {
    usage: 'min(x, seconds, reset)',
    of: 'number',
    numbers: 1,
    kind: 'unknown',
    check: checkSeconds,
    make: ({ argument, numbers, reset, scope }) => new Extreme(argument, numbers[0]!, reset, scope, true),
  },
  max: {
    usage: 'max(x, seconds, reset)',
    of: 'number',
    numbers: 1,
    kind: 'unknown',
    check: checkSeconds,
    make: ({ argument, numbers, reset, scope }) => new Extreme(argument, numbers[0]!, reset, scope, false),
  },
  on_for: {
    usage: 'on_for(condition, seconds, reset)',
    of: 'condition',
    numbers: 1,
    kind: 'bool',
    check: checkSeconds,
    make: ({ argument, numbers, reset, scope }) => new OnFor(argument, numbers[0]!, reset, scope),
  },
  debounce: {
    usage: 'debounce(x, seconds, reset)',
    of: 'any',
    numbers: 1,
    kind: 'unknown',
    check: checkSeconds,
    make: ({ argument, numbers, reset, scope }) => new Debounce(argument, numbers[0]!, reset, scope),
  },
  hysteresis: {
    usage: 'hysteresis(x, low, high, reset)',
    of: 'number',
    numbers: 2,
    kind: 'bool',
    check: checkLimits,
    make: ({ argument, numbers, reset, scope }) =>
      new Hysteresis(argument, numbers[0]!, numbers[1]!, reset, scope),
  },
};

export const stateFunctions: Readonly<Record<string, FunctionRule>> = Object.fromEntries(
  Object.entries(rules).map(([name, rule]) => [name, stateful(rule)]),
);
