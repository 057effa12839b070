import { ErrorCode, Fault, formatReference, type Reference, referencesIn } from '@tagway/sdk';
import type { Settings } from './settings.ts';

/** What a row does while its source has no value: nothing, write the last value, or write this one. */
export type WhenBad = 'nothing' | 'last' | number;

/** A row of the table of links. */
export interface LinkRow {
  /** As it stands in the settings: rows with the same text are the same row. */
  readonly text: string;
  /** Where it stands, from 1 on. */
  readonly number: number;
  readonly source: Reference;
  readonly target: Reference;
  readonly scale: number;
  readonly offset: number;
  /** To which the value is rounded; undefined: it is not. */
  readonly decimals: number | undefined;
  /** In values of the target. */
  readonly deadband: number;
  /** Milliseconds from one write to the next; 0: on change. */
  readonly every: number;
  readonly bad: WhenBad;
  /** The first value after a start is written, and not only the first change. */
  readonly writesFirst: boolean;
}

/** A bit that toggles. */
export interface WatchdogRow {
  readonly text: string;
  readonly number: number;
  readonly target: Reference;
  readonly every: number;
}

export interface Table {
  readonly links: readonly LinkRow[];
  readonly watchdogs: readonly WatchdogRow[];
}

/** Why settings are no table. */
class Problem extends Error {}

const shortest = 50;
const longest = 86_400_000;

/** The fault of settings that are no table, or undefined. */
export function checkSettings(settings: Readonly<Settings>): Fault | undefined {
  try {
    tableOf(settings);
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return new Fault(ErrorCode.NODE_SETTING_INVALID, error.message);
  }
}

/** The rows of settings that were checked. */
export function tableOf({ links, watchdogs }: Readonly<Settings>): Table {
  const table = {
    links: linesOf(links).map(([text, number]) => linkOf(text, number)),
    watchdogs: linesOf(watchdogs).map(([text, number]) => watchdogOf(text, number)),
  };
  const targets = new Map<string, string>();
  for (const [rows, setting] of [
    [table.links, 'links'],
    [table.watchdogs, 'watchdogs'],
  ] as const)
    for (const { target, number } of rows) {
      const name = formatReference(target);
      const line = `${number} of "${setting}"`;
      const other = targets.get(name);
      if (other !== undefined)
        throw new Problem(
          `Line ${line} writes "${name}", as line ${other} does: a tag has one row that writes it.`,
        );
      targets.set(name, line);
    }
  return table;
}

function linesOf(text: string): (readonly [text: string, number: number])[] {
  return text.split('\n').flatMap((line, index) => {
    const row = line.trim();
    return row === '' ? [] : [[row, index + 1] as const];
  });
}

function linkOf(text: string, number: number): LinkRow {
  const row = `Line ${number} of "links"`;
  const { references, options } = partsOf(text, row);
  const [source, target, ...more] = references;
  if (source === undefined || target === undefined || more.length > 0)
    throw new Problem(
      `${row} is no link: write tag("node/group/tag") of the source, a comma and that of the target.`,
    );
  const take = optionsOf(options, row);
  const link = {
    text,
    number,
    source,
    target,
    scale: take.number('scale', 1),
    offset: take.number('offset', 0),
    decimals: take.decimals(),
    deadband: take.number('deadband', 0, 0),
    every: take.every(0),
    bad: take.bad(),
    writesFirst: take.choice('start', ['write', 'wait']) !== 'wait',
  };
  // The gateway looks for circles by itself, and leaves out rows with this option.
  take.choice('circle', ['meant']);
  take.end();
  return link;
}

function watchdogOf(text: string, number: number): WatchdogRow {
  const row = `Line ${number} of "watchdogs"`;
  const { references, options } = partsOf(text, row);
  const [target, ...more] = references;
  if (target === undefined || more.length > 0)
    throw new Problem(`${row} is no watchdog: write tag("node/group/tag") of the bit.`);
  const take = optionsOf(options, row);
  const every = take.every(1000);
  take.end();
  return { text, number, target, every };
}

/** The references of a row, with commas between, and its options. */
function partsOf(
  text: string,
  row: string,
): { readonly references: Reference[]; readonly options: Map<string, string> } {
  const found = referencesIn(text);
  const references = found.map(({ reference, text: own }) => {
    if (reference === undefined)
      throw new Problem(`${row} has "${own}", which names no tag: a reference is node/group/tag.`);
    return reference;
  });
  let rest = '';
  let from = 0;
  for (const { start, end } of found) {
    rest += text.slice(from, start);
    from = end;
  }
  const [head = '', ...parts] = (rest + text.slice(from)).split('|');
  if (!/^\s*(tag\s*\(\s*(""|'')\s*\)\s*(,\s*(?=tag)|$))*$/.test(head))
    throw new Problem(`${row} has something beside its tags: options stand behind |.`);
  const options = new Map<string, string>();
  for (const part of parts) {
    const [, name, value] = /^\s*([a-z]+)\s*:\s*(\S+)\s*$/.exec(part) ?? [];
    if (name === undefined || value === undefined)
      throw new Problem(`${row} has the option "${part.trim()}": an option is such as "scale: 0.1".`);
    if (options.has(name)) throw new Problem(`${row} has the option "${name}" twice.`);
    options.set(name, value);
  }
  return { references, options };
}

interface Options {
  number(name: string, otherwise: number, least?: number): number;
  every(otherwise: number): number;
  decimals(): number | undefined;
  bad(): WhenBad;
  choice(name: string, values: readonly string[]): string | undefined;
  /** Throws when an option is left that nobody has asked for. */
  end(): void;
}

function optionsOf(options: Map<string, string>, row: string): Options {
  const take = (name: string): string | undefined => {
    const value = options.get(name);
    options.delete(name);
    return value;
  };
  const refuse = (name: string, value: string, right: string): never => {
    throw new Problem(`${row} has "${name}: ${value}": ${right}.`);
  };
  const number = (name: string, otherwise: number, least = -Infinity): number => {
    const text = take(name);
    if (text === undefined) return otherwise;
    const value = Number(text);
    return Number.isFinite(value) && value >= least
      ? value
      : refuse(name, text, least === 0 ? 'write a number from 0 on' : 'write a number');
  };
  const integer = (name: string, least: number, most: number): number | undefined => {
    const text = take(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    const fits = Number.isInteger(value) && value >= least && value <= most;
    return fits ? value : refuse(name, text, `write a whole number from ${least} to ${most}`);
  };
  return {
    number,
    every: (otherwise) => integer('every', shortest, longest) ?? otherwise,
    decimals: () => integer('decimals', 0, 15),
    bad() {
      const text = take('bad') ?? 'nothing';
      if (text === 'nothing' || text === 'last') return text;
      const value = Number(text);
      return Number.isFinite(value) ? value : refuse('bad', text, 'write "nothing", "last" or a number');
    },
    choice(name, values) {
      const text = take(name);
      if (text !== undefined && !values.includes(text))
        refuse(name, text, `write ${values.map((one) => `"${one}"`).join(' or ')}`);
      return text;
    },
    end() {
      const [name] = options.keys();
      if (name !== undefined) throw new Problem(`${row} has the option "${name}", which there is not.`);
    },
  };
}
