import type { Signal } from '../core/ports/telemetry.ts';
import type { Advice } from './advice.ts';

/** `away`: requests wait and are sent again; `refused`: they are dropped. */
export type Trouble = 'away' | 'refused';

/** The log of the exporter: one line when a signal is not taken any more, one when it is again. A collector that is away is one line for all signals. */
export class Outages {
  readonly #endpoint: string;
  readonly #log: { warn(sentence: string): void; notice(sentence: string): void };
  readonly #troubles = new Map<Signal, { readonly trouble: Trouble; readonly since: number }>();

  constructor(endpoint: string, log: { warn(sentence: string): void; notice(sentence: string): void }) {
    this.#endpoint = endpoint;
    this.#log = log;
  }

  has(signal: Signal): boolean {
    return this.#troubles.has(signal);
  }

  begin(signal: Signal, trouble: Trouble, { reason, advice }: Advice): void {
    // Whatever the next reason is, it is the same outage.
    if (this.#troubles.has(signal)) return;
    const isSaid = trouble === 'away' && this.#isAway();
    this.#troubles.set(signal, { trouble, since: Date.now() });
    if (isSaid) return;
    const what = {
      away: 'They wait in memory and are sent again; the oldest are dropped when there are too many.',
      refused: 'These are dropped.',
    }[trouble];
    this.#log.warn(
      `The collector of OpenTelemetry at ${this.#endpoint} does not take ${signal}: ${reason}. ${what} ${advice}`,
    );
  }

  end(signal: Signal): void {
    const trouble = this.#troubles.get(signal);
    if (trouble === undefined) return;
    this.#troubles.delete(signal);
    if (trouble.trouble === 'away' && this.#isAway()) return;
    const seconds = Math.round((Date.now() - trouble.since) / 1000);
    this.#log.notice(
      `The collector of OpenTelemetry at ${this.#endpoint} takes ${signal} again, after ${seconds} s.`,
    );
  }

  #isAway(): boolean {
    return [...this.#troubles.values()].some(({ trouble }) => trouble === 'away');
  }
}
