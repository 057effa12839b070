import type { Meter } from '../../core/ports/ports.ts';

/** Counters of an app of which clients ask how much they grew lately, by the name of what grew. */
const counters = {
  trans_data_msgs: 'send_msgs_total',
  send_bytes: 'send_bytes',
  recv_bytes: 'recv_bytes',
  recv_msgs: 'recv_msgs_total',
} as const;

const names = Object.keys(counters) as (keyof typeof counters)[];
const spans = [5, 30, 60] as const;
const lossSpans = [60, 600, 1800] as const;
/** Losses of a connection that are remembered. */
const lossesKept = 1000;

interface Reading {
  /** Milliseconds of a clock that never goes back. */
  readonly time: number;
  readonly values: readonly number[];
}

/** What happened to an app in the last seconds and minutes. */
export class Windows {
  /** Oldest first. The first is the last reading before the longest span, from which the growth within it is counted. */
  readonly #readings: Reading[] = [];
  readonly #losses: number[] = [];

  /** To be called when counters have changed, which is once a second at most. */
  record(meters: ReadonlyMap<string, Pick<Meter, 'value'>>, time: number): void {
    this.#readings.push({ time, values: names.map((name) => meters.get(counters[name])?.value ?? 0) });
    const oldest = time - spans[2] * 1000;
    while ((this.#readings[1]?.time ?? Infinity) <= oldest) this.#readings.shift();
  }

  lostConnection(time: number): void {
    this.#losses.push(time);
    if (this.#losses.length > lossesKept) this.#losses.shift();
  }

  /** Name and value of each window, such as `last_5s_send_bytes`. */
  *at(time: number): Generator<[name: string, value: number]> {
    const now = this.#readings.at(-1);
    for (const seconds of spans) {
      const before = this.#readings.findLast((reading) => reading.time <= time - seconds * 1000);
      for (const [i, name] of names.entries())
        yield [`last_${seconds}s_${name}`, (now?.values[i] ?? 0) - (before?.values[i] ?? 0)];
    }
    for (const seconds of lossSpans) {
      const count = this.#losses.filter((loss) => loss > time - seconds * 1000).length;
      yield [`last_${seconds}s_disconnections`, count];
    }
  }
}
