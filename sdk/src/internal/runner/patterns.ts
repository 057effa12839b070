import { Script } from 'node:vm';

/** A text that has to match one of some patterns of a plugin. */
export interface PatternTest {
  readonly patterns: readonly string[];
  readonly text: string;
}

/** `hangs`: a pattern takes too long; the tests after it are not tried. `fails`: the pattern is invalid. */
export type PatternVerdict = 'fits' | 'differs' | 'hangs' | 'fails' | 'untried';

/** For one text and its patterns, in milliseconds. */
const deadline = 50;

const work = Symbol.for('tagway.patterns');
const script = new Script(`globalThis[Symbol.for('tagway.patterns')]()`);

/**
 * Tries patterns that may never end; Node interrupts such a pattern. Entry `i` is the outcome of test `i`. The limit is CPU time of this
 * process, because on a busy machine good patterns take long, too.
 */
export function tryPatterns(tests: readonly PatternTest[]): PatternVerdict[] {
  const verdicts = tests.map((): PatternVerdict => 'untried');
  const compiled = new Map<string, RegExp>();
  const fits = (pattern: string, text: string): boolean => {
    let expression = compiled.get(pattern);
    if (expression === undefined) compiled.set(pattern, (expression = new RegExp(pattern, 'u')));
    return expression.test(text);
  };
  let at = 0;
  const go = (): void => {
    for (const { patterns, text } of tests.slice(at)) {
      try {
        verdicts[at] = patterns.some((pattern) => fits(pattern, text)) ? 'fits' : 'differs';
      } catch {
        verdicts[at] = 'fails';
      }
      at++;
    }
  };
  let spent = 0;
  while (at < tests.length) {
    const before = at;
    const used = process.cpuUsage();
    if (endsInTime(go)) break;
    const { user, system } = process.cpuUsage(used);
    spent = at === before ? spent + (user + system) / 1000 : 0;
    if (spent < deadline / 2) continue;
    verdicts[at] = 'hangs';
    break;
  }
  return verdicts;
}

/** Does `go`, and ends it at the deadline. */
function endsInTime(go: () => void): boolean {
  const scope = globalThis as { [work]?: (() => void) | undefined };
  scope[work] = go;
  try {
    script.runInThisContext({ timeout: deadline });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  } finally {
    scope[work] = undefined;
  }
}
