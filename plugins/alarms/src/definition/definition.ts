import { ExpressionError } from '@tagway/expression';
import type { Rules } from '../machine/transition.ts';
import { lengthOf, literalOf, numberOf, type Literal } from './literals.ts';
import { expressionOf, noOptions, takeOption, type Options } from './options.ts';
import { splitCall, type Piece } from './split.ts';

/** When an alarm is there. Expressions are those of `Calculation`, with blanks before them up to their place in the address. */
export type ConditionDefinition =
  | { readonly kind: 'high' | 'low' | 'rate'; readonly measured: string; readonly limit: number }
  | {
      readonly kind: 'deviation';
      readonly measured: string;
      readonly reference: string;
      readonly limit: number;
    }
  | { readonly kind: 'equal'; readonly measured: string; readonly values: readonly Literal[] }
  | { readonly kind: 'no data'; readonly measured: string; readonly seconds: number }
  | { readonly kind: 'expression'; readonly measured: string };

/** All of one alarm. */
export interface Definition extends Options, Rules {
  readonly condition: ConditionDefinition;
}

const usages = {
  high_high: 'high_high(x, limit)',
  high: 'high(x, limit)',
  low: 'low(x, limit)',
  low_low: 'low_low(x, limit)',
  deviation: 'deviation(x, reference, limit)',
  rate: 'rate(x, limit)',
  equal: 'equal(x, value, …)',
  no_data: 'no_data(x, seconds)',
  condition: 'condition(expression)',
} as const;

type Name = keyof typeof usages;

const isName = (name: string): name is Name => Object.hasOwn(usages, name);

/** The alarm that an address defines. Throws an `ExpressionError` with the place of what is wrong. */
export function parseDefinition(address: string): Definition {
  const { args, name } = splitCall(address);
  if (name.text === 'alarm')
    throw new ExpressionError(
      address,
      name.at,
      'alarm takes the name of a tag of the same group in quotes: alarm("too hot"). In it, %, /, quotation marks and backslashes are written as in a URL.',
    );
  if (!isName(name.text))
    throw new ExpressionError(
      address,
      name.at,
      `There is no condition "${name.text}". It is one of: ${Object.values(usages).join(', ')}.`,
    );
  const count = args.findIndex(({ text }) => /^[a-z_]+\s*:/.test(text));
  const own = count < 0 ? args : args.slice(0, count);
  const condition = conditionOf(address, name.text, own, name);
  let options = noOptions;
  const taken = new Set<string>();
  for (const piece of args.slice(own.length)) options = takeOption(address, options, piece, taken);
  checkDeadband(address, name, condition, options.deadband);
  return { ...options, condition };
}

function conditionOf(address: string, name: Name, args: readonly Piece[], at: Piece): ConditionDefinition {
  const wrong = (): ExpressionError =>
    new ExpressionError(
      address,
      at.at,
      `${name} is written ${usages[name]}, and options follow: deadband: 2, on: 5.`,
    );
  const [first, second, third] = args;
  if (first === undefined) throw wrong();
  if (name === 'condition') {
    if (args.length !== 1) throw wrong();
    return {
      kind: 'expression',
      measured: expressionOf(address, first, 'bool', 'The condition of an alarm'),
    };
  }
  if (second === undefined) throw wrong();
  if (name === 'equal') {
    const measured = expressionOf(address, first, 'anything', 'What is watched');
    return { kind: 'equal', measured, values: args.slice(1).map((piece) => literalOf(address, piece)) };
  }
  if (args.length !== (name === 'deviation' ? 3 : 2)) throw wrong();
  if (name === 'no_data') {
    const measured = expressionOf(address, first, 'anything', 'What is watched');
    const seconds = lengthOf(address, second, 'The time without data in seconds');
    if (seconds === 0)
      throw new ExpressionError(address, second.at, 'The time without data is more than 0 seconds.');
    return { kind: 'no data', measured, seconds };
  }
  const measured = expressionOf(address, first, 'number', 'What is compared with a limit');
  if (name === 'deviation') {
    const reference = expressionOf(address, second, 'number', 'The reference of a deviation');
    return { kind: 'deviation', measured, reference, limit: positive(address, third!) };
  }
  if (name === 'rate') return { kind: 'rate', measured, limit: positive(address, second) };
  const limit = numberOf(address, second, 'The limit');
  return { kind: name === 'high' || name === 'high_high' ? 'high' : 'low', measured, limit };
}

function checkDeadband(address: string, name: Piece, condition: ConditionDefinition, deadband: number): void {
  if (deadband === 0) return;
  if (!('limit' in condition))
    throw new ExpressionError(address, name.at, `A deadband belongs to a limit, and ${name.text} has none.`);
  const isDistance = condition.kind === 'deviation' || condition.kind === 'rate';
  if (isDistance && deadband >= condition.limit)
    throw new ExpressionError(
      address,
      name.at,
      'The deadband is not smaller than the limit: the alarm would never end.',
    );
}

function positive(address: string, piece: Piece): number {
  const limit = numberOf(address, piece, 'The limit');
  if (limit > 0) return limit;
  throw new ExpressionError(address, piece.at, 'This limit is more than 0.');
}
