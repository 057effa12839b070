import { type Context, type Fault, isFault, type Report, type Values, type Watch } from '@tagway/sdk';
import { abortable } from '@tagway/sdk/link';
import { type MonitoredItemNotification, StatusCodes } from 'node-opcua-client';
import { disconnected, malformed, notReady, readFault, silent } from '../faults.ts';
import { refusedWith } from '../link/refusal.ts';
import type { Session } from '../link/session.ts';
import { PublishLimit, type Sizes } from '../link/sizes.ts';
import { oneOf } from '../link/statuses.ts';
import { compilePlan, type ReadPlan } from '../plan.ts';
import { readAll } from '../read.ts';
import type { Settings } from '../settings.ts';
import { decode } from '../decode.ts';
import { ItemStates } from './item-states.ts';
import { renumbered } from './renumbered.ts';
import type { Publisher } from './publisher.ts';
import { Subscription, tooMuch } from './subscription.ts';

/** Until items that the server refused are tried again, in milliseconds; each further time takes twice as long. */
const quarantine = { first: 10_000, longest: 300_000 } as const;

/** A subscription that has lived this long without trouble makes the next trouble a first one, in milliseconds. */
const health = 60_000;
/** Before the third and each further subscription after trouble, in milliseconds; it doubles. */
const rest = { first: 1_000, longest: 60_000 } as const;
/** Besides two publishing intervals and the timeout, how long the first value of an item may take, in milliseconds. */
const firstValue = 1_000;

/** Statuses of a server that cannot monitor more nodes; no single node is the cause. */
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

const nothing = (): void => undefined;

/** A session and what its subscriptions share. */
export interface Live {
  readonly session: Session;
  readonly publisher: Publisher;
  /** The reads of careful groups before they are monitored; none rejects. */
  readonly looks: Promise<void>[];
  /** Does the work of one group after that of another. */
  inOrder<T>(work: () => Promise<T>): Promise<T>;
}

/** Keeps the points of one group monitored, through all sessions, until it is disposed of. */
export class GroupWatch implements Watch {
  readonly #context: Context<Settings>;
  readonly #plan: ReadPlan;
  readonly #states: ItemStates;
  readonly #report: Report;
  readonly #ended: (watch: GroupWatch) => void;
  readonly #sizes: Sizes;
  readonly #limit: PublishLimit;
  /** The points that the mode monitors, and what takes their values when they are read. */
  readonly #pushed: ReadPlan;
  readonly #found: Values;
  #life = new AbortController();
  #subscription: Subscription | undefined;
  /** Troubles in a row, without a time of health in between. */
  #troubles = 0;
  #hasWarnedOfOverflow = false;
  #isOver = false;
  /** Called after each report. */
  #reported: () => void = nothing;

  /** `pushed` are the indices of the points that the mode monitors, ascending. */
  constructor(
    context: Context<Settings>,
    plan: ReadPlan,
    pushed: readonly number[],
    report: Report,
    sizes: Sizes,
    ended: (watch: GroupWatch) => void,
  ) {
    this.#context = context;
    this.#plan = plan;
    this.#states = new ItemStates(plan.points.length, pushed);
    this.#report = report;
    this.#sizes = sizes;
    this.#ended = ended;
    this.#limit = new PublishLimit(pushed.length);
    this.#pushed = compilePlan(pushed.flatMap((index) => plan.points[index] ?? []));
    this.#found = renumbered(report, pushed);
    if (pushed.length > 0) sizes.publishing.add(this.#limit);
  }

  /** Points that are left to polling. */
  get polled(): readonly number[] {
    return this.#states.polled;
  }

  /** There is no session yet. */
  wait(): void {
    this.#fail(this.#states.pushed, disconnected);
  }

  /** There is a new session: the group is monitored from now on, as long as that lasts. `waited`: the watch was there before it. */
  up(live: Live, waited: boolean): void {
    if (this.#isOver || this.#states.pushed.length === 0) return;
    if (waited) this.#fail(this.#states.pushed, notReady);
    if (!this.#sizes.isCareful) this.#limit.grow();
    this.#life = new AbortController();
    void this.#keep(live, this.#life.signal);
  }

  /** The session is lost; the runner gives all points their faults. */
  down(): void {
    this.#life.abort();
    this.#subscription = undefined;
    this.#states.reset();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#life.abort();
    this.#sizes.publishing.delete(this.#limit);
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
      if (trouble === tooMuch) continue;
      if (clock.monotonic() - began > health) this.#troubles = 0;
      this.#troubles++;
      if (this.#troubles === 1)
        log.warn(`A group of the OPC UA server is subscribed anew and read meanwhile: ${trouble}.`);
      this.#fail(this.#states.pushed, silent);
      this.#states.poll(this.#states.pushed);
      live.publisher.renew();
      if (this.#troubles === 2)
        return live.session.lose(`its subscription came into trouble again: ${trouble}`);
      const wait = Math.min(rest.first * 2 ** Math.max(0, this.#troubles - 3), rest.longest);
      if (this.#troubles > 2) await clock.sleep(wait, life).catch(() => undefined);
    }
  }

  /** Resolves with what is wrong with the subscription after a while, or undefined when there is nothing more to be done. */
  async #subscribe(live: Live, life: AbortSignal): Promise<string | undefined> {
    const { log } = this.#context;
    const over = new AbortController();
    const end = AbortSignal.any([life, over.signal]);
    let subscription: Subscription | undefined;
    const isCareful = this.#sizes.isCareful;
    try {
      if (isCareful) {
        // All groups are read before the first one is monitored: from then on it is what the server publishes that is too large.
        const look = this.#lookForLarge(live.session, life);
        live.looks.push(look.catch(nothing));
        await look;
        await Promise.all(live.looks);
      }
      if (this.#limit.isUseless) {
        log.warn(
          'The OPC UA server cannot publish single values of a group, as they are too large; it is polled instead.',
        );
        return undefined;
      }
      await live.inOrder(async () => {
        if (life.aborted) return;
        subscription = await this.#create(live, life);
        // The watch was ended before it knew of the subscription.
        if (life.aborted) return subscription.delete();
        this.#subscription = subscription;
        const wanted = this.#wanted();
        if (isCareful) await live.session.mature(end);
        await this.#monitor(subscription, wanted, end);
        if (isCareful) this.#sizes.beginning = this.#limit;
        subscription.begin();
        if (isCareful) await this.#firstValues(subscription, wanted, end);
        this.#sizes.beginning = undefined;
      });
      if (subscription === undefined || life.aborted) return undefined;
      void subscription.guard(end);
      void this.#expectFirstValues(end);
      return await abortable(subscription.trouble, end);
    } catch (error) {
      if (life.aborted || error === disconnected) return undefined;
      const status = refusedWith(error);
      if (status === undefined)
        return isFault(error) ? 'it was not answered' : 'an answer of the server cannot be decoded';
      log.warn(`The OPC UA server grants no subscription (${status.name}); a group is polled instead.`);
      this.#states.poll(this.#states.pushed);
      return undefined;
    } finally {
      over.abort();
      // When the watch or the session has ended, that deletes it.
      if (!life.aborted) await subscription?.delete();
    }
  }

  #create({ session, publisher }: Live, life: AbortSignal): Promise<Subscription> {
    const { clock, settings } = this.#context;
    return Subscription.create({
      session,
      publisher,
      clock,
      limit: this.#limit,
      timeout: settings.timeout,
      interval: settings.publishing_interval,
      notify: (items) => {
        if (!life.aborted) this.#take(items);
      },
    });
  }

  /** A message was too large lately: a read of what is to be monitored finds the point that it was for, and may end the session. */
  async #lookForLarge(session: Session, life: AbortSignal): Promise<void> {
    if (life.aborted) return;
    const send = (): void => {
      if (!life.aborted) this.#report.send();
    };
    await readAll(this.#pushed, session, this.#found, this.#context, life, send);
    send();
    // Without cuts the runner's requests may be larger than what has been read.
    if (this.#pushed.cuts.length === 0) this.#states.poll(this.#states.pushed);
  }

  /** The points to monitor: those that are not known to be too large. */
  #wanted(): readonly number[] {
    const { pushed } = this.#states;
    const sizes = this.#sizes;
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
    await subscription.monitor(this.#plan, indices, (index, status) => {
      if (isExhausted(status)) crowded.push(index);
      else {
        failed.push(index);
        this.#states.has(index);
        this.#report.fault(index, readFault(status));
      }
    });
    this.#report.send();
    this.#states.publish();
    if (crowded.length > 0) {
      this.#context.log.warn(
        `The OPC UA server does not monitor ${crowded.length} of ${indices.length} nodes of a group; they are polled instead.`,
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

  /** Resolves when all of these have reported something, or the time for it is over. */
  async #firstValues({ trouble }: Subscription, indices: readonly number[], end: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#reported = () => {
      if (indices.every((index) => this.#states.isReported(index))) resolve();
    };
    this.#reported();
    await Promise.race([promise, trouble, this.#context.clock.sleep(this.#firstWithin, end).catch(nothing)]);
    this.#reported = nothing;
  }

  /** How long first values may take, in milliseconds. */
  get #firstWithin(): number {
    const { timeout, publishing_interval } = this.#context.settings;
    return firstValue + timeout + 2 * publishing_interval;
  }

  /** Items that give nothing although the server took them are polled, until they give something. */
  async #expectFirstValues(end: AbortSignal): Promise<void> {
    const { clock, log } = this.#context;
    try {
      await clock.sleep(this.#firstWithin, end);
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
    this.#reported();
    if (lost) this.#overflown();
  }

  #overflown(): void {
    this.#context.count('queue_overflows', 1);
    if (this.#hasWarnedOfOverflow) return;
    this.#hasWarnedOfOverflow = true;
    this.#context.log.warn(
      'The OPC UA server could not keep all changes of a node until they were published; a shorter publishing_interval helps. This is logged once.',
    );
  }

  #fail(indices: readonly number[], fault: Fault): void {
    for (const index of indices) this.#report.fault(index, fault);
    this.#report.send();
  }
}
