import { type Context, type Fault, isFault, type Report, type Watch } from '@tagway/sdk';
import { type MonitoredItemNotification, type StatusCode, StatusCodes } from 'node-opcua-client';
import { disconnected, malformed, notReady, readFault, silent } from '../faults.ts';
import { refusedWith } from '../link/refusal.ts';
import type { Session } from '../link/session.ts';
import { oneOf } from '../link/statuses.ts';
import { type Plan, readAll } from '../read.ts';
import type { Settings } from '../settings.ts';
import { decode } from '../value.ts';
import { ItemStates } from './item-states.ts';
import { nobody } from './nobody.ts';
import type { Publisher } from './publisher.ts';
import { Subscription } from './subscription.ts';

/** Until items that the server refused are tried again, in milliseconds; each further time takes twice as long. */
const quarantine = { first: 10_000, longest: 300_000 } as const;

/** A subscription that has lived this long without trouble makes the next trouble a first one, in milliseconds. */
const health = 60_000;
/** Before the third and each further subscription after trouble, in milliseconds; it doubles. */
const rest = { first: 1_000, longest: 60_000 } as const;
/** Besides two publishing intervals and the timeout, how long the first value of an item may take, in milliseconds. */
const firstValue = 1_000;

/** By these a server says that it cannot monitor any more, not that something is wrong with a node. */
const isExhausted = oneOf(
  StatusCodes.BadTooManyMonitoredItems,
  StatusCodes.BadTooManySubscriptions,
  StatusCodes.BadTooManyOperations,
  StatusCodes.BadOutOfMemory,
  StatusCodes.BadResourceUnavailable,
  StatusCodes.BadServiceUnsupported,
  StatusCodes.BadMonitoredItemFilterUnsupported,
);

/** A queue of the server was full and changes were left out (OPC 10000-4, 7.39: the info type and the bit Overflow). */
const overflow = 0x0480;

/** A session and what its subscriptions share. */
export interface Live {
  readonly session: Session;
  readonly publisher: Publisher;
  /** Runs work of one group at a time. */
  turn<T>(work: () => Promise<T>): Promise<T>;
}

/** Keeps the points of one group monitored, through all sessions, until it is disposed of. */
export class GroupWatch implements Watch {
  readonly #context: Context<Settings>;
  readonly #plan: Plan;
  readonly #states: ItemStates;
  readonly #report: Report;
  readonly #ended: (watch: GroupWatch) => void;
  #life = new AbortController();
  #subscription: Subscription | undefined;
  /** What went wrong one after the other, without a time of health in between. */
  #troubles = 0;
  #saidOverflow = false;
  #isOver = false;

  /** `pushed` are the indices of the points that the mode monitors, ascending. */
  constructor(
    context: Context<Settings>,
    plan: Plan,
    pushed: readonly number[],
    report: Report,
    ended: (watch: GroupWatch) => void,
  ) {
    this.#context = context;
    this.#plan = plan;
    this.#states = new ItemStates(plan.points.length, pushed);
    this.#report = report;
    this.#ended = ended;
  }

  /** Points that are left to polling. */
  get polled(): readonly number[] {
    return this.#states.polled;
  }

  /** There is no session yet. */
  wait(): void {
    this.#fail(this.#states.pushed, disconnected);
  }

  /** There is a new session: the group is monitored from now on, as long as that lasts. `waited`: it was not the first to be there. */
  up(live: Live, waited: boolean): void {
    if (this.#isOver || this.#states.pushed.length === 0) return;
    if (waited) this.#fail(this.#states.pushed, notReady);
    this.#life = new AbortController();
    void this.#keep(live, this.#life.signal);
  }

  /** The session is lost; the runner has said so for all points. */
  down(): void {
    this.#life.abort();
    this.#subscription = undefined;
    this.#states.reset();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#life.abort();
    this.#ended(this);
    await this.#subscription?.delete();
  }

  /** Makes one subscription after the other until the session is lost or the watch is over. */
  async #keep(live: Live, life: AbortSignal): Promise<void> {
    const { clock, log } = this.#context;
    while (!life.aborted) {
      const began = clock.monotonic();
      const trouble = await this.#subscribe(live, life);
      if (life.aborted || trouble === undefined) return;
      if (clock.monotonic() - began > health) this.#troubles = 0;
      this.#troubles++;
      if (this.#troubles === 1)
        log.warn(`A group of the OPC UA server is subscribed anew and read meanwhile: ${trouble}.`);
      this.#fail(this.#states.pushed, silent);
      this.#states.poll(this.#states.pushed);
      live.publisher.renew();
      if (this.#troubles === 2) {
        live.session.lose(`its subscription came into trouble again: ${trouble}`);
        return;
      }
      const wait = Math.min(rest.first * 2 ** Math.max(0, this.#troubles - 3), rest.longest);
      if (this.#troubles > 2) await clock.sleep(wait, life).catch(() => undefined);
    }
  }

  /** Resolves with what is wrong with the subscription after a while, or undefined when there is nothing more to be done. */
  async #subscribe(live: Live, life: AbortSignal): Promise<string | undefined> {
    const { log } = this.#context;
    const end = new AbortController();
    const over = (): void => end.abort();
    life.addEventListener('abort', over, { once: true });
    const aborted = new Promise<undefined>((resolve) =>
      end.signal.addEventListener('abort', () => resolve(undefined), { once: true }),
    );
    let subscription: Subscription | undefined;
    try {
      await live.turn(async () => {
        if (life.aborted) return;
        if (live.session.sizes.isCareful) await this.#lookForLarge(live.session, life);
        subscription = await this.#create(live, life);
        // Whoever ended the watch meanwhile did not know of it.
        if (life.aborted) return subscription.delete();
        this.#subscription = subscription;
        await this.#monitor(subscription, this.#wanted(live.session), end.signal);
      });
      if (subscription === undefined || life.aborted) return undefined;
      void subscription.guard(end.signal);
      void this.#expectFirstValues(end.signal);
      return await Promise.race([subscription.trouble, aborted]);
    } catch (error) {
      if (life.aborted || error === disconnected) return undefined;
      const status = refusedWith(error);
      if (status === undefined)
        return isFault(error) ? 'it was not answered' : 'an answer of the server cannot be decoded';
      log.warn(`The OPC UA server grants no subscription (${status.name}); a group is polled instead.`);
      this.#states.poll(this.#states.pushed);
      return undefined;
    } finally {
      life.removeEventListener('abort', over);
      end.abort();
      // The end of the watch and that of the session look after it themselves.
      if (!life.aborted) await subscription?.delete();
    }
  }

  #create({ session, publisher }: Live, life: AbortSignal): Promise<Subscription> {
    const { clock, settings } = this.#context;
    return Subscription.create({
      ...{ session, publisher, clock, timeout: settings.timeout, interval: settings.publishing_interval },
      notify: (items) => {
        if (!life.aborted) this.#take(items);
      },
    });
  }

  /** A message was too large lately: a read of all points finds out whose, and leaves the session for lost if need be. */
  async #lookForLarge(session: Session, life: AbortSignal): Promise<void> {
    this.#states.poll(this.#states.pushed);
    await readAll(this.#plan, session, nobody, this.#context, life);
  }

  /** The points to monitor: those that are not known to be too large. */
  #wanted({ sizes }: Session): readonly number[] {
    const { pushed } = this.#states;
    if (!sizes.hasBlamed) return pushed;
    const isLarge = (index: number): boolean => sizes.isBlamed(this.#plan.points[index]?.address ?? '');
    this.#states.poll(pushed.filter(isLarge));
    return pushed.filter((index) => !isLarge(index));
  }

  async #monitor(subscription: Subscription, indices: readonly number[], end: AbortSignal): Promise<void> {
    const failed = await this.#ask(subscription, indices);
    if (failed.length > 0) void this.#retry(subscription, failed, end);
  }

  /** Returns the indices of the items that are to be tried again. */
  async #ask(subscription: Subscription, indices: readonly number[]): Promise<number[]> {
    const failed: number[] = [];
    const crowded: number[] = [];
    await subscription.monitor(this.#plan, indices, (refused, statuses) => {
      refused.forEach((index, at) => {
        const status = statuses[at] as StatusCode;
        if (isExhausted(status)) crowded.push(index);
        else {
          failed.push(index);
          this.#states.has(index);
          this.#report.fault(index, readFault(status));
        }
      });
    });
    this.#report.send();
    this.#states.publish();
    if (crowded.length > 0) {
      this.#context.log.warn(
        `The OPC UA server monitors ${crowded.length} of ${indices.length} nodes of a group no more; they are polled instead.`,
      );
      this.#states.poll(crowded);
    }
    return failed;
  }

  async #retry(subscription: Subscription, indices: readonly number[], end: AbortSignal): Promise<void> {
    const { clock, log } = this.#context;
    let failed = indices;
    let wait: number = quarantine.first;
    log.warn(
      `The OPC UA server refuses to monitor ${failed.length} nodes of a group; they are tried again from time to time.`,
    );
    try {
      while (failed.length > 0) {
        await clock.sleep(wait, end);
        failed = await this.#ask(subscription, failed);
        wait = Math.min(wait * 2, quarantine.longest);
      }
    } catch (error) {
      // The session is lost, or the subscription is over.
      if (!end.aborted && !isFault(error)) log.error('A group could not be monitored.', { error });
    }
  }

  /** Items that give nothing although the server took them are polled, until they give something. */
  async #expectFirstValues(end: AbortSignal): Promise<void> {
    const { clock, log, settings } = this.#context;
    try {
      await clock.sleep(firstValue + settings.timeout + 2 * settings.publishing_interval, end);
    } catch {
      return;
    }
    const count = this.#states.pollSilent();
    if (count > 0)
      log.warn(
        `The OPC UA server monitors ${count} nodes of a group without giving a value; they are polled meanwhile.`,
      );
  }

  #take(items: readonly MonitoredItemNotification[]): void {
    const { points, isElement } = this.#plan;
    let lost = false;
    for (const { clientHandle, value } of items) {
      const point = points[clientHandle];
      if (point === undefined) continue;
      this.#states.has(clientHandle);
      if (value) decode(this.#report, clientHandle, point.type, isElement[clientHandle] === 1, value);
      else this.#report.fault(clientHandle, malformed);
      lost ||= value !== undefined && value !== null && (value.statusCode.value & overflow) === overflow;
    }
    this.#report.send();
    this.#states.publish();
    if (lost) this.#overflown();
  }

  #overflown(): void {
    this.#context.count('queue_overflows', 1);
    if (this.#saidOverflow) return;
    this.#saidOverflow = true;
    this.#context.log.warn(
      'The OPC UA server could not keep all changes of a node until they were published; a shorter publishing_interval helps. This is said once.',
    );
  }

  #fail(indices: readonly number[], fault: Fault): void {
    for (const index of indices) this.#report.fault(index, fault);
    this.#report.send();
  }
}
