import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ErrorCode } from '@tagway/schemas';
import { Fault, type HistoryReading, type Log, type Sample } from '@tagway/sdk';
import type { Group, Tag } from '../core/model.ts';
import type { BoundedRange, History } from '../core/ports/history.ts';
import { isDiskFull, systemReason } from '../core/system/system-error.ts';
import { GroupHistory } from './group-history.ts';
import { Ring } from './ring.ts';

/** Milliseconds. */
const times = {
  /** Between two looks at what waits. */
  look: 5000,
  /** A sample waits at most, so that a block has a minute or so. */
  wait: 60_000,
  /** Where blocks are is kept since a history was read. */
  places: 300_000,
  /** For what waits to be stored when the gateway ends. */
  close: 5000,
} as const;

/** Readings that may wait. */
const mostReadings = 16;

export interface HistoryOptions {
  readonly folder: string;
  readonly log: Log;
  /** The time of the day. Default: that of the system. */
  readonly now?: () => number;
}

/**
 * The short history of the groups that ask for one: see `docs/history.md`. Samples are kept as they come and cost nothing more until they are
 * stored, a block a minute, column by column, in a ring of files for each group. What is stored and what is read happens one after another,
 * so that it takes, with any number of groups and requests, a share of one thread and of the disk alone.
 */
export class HistoryFolder implements History {
  readonly #folder: string;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #groups = new Map<number, GroupHistory>();
  /** The numbers of groups that have a folder. */
  readonly #kept = new Set<number>();
  readonly #lastRead = new Map<GroupHistory, number>();
  #work: Promise<unknown> = Promise.resolve();
  #readings = 0;
  readonly #timer: NodeJS.Timeout;

  constructor({ folder, log, now = Date.now }: HistoryOptions) {
    this.#folder = folder;
    this.#log = log;
    this.#now = now;
    this.#timer = setInterval(() => this.#look(), times.look);
    this.#timer.unref();
  }

  /** Removes what is kept of groups that are not there any more, or that are to have no history. */
  async open(groups: Iterable<Group>): Promise<void> {
    const wanted = new Set(Array.from(groups, ({ id, history }) => (history > 0 ? String(id) : '')));
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names) {
      if (wanted.has(name)) this.#kept.add(Number(name));
      else await rm(join(this.#folder, name), { recursive: true, force: true });
    }
  }

  take(group: Group, sample: Sample, tags: readonly Tag[]): void {
    if (group.history === 0) return;
    const history = this.#of(group);
    if (history.take(sample, tags)) this.#store(history);
  }

  changed(group: Group): void {
    if (group.history === 0) this.removed(group);
  }

  removed({ id }: Group): void {
    if (!this.#kept.delete(id)) return;
    const history = this.#groups.get(id);
    this.#groups.delete(id);
    if (history !== undefined) this.#lastRead.delete(history);
    const folder = join(this.#folder, String(id));
    void this.#next(() => rm(folder, { recursive: true, force: true })).catch((error: unknown) =>
      this.#log.warn(
        `The history in ${folder}, whose group is to have none any more, cannot be removed: ${systemReason(error)}.`,
      ),
    );
  }

  async read(group: Group, { id }: Tag, range: BoundedRange): Promise<HistoryReading> {
    if (this.#readings >= mostReadings)
      throw new Fault(
        ErrorCode.BUSY,
        `${mostReadings} requests for histories wait already; ask again in a few seconds.`,
      );
    const history = this.#of(group);
    this.#readings++;
    try {
      return await this.#next(() => history.read(id, range));
    } finally {
      this.#readings--;
      this.#lastRead.set(history, performance.now());
    }
  }

  /** Stores what waits. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const history of this.#groups.values()) this.#store(history);
    await Promise.race([this.#work, delay(times.close, undefined, { ref: false })]);
  }

  #of(group: Group): GroupHistory {
    let history = this.#groups.get(group.id);
    if (history === undefined) {
      const ring = new Ring(join(this.#folder, String(group.id)), this.#now);
      this.#groups.set(group.id, (history = new GroupHistory(group, ring)));
      this.#kept.add(group.id);
    }
    return history;
  }

  /** Calls `work` after all that was to be done before. */
  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => undefined);
    return done;
  }

  #look(): void {
    const now = performance.now();
    for (const history of this.#groups.values()) if (history.age >= times.wait) this.#store(history);
    for (const [history, read] of this.#lastRead) {
      if (now - read < times.places) continue;
      history.ring.forgetBlocks();
      this.#lastRead.delete(history);
    }
  }

  #store(history: GroupHistory): void {
    if (history.isQueued) return;
    history.isQueued = true;
    void this.#next(async () => {
      history.isQueued = false;
      if (this.#groups.get(history.group.id) !== history) return;
      try {
        await mkdir(this.#folder, { recursive: true, mode: 0o700 });
        await history.store();
        this.#note(history, undefined);
      } catch (error) {
        this.#note(history, error);
      }
    });
  }

  /** Says when storing begins to fail, for another reason too, and when it works again. */
  #note(history: GroupHistory, error: unknown): void {
    const { name, node } = history.group;
    const what = `The history of the group "${name}" of "${node.name}"`;
    const before = history.problem;
    if (error === undefined) {
      history.problem = undefined;
      if (before !== undefined) this.#log.notice(`${what} is stored again; the time until now is missing.`);
      return;
    }
    const advice = isDiskFull(error)
      ? `Make room on the disk of ${this.#folder}, or give groups less megabytes of history.`
      : `Look at the folder ${this.#folder}.`;
    history.problem = `${what} cannot be stored: ${systemReason(error)}. Its values of this time are lost; what was stored before is kept. ${advice}`;
    if (history.problem !== before) this.#log.error(history.problem);
  }
}
