import type { AppContext } from '@tagway/sdk';
import { LimitedLog } from './limited-log.ts';

/** Milliseconds after which the same reason is logged again, and the number of reasons that are logged separately. */
const repeatAfter = 3_600_000;
const mostReasons = 20;

/** The lines of the log about a link that comes and goes: each reason once an hour, a connection once after a failure. */
export class LinkLog {
  readonly #context: Pick<AppContext, 'clock' | 'log' | 'node'>;
  readonly #failures = new Map<string, LimitedLog>();
  #connected = false;

  constructor(context: Pick<AppContext, 'clock' | 'log' | 'node'>) {
    this.#context = context;
  }

  connected(name: string): void {
    if (this.#connected) return;
    this.#connected = true;
    this.#context.log.notice(`The node ${this.#context.node} is connected to ${name}.`);
  }

  failed(reason: string): void {
    this.#connected = false;
    const key = this.#failures.has(reason) || this.#failures.size < mostReasons ? reason : 'others';
    const failures = this.#failures.get(key) ?? new LimitedLog(this.#context.clock, repeatAfter);
    this.#failures.set(key, failures);
    const { log, node } = this.#context;
    failures.add((others) =>
      log.warn(`${reason} The node ${node} keeps what it has and tries again.${others}`),
    );
  }
}
