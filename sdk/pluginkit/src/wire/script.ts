import { parsePattern, type Pattern } from './pattern.ts';

export type Transport = 'tcp' | 'udp' | 'serial';

export type Step = { readonly line: number } & (
  | { readonly op: 'receive'; readonly pattern: Pattern }
  | { readonly op: 'send'; readonly pattern: Pattern }
  | { readonly op: 'wait'; readonly ms: number }
  | { readonly op: 'close' | 'reset' | 'silence' }
);

/** An answer that is given whenever the request comes, on any connection. */
export interface Rule {
  readonly request: Step & { readonly op: 'receive' };
  readonly answer: readonly Step[];
}

/** What a device does: its steps in order, and after them its rules, without end. */
export interface Script {
  readonly transport: Transport;
  readonly steps: readonly Step[];
  readonly rules: readonly Rule[];
}

/**
 * Reads a wire script, one step a line:
 *
 * - `< bytes` the device receives these bytes; anything else ends the case
 * - `> bytes` it sends these
 * - `wait 50` it waits, in milliseconds
 * - `close`, `reset` it ends the connection; what follows happens on the next one
 * - `silence` it swallows what comes until the connection ends
 * - `always` from here on, each `<` and what follows it is a rule that holds at any time and in any order
 * - `transport udp`, as the first step: `tcp` is the default, `serial` the third
 * - `# …` a remark
 *
 * Bytes are as `Pattern` says. Throws an error that names the line.
 */
export function parseScript(text: string, file = 'wire script'): Script {
  let transport: Transport = 'tcp';
  const steps: Step[] = [];
  const rules: { request: Rule['request']; answer: Step[] }[] = [];
  let isAlways = false;
  for (const [index, whole] of text.split('\n').entries()) {
    const source = whole.replace(/^\s*#.*/, '').trim();
    if (source === '') continue;
    try {
      if (source.startsWith('transport ')) transport = transportOf(source);
      else if (source === 'always') isAlways = true;
      else {
        const step = stepOf(source, index + 1);
        if (!isAlways) steps.push(step);
        else if (step.op === 'receive') rules.push({ request: step, answer: [] });
        else if (rules.length > 0) rules.at(-1)?.answer.push(step);
        else throw new Error('a rule begins with what is received');
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${file}:${index + 1}: ${reason}.`, { cause: error });
    }
  }
  return { transport, steps, rules };
}

function transportOf(source: string): Transport {
  const name = source.slice('transport '.length).trim();
  if (name !== 'tcp' && name !== 'udp' && name !== 'serial')
    throw new Error(`"${name}" is not tcp, udp or serial`);
  return name;
}

function stepOf(source: string, line: number): Step {
  const [word = '', ...rest] = source.split(/\s+/);
  const argument = source.slice(word.length).trim();
  if (word === '<') return { op: 'receive', pattern: parsePattern(argument), line };
  if (word === '>') return { op: 'send', pattern: parsePattern(argument), line };
  if (word === 'wait' && /^\d+$/.test(argument)) return { op: 'wait', ms: Number(argument), line };
  if ((word === 'close' || word === 'reset' || word === 'silence') && rest.length === 0)
    return { op: word, line };
  throw new Error(`"${source}" is not a step`);
}
