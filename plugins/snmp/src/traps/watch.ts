import { Attribute, isFault, type Point, type Report, type Watch } from '@tagway/sdk';
import { parseAddress } from '../address.ts';
import { put, type Target } from '../decode.ts';
import type { Names } from '../names/names.ts';
import { Cursor } from '../wire/ber.ts';
import type { Notification } from './notification.ts';
import type { TrapValue, TrapValues } from './values.ts';

/** The points of one group that notifications bring: those of notifications, and objects with the attribute SUBSCRIBE that come with one. */
export class TrapWatch implements Watch {
  readonly polled: readonly number[];
  readonly #report: Report;
  readonly #ended: (watch: TrapWatch) => void;
  readonly #traps: { readonly target: Target; readonly value: TrapValue }[] = [];
  readonly #objects = new Map<string, Target[]>();
  readonly #cursor = new Cursor();

  constructor(
    points: readonly Point[],
    report: Report,
    {
      names,
      values,
      ended,
    }: {
      readonly names: Names;
      readonly values: TrapValues;
      readonly ended: (watch: TrapWatch) => void;
    },
  ) {
    this.#report = report;
    this.#ended = ended;
    const polled: number[] = [];
    for (const [point, { address, attribute, type }] of points.entries()) {
      const parsed = parseAddress(address, names);
      if (!isFault(parsed) && parsed.kind === 'trap') {
        const target = { point, type, syntax: parsed.syntax, format: undefined };
        this.#traps.push({ target, value: values.of(parsed) });
        continue;
      }
      polled.push(point);
      if (isFault(parsed) || parsed.kind === 'row' || (attribute & Attribute.SUBSCRIBE) === 0) continue;
      const key = parsed.oid.toString('latin1');
      const targets = this.#objects.get(key) ?? [];
      targets.push({ point, type, syntax: parsed.syntax, format: parsed.format });
      this.#objects.set(key, targets);
    }
    this.polled = Object.freeze(polled);
  }

  /** There is a new session: what was seen so far holds still. */
  up(): void {
    if (this.#traps.length === 0) return;
    for (const { target, value } of this.#traps) value.put(target, this.#report);
    this.#report.send();
  }

  /** False: there is more than can be passed on. */
  take({ objects }: Notification, changed: ReadonlySet<TrapValue>): boolean {
    let hasNews = false;
    for (const { target, value } of this.#traps) {
      if (!changed.has(value)) continue;
      value.put(target, this.#report);
      hasNews = true;
    }
    for (const { oid, value } of this.#objects.size === 0 ? [] : objects) {
      for (const target of this.#objects.get(oid.toString('latin1')) ?? []) {
        const cursor = this.#cursor.begin(value);
        if (cursor.next()) put(cursor, target, this.#report);
        hasNews = true;
      }
    }
    // Each notification is an event, also one that says what the last one said.
    return !hasNews || this.#report.send({ every: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#ended(this);
    return Promise.resolve();
  }
}
