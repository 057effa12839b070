import { type AlarmPriority, formatReference, referencesIn } from '@tagway/sdk';

/** A tag that people get to know of when it becomes true. */
export interface Signal {
  /** What it is called, and what it is known by: a tag may get another name. */
  readonly label: string;
  readonly priority: AlarmPriority;
  /** The text of its reference. */
  readonly reference: string;
  /** Names of rules; undefined: all. */
  readonly rules: readonly string[] | undefined;
}

const mostSignals = 500;

const pattern =
  /^\s*(?<reference>tag\s*\(.*?\))\s*(?<priority>low|medium|high)?\s*(?:\[(?<rules>[\w\s,-]*)\])?\s*:\s*(?<label>\S.{0,199})$/;

type Parsed = { readonly value: readonly Signal[] } | { readonly problem: string };

/** The signals of a text with one a line: `tag("boiler/fast/trip") high [duty]: The boiler has tripped`. */
export function parseSignals(text: string, ruleNames: readonly string[]): Parsed {
  const signals: Signal[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const at = `Line ${index + 1} of "signals"`;
    const { reference: call = '', priority, rules, label = '' } = pattern.exec(line)?.groups ?? {};
    const [found, more] = referencesIn(call);
    if (found?.reference === undefined || more !== undefined)
      return { problem: `${at} is no signal: write tag("node/group/tag") high: what has happened.` };
    const names = rules?.split(',').map((name) => name.trim());
    const unknown = names?.find((name) => !ruleNames.includes(name));
    if (unknown !== undefined) return { problem: `${at} names the rule "${unknown}", which there is not.` };
    if (signals.some((one) => one.label === label.trim()))
      return { problem: `${at} has the text "${label}" a second time.` };
    signals.push({
      label: label.trim(),
      priority: (priority as AlarmPriority | undefined) ?? 'medium',
      reference: formatReference(found.reference),
      rules: names,
    });
  }
  if (signals.length > mostSignals)
    return { problem: `"signals" has ${signals.length} lines; ${mostSignals} are allowed.` };
  return { value: signals };
}
