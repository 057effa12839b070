import { Worker } from 'node:worker_threads';
import type { Plugin } from '../core/model.ts';
import type { PatternTest, PatternVerdict } from '../core/ports.ts';

/** For one text and its patterns, in milliseconds. */
export const patternDeadline = 100;
/** For the worker to begin with what it is asked, in milliseconds. */
const beginDeadline = 5000;
/** A worker that is not asked ends after this time, in milliseconds. */
const idle = 5000;

/** What the worker writes for each test: the index in this list. */
const verdictOf: readonly PatternVerdict[] = ['untried', 'fits', 'differs', 'fails'];

/** What the worker does. `progress` holds the number of the call that it is at and, of that, the index of the test. */
const script = `
const { parentPort, workerData: progress } = require('node:worker_threads');
const compiled = new Map();
function fits(pattern, text) {
  let expression = compiled.get(pattern);
  if (expression === undefined) compiled.set(pattern, (expression = new RegExp(pattern, 'u')));
  return expression.test(text);
}
parentPort.on('message', ({ call, lists, which, texts, verdicts }) => {
  Atomics.store(progress, 1, 0);
  Atomics.store(progress, 0, call);
  for (let index = 0; index < texts.length; index++) {
    Atomics.store(progress, 1, index);
    try {
      verdicts[index] = lists[which[index]].some((pattern) => fits(pattern, texts[index])) ? 1 : 2;
    } catch {
      verdicts[index] = 3;
    }
  }
  parentPort.postMessage(call);
});
`;

/** The workers of the plugins that have been asked for lately. */
export class PatternWorkers {
  readonly #workers = new WeakMap<Plugin, PatternWorker>();

  test(plugin: Plugin, tests: readonly PatternTest[]): Promise<readonly PatternVerdict[]> {
    let worker = this.#workers.get(plugin);
    if (worker === undefined) this.#workers.set(plugin, (worker = new PatternWorker()));
    return worker.test(tests);
  }
}

/**
 * Tries the patterns of one plugin in a thread of their own, because a regular expression may take for ever. One that takes longer
 * than `patternDeadline` for one text ends the thread; the next call has a new one.
 */
export class PatternWorker {
  readonly #progress = new Int32Array(new SharedArrayBuffer(8));
  #worker: Worker | undefined;
  #calls = 0;
  #idle: NodeJS.Timeout | undefined;
  /** The calls before this one: they are made one at a time. */
  #before: Promise<unknown> = Promise.resolve();

  /** Entry `i` tells of test `i`. Nothing is tried after a text that takes too long. */
  test(tests: readonly PatternTest[]): Promise<readonly PatternVerdict[]> {
    const answer = this.#before.then(() => this.#test(tests));
    this.#before = answer.catch(() => undefined);
    return answer;
  }

  async #test(tests: readonly PatternTest[]): Promise<readonly PatternVerdict[]> {
    clearTimeout(this.#idle);
    const verdicts: PatternVerdict[] = [];
    // A text is tried twice: a machine that is very busy may have held up the thread.
    for (let tries = 1; verdicts.length < tests.length; tries++) {
      const rest = tests.slice(verdicts.length);
      const more = await this.#ask(rest);
      verdicts.push(...more);
      if (more.length === rest.length) break;
      if (tries > 1 && more.length === 0) {
        verdicts.push('hangs', ...rest.slice(1).map(() => 'untried' as const));
        break;
      }
    }
    this.#idle = setTimeout(() => this.#end(), idle).unref();
    return verdicts;
  }

  /** The verdicts up to the test that took too long, if one did; the worker has ended then. */
  async #ask(tests: readonly PatternTest[]): Promise<PatternVerdict[]> {
    const worker = await this.#started();
    const call = ++this.#calls;
    const verdicts = new Uint8Array(new SharedArrayBuffer(tests.length));
    const lists = [...new Set(tests.map(({ patterns }) => patterns))];
    const indices = new Map(lists.map((patterns, index) => [patterns, index]));
    const which = tests.map(({ patterns }) => indices.get(patterns));
    const isWhole = await new Promise<boolean>((resolve) => {
      const end = (whole: boolean) => (): void => {
        clearInterval(timer);
        worker.removeAllListeners();
        resolve(whole);
      };
      const timer = this.#watch(call, end(false));
      worker.on('message', end(true)).on('error', end(false)).on('exit', end(false));
      worker.postMessage({ call, lists, which, texts: tests.map(({ text }) => text), verdicts });
    });
    if (!isWhole) this.#end();
    const tried = isWhole ? tests.length : verdicts.findIndex((verdict) => verdict === 0);
    return Array.from(verdicts.subarray(0, tried), (verdict) => verdictOf[verdict] ?? 'untried');
  }

  /** Calls `hung` when the worker stays at one test for too long, or does not begin. */
  #watch(call: number, hung: () => void): NodeJS.Timeout {
    const asked = performance.now();
    let looked = asked;
    let at = -1;
    return setInterval(() => {
      const now = performance.now();
      // This thread itself was held up: the answer may be there already.
      const wasLate = now - looked > 2 * patternDeadline;
      looked = now;
      if (Atomics.load(this.#progress, 0) !== call) {
        if (now - asked > beginDeadline) hung();
        return;
      }
      const index = Atomics.load(this.#progress, 1);
      if (!wasLate && index === at) hung();
      at = index;
    }, patternDeadline);
  }

  async #started(): Promise<Worker> {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(script, { eval: true, workerData: this.#progress, execArgv: [], env: {} });
    this.#worker = worker;
    await new Promise<void>((resolve, reject) => {
      worker.once('online', resolve).once('error', reject);
    });
    // Not before it is there: until then nothing else may hold the process of a gateway that starts.
    worker.unref();
    worker.removeAllListeners();
    return worker;
  }

  #end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    worker?.on('error', () => undefined);
    void worker?.terminate();
  }
}
