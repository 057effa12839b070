import { type AppContext, isFault, type JsonValue } from '@tagway/sdk';
import type { CommandPoint } from '../points/command-point.ts';

/** What ends a pulse: a write of the tag, for the control centre that began it. */
interface Rest {
  readonly driver: string;
  readonly group: string;
  readonly tag: string;
  readonly value: JsonValue;
  readonly from: string;
  /** When the pulse is to end, in milliseconds since the epoch. */
  readonly at: number;
}

const prefix = 'pulse ';
const keyOf = ({ ca, object }: Pick<CommandPoint, 'ca' | 'object'>): string => `${prefix}${ca} ${object}`;

/** Milliseconds after its time in which a pulse is still ended: later nobody knows what the tag has been for since. */
const mostLate = 300_000;
/** Milliseconds between two attempts. */
const pause = 2000;

/** Keeps the pulses that are under way where a restart and the other gateway of a pair find them, and ends those that an earlier run has left. */
export class Pulses {
  readonly #context: Pick<AppContext, 'clock' | 'log' | 'signal' | 'store' | 'write'>;
  /** Of an earlier run, by key. */
  readonly #left = new Map<string, Rest>();
  #connected: ReadonlySet<string> = new Set();

  constructor(context: Pick<AppContext, 'clock' | 'log' | 'signal' | 'store' | 'write'>) {
    this.#context = context;
  }

  /** Begins to end what an earlier run has left. */
  restore(kept: ReadonlyMap<string, string>): void {
    for (const [key, text] of kept) if (key.startsWith(prefix)) this.#left.set(key, JSON.parse(text) as Rest);
    for (const key of this.#left.keys()) void this.#endLeft(key);
  }

  /** The drivers that have a connection now. */
  driversChanged(connected: ReadonlySet<string>): void {
    this.#connected = connected;
  }

  /** A command is about to be carried out: what an earlier run has left at the object is over. `ms`: the pulse of this one; 0: none. Rejects with a fault when it cannot be kept. */
  async begin(point: CommandPoint, value: JsonValue | undefined, from: string, ms: number): Promise<void> {
    const key = keyOf(point);
    const wasLeft = this.#left.delete(key);
    if (ms === 0 && !wasLeft) return;
    const { driver, group, tag } = point;
    const at = this.#context.clock.now() + ms;
    const rest =
      value === undefined || ms === 0 ? undefined : { driver, group, tag: tag.name, value, from, at };
    await this.#context.store.write([[key, rest && JSON.stringify(rest)]]);
  }

  /** The pulse has ended, or did not begin. */
  async ended(point: CommandPoint): Promise<void> {
    await this.#forget(keyOf(point));
  }

  async #endLeft(key: string): Promise<void> {
    const { clock, log, signal } = this.#context;
    try {
      for (let rest = this.#left.get(key); rest !== undefined; rest = this.#left.get(key)) {
        const { driver, group, tag, value, from, at } = rest;
        const now = clock.now();
        if (now > at + mostLate) {
          this.#left.delete(key);
          log.error(
            `A pulse was interrupted and could not be ended in time: the tag "${tag}" of the group "${group}" of "${driver}" may still be on. Look, and write it off.`,
          );
          return await this.#forget(key);
        }
        if (now >= at && this.#connected.has(driver)) {
          const [fault] = await this.#context.write([{ driver, group, tag, value }], { request: true, from });
          if (fault === undefined && this.#left.delete(key)) {
            log.notice(
              `A pulse that was interrupted has ended: the tag "${tag}" of the group "${group}" of "${driver}" was written off.`,
            );
            return await this.#forget(key);
          }
        }
        await clock.sleep(Math.max(0, Math.min(at - now, pause)) || pause, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #forget(key: string): Promise<void> {
    try {
      await this.#context.store.write([[key, undefined]]);
    } catch (error) {
      if (!isFault(error)) throw error;
      this.#context.log.warn(`It could not be stored that a pulse has ended: ${error.message}`);
    }
  }
}
