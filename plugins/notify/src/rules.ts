import { type AlarmPriority, alarmPriorities } from '@tagway/sdk';
import { Hours, minuteOf } from './hours.ts';

/** How a message reaches people. */
export type Channel = 'mail' | 'hook';

/** Who gets what. */
export interface Rule {
  readonly name: string;
  /** Addresses of e-mail. */
  readonly mail: readonly string[];
  /** The webhook gets it, too. */
  readonly hook: boolean;
  readonly priorities: ReadonlySet<AlarmPriority>;
  /** Undefined: always. */
  readonly hours: Hours | undefined;
  /** Milliseconds after which what nobody has acknowledged is sent again; 0: never. */
  readonly repeat: number;
  /** Milliseconds for which something has to be there unacknowledged before it is sent; 0: it is sent at once. */
  readonly after: number;
  /** Minutes since midnight at which the messages of a day are sent as one; undefined: they are sent as they come. */
  readonly digest: number | undefined;
  /** What is sent beside what is raised. */
  readonly also: ReadonlySet<'returned' | 'acknowledged'>;
}

/** Most rules, and receivers of one. */
const most = { rules: 20, receivers: 50 } as const;

const address = /^[^\s@<>,;:"'()[\]\\\p{C}]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,188}[A-Za-z0-9])?$/u;

/** Whether a text is one address of e-mail and nothing else. */
export function isAddress(text: string): boolean {
  return address.test(text);
}

type Parsed<T> = { readonly value: T } | { readonly problem: string };

/**
 * The rules of a text with one a line: `NAME = RECEIVER, RECEIVER | option: value | …`. A problem is a sentence about the setting, with the
 * line.
 */
export function parseRules(text: string): Parsed<readonly Rule[]> {
  const rules: Rule[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const parsed = parseRule(line);
    if ('problem' in parsed) return { problem: `Line ${index + 1} of "rules" ${parsed.problem}` };
    const { value } = parsed;
    if (rules.some(({ name }) => name === value.name))
      return { problem: `Line ${index + 1} of "rules" has the name "${value.name}" a second time.` };
    rules.push(value);
  }
  if (rules.length === 0) return { problem: '"rules" has no rule, so that nobody would be notified.' };
  if (rules.length > most.rules)
    return { problem: `"rules" has ${rules.length} rules; ${most.rules} are allowed.` };
  return { value: rules };
}

function parseRule(line: string): Parsed<Rule> {
  const [, name, rest = ''] = /^\s*([\w-]{1,40})\s*=(.*)$/.exec(line) ?? [];
  if (name === undefined)
    return {
      problem:
        'is no rule: it begins with a name of letters, digits, "_" and "-", and "=", such as duty = duty@example.com.',
    };
  const [receivers = '', ...options] = rest.split('|').map((part) => part.trim());
  const all = receivers.split(',').map((part) => part.trim());
  const mail = all.filter((part) => part !== 'webhook');
  const wrong = mail.find((part) => !isAddress(part));
  if (wrong !== undefined)
    return { problem: `has the receiver "${wrong}", which is neither an address of e-mail nor "webhook".` };
  if (all.length > most.receivers)
    return { problem: `has ${all.length} receivers; ${most.receivers} are allowed.` };
  let rule: Rule = {
    name,
    mail: [...new Set(mail)],
    hook: all.length > mail.length,
    priorities: new Set(alarmPriorities),
    hours: undefined,
    repeat: 0,
    after: 0,
    digest: undefined,
    also: new Set(),
  };
  for (const option of options) {
    const [, key = '', value = ''] = /^([a-z]+)\s*:\s*(.*)$/.exec(option) ?? [];
    const read = readers[key];
    if (read === undefined)
      return { problem: `has the option "${option}"; there are ${Object.keys(readers).join(', ')}.` };
    const part = read(value);
    if (typeof part === 'string') return { problem: `has "${option}": ${part}` };
    rule = { ...rule, ...part };
  }
  return { value: rule };
}

/** What an option makes of its value, or why it is none. */
const readers: Readonly<Record<string, (value: string) => Partial<Rule> | string>> = {
  priority: (value) => {
    const names = namesIn(value);
    const known = alarmPriorities.filter((priority) => names.includes(priority));
    return names.length > 0 && known.length === new Set(names).size
      ? { priorities: new Set(known) }
      : `priorities are ${alarmPriorities.join(', ')}.`;
  },
  hours: (value) => {
    const hours = Hours.of(value);
    return hours === undefined ? 'hours are written as mon-fri 06:00-22:00, sat 22:00-06:00.' : { hours };
  },
  repeat: (value) => minutesIn(value, (repeat) => ({ repeat })),
  after: (value) => minutesIn(value, (after) => ({ after })),
  digest: (value) => {
    const digest = minuteOf(value);
    return digest === undefined || digest === 1440 ? 'the time of the day is written as 07:00.' : { digest };
  },
  also: (value) => {
    const names = namesIn(value);
    const also = (['returned', 'acknowledged'] as const).filter((name) => names.includes(name));
    return names.length > 0 && also.length === new Set(names).size
      ? { also: new Set(also) }
      : 'there are returned and acknowledged.';
  },
};

const namesIn = (value: string): string[] => value.split(',').map((part) => part.trim());

function minutesIn(value: string, make: (ms: number) => Partial<Rule>): Partial<Rule> | string {
  const minutes = Number(value);
  return /^\d+$/.test(value) && minutes >= 1 && minutes <= 10_080
    ? make(minutes * 60_000)
    : 'minutes are a number from 1 to 10080.';
}
