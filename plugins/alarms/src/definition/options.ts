import { check, ExpressionError, kindName, type Kind } from '@tagway/expression';
import { alarmPriorities, type AlarmPriority } from '@tagway/sdk';
import { lengthOf, truthOf } from './literals.ts';
import { inPlace, trimmed, type Piece } from './split.ts';

/** What may follow the condition of an alarm. */
export interface Options {
  /** How far the value has to go back over the limit for the alarm to end. */
  readonly deadband: number;
  /** Seconds for which the condition has to be there before the alarm begins. */
  readonly onDelay: number;
  /** Seconds for which it has to be gone before the alarm ends. */
  readonly offDelay: number;
  readonly priority: AlarmPriority;
  /** An expression that gives a text. */
  readonly text: string | undefined;
  readonly isLatching: boolean;
  readonly needsAcknowledgement: boolean;
  /** An expression: while it is true, the alarm is suppressed by design. */
  readonly suppressed: string | undefined;
}

export const noOptions: Options = {
  deadband: 0,
  onDelay: 0,
  offDelay: 0,
  priority: 'medium',
  text: undefined,
  isLatching: false,
  needsAcknowledgement: true,
  suppressed: undefined,
};

/** How one option is read: the members of `Options` that it sets. */
type Reader = (address: string, value: Piece) => Partial<Options>;

const readers: Readonly<Record<string, Reader>> = {
  deadband: (address, value) => ({ deadband: lengthOf(address, value, 'The deadband') }),
  on: (address, value) => ({ onDelay: lengthOf(address, value, 'The delay in seconds') }),
  off: (address, value) => ({ offDelay: lengthOf(address, value, 'The delay in seconds') }),
  priority: (address, value) => ({ priority: priorityOf(address, value) }),
  text: (address, value) => ({ text: expressionOf(address, value, 'string', 'The text of an alarm') }),
  latching: (address, value) => ({ isLatching: truthOf(address, value, 'latching') }),
  acknowledge: (address, value) => ({ needsAcknowledgement: truthOf(address, value, 'acknowledge') }),
  suppressed: (address, value) => ({
    suppressed: expressionOf(address, value, 'bool', 'When the alarm is suppressed'),
  }),
};

/** The options with one more, `name: value`. Throws an `ExpressionError`. */
export function takeOption(
  address: string,
  options: Options,
  { at, text }: Piece,
  taken: Set<string>,
): Options {
  const [, name = ''] = /^([a-z_]+)\s*:/.exec(text) ?? [];
  const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
  if (read === undefined)
    throw new ExpressionError(
      address,
      at,
      `Here stands no option. Options are ${Object.keys(readers).join(', ')}, each with a colon and its value after it: on: 5.`,
    );
  if (taken.has(name)) throw new ExpressionError(address, at, `The option ${name} is there twice.`);
  taken.add(name);
  const colon = text.indexOf(':') + 1;
  const value = trimmed(text.slice(colon), at + colon);
  if (value.text === '')
    throw new ExpressionError(address, value.at, `The value of ${name} is missing here.`);
  return { ...options, ...read(address, value) };
}

function priorityOf(address: string, { at, text }: Piece): AlarmPriority {
  const found = alarmPriorities.find((priority) => priority === text);
  if (found !== undefined) return found;
  throw new ExpressionError(address, at, `The priority is one of: ${alarmPriorities.join(', ')}.`);
}

/** An embedded expression that gives this kind, in its place. Without a kind it may give anything. */
export function expressionOf(address: string, piece: Piece, expected: Expected, what: string): string {
  if (piece.text === '') throw new ExpressionError(address, piece.at, `${what} is missing here.`);
  const text = inPlace(address, piece);
  const kind = check(text);
  if (kind instanceof Error) throw kind;
  if (!fits(kind, expected))
    throw new ExpressionError(address, piece.at, `${what} cannot be ${kindName(kind)}.`);
  return text;
}

type Expected = 'bool' | 'number' | 'string' | 'anything';

function fits(kind: Kind, expected: Expected): boolean {
  if (kind === 'unknown' || expected === 'anything') return true;
  if (expected !== 'number') return kind === expected;
  return kind === 'int' || kind === 'uint' || kind === 'integer' || kind === 'double';
}
