import { setTimeout as sleep } from 'node:timers/promises';
import { control, type Field, watched } from './field.ts';
import type { Session } from './session.ts';

type Pick = (below: number) => number;
type Work = () => Promise<void>;

/** Does the same again and again until the run is over; what fails without a kill is told. */
export async function repeat(
  session: Session,
  pause: number,
  signal: AbortSignal,
  work: Work,
): Promise<void> {
  while (!signal.aborted) {
    await work().catch((error: unknown) => session.fail(error));
    await sleep(pause, undefined, { signal }).catch(() => undefined);
  }
}

/** One read of the API, of those that people and programs make. */
export async function read(session: Session, pick: Pick): Promise<void> {
  const { key } = watched[pick(watched.length)] as (typeof watched)[number];
  const [node, group] = key.split('/') as [string, string];
  const reads: Work[] = [
    () => session.ok('POST', '/read', { node, group }).then(nothing),
    () =>
      session
        .ok('POST', '/read/paginate', { node, group, query: { currentPage: 1, pageSize: 20 } })
        .then(nothing),
    () => session.ok('GET', '/node/state').then(nothing),
    () => session.ok('GET', '/node', { type: 1 }).then(nothing),
    () => session.ok('GET', '/tags', { node, group }).then(nothing),
    () => session.ok('GET', '/group', { node }).then(nothing),
    () => session.ok('GET', '/subscribe', { app: 'uplink' }).then(nothing),
    () =>
      session.ok('GET', '/audit', { page: 1, page_size: 200, since: now() - 60, until: now() }).then(nothing),
    () => session.ok('GET', '/global/config').then(nothing),
  ];
  await (reads[pick(reads.length)] as Work)();
}

const nothing = (): void => undefined;
const now = (): number => Math.floor(Date.now() / 1000);

/** Writes registers of the Modbus device over the API and looks at the device itself. */
export class Writes {
  acknowledged = 0;
  refused = 0;
  /** Writes that were acknowledged and are not in the device. */
  readonly lost: string[] = [];
  readonly #session: Session;
  readonly #field: Field;
  /** Values of writes that were not acknowledged, which may still arrive. */
  readonly #doubtful: Set<number>[] = Array.from({ length: control.count }, () => new Set());
  #number = 0;

  constructor(session: Session, field: Field) {
    this.#session = session;
    this.#field = field;
  }

  /** Writes the next number to a tag. A refused write is no fault while the device is away, which the caller knows. */
  async next(isExcused: () => boolean): Promise<void> {
    this.#number = (this.#number + 1) % 30_000;
    const value = this.#number;
    const index = value % control.count;
    const { device } = this.#field;
    const doubtful = this.#doubtful[index] as Set<number>;
    try {
      await this.#session.ok('POST', '/write', {
        node: 'plant',
        group: 'control',
        tag: `tag${index}`,
        value,
      });
    } catch (error) {
      doubtful.add(value);
      this.refused += 1;
      if (isExcused()) return;
      throw error;
    }
    this.acknowledged += 1;
    const seen = await this.#registers(index).catch(() => undefined);
    // Another device of that name has other registers; one that is silent tells nothing.
    if (seen === undefined || device !== this.#field.device) return;
    if (seen === value) doubtful.clear();
    else if (!doubtful.has(seen))
      this.lost.push(
        `${new Date().toISOString()} ${value} was acknowledged, and ${seen} is in the register.`,
      );
  }

  async #registers(index: number): Promise<number | undefined> {
    return (await this.#field.device.registers(control.first - 1 + index, 1))[0];
  }
}

/** Milliseconds that an answer to the simplest question may take. */
export const longestPause = 250;

/** Asks the simplest question again and again: how long it waits is how long the gateway had no time for anybody. */
export class Pauses {
  count = 0;
  slowest = 0;
  /** When it took too long: from the question to the answer. */
  readonly long: { readonly from: number; readonly to: number }[] = [];
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async next(): Promise<void> {
    const from = Date.now();
    await this.#session.ok('GET', '/version');
    const to = Date.now();
    this.count += 1;
    this.slowest = Math.max(this.slowest, to - from);
    if (to - from > longestPause) this.long.push({ from, to });
  }
}
