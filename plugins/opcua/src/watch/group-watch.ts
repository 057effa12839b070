import { type Clock, type Context, type Emit, isFault, type Outcome, type Watch } from '@tagway/sdk';
import { type MonitoredItemNotification, type StatusCode, StatusCodes } from 'node-opcua-client';
import { disconnected, malformed, readFault } from '../faults.ts';
import { refusedWith, type Session } from '../link/session.ts';
import type { Plan } from '../read.ts';
import type { Settings } from '../settings.ts';
import { decode } from '../value.ts';
import type { Publisher } from './publisher.ts';
import { Subscription } from './subscription.ts';

/** Until items that the server refused are tried again, in milliseconds; each further time takes twice as long. */
const quarantine = { first: 10_000, longest: 300_000 } as const;

/** By these a server says that it cannot monitor any more, not that something is wrong with a node. */
const exhausted = new Set(
  [
    StatusCodes.BadTooManyMonitoredItems,
    StatusCodes.BadTooManySubscriptions,
    StatusCodes.BadTooManyOperations,
    StatusCodes.BadOutOfMemory,
    StatusCodes.BadResourceUnavailable,
    StatusCodes.BadServiceUnsupported,
    StatusCodes.BadMonitoredItemFilterUnsupported,
  ].map(({ value }) => value),
);

/** Keeps the points of one group monitored, through all sessions, until it is disposed of. */
export class GroupWatch implements Watch {
  /** Points that are left to polling, ascending: those that the mode does not monitor, and those for which the server has no room. */
  polled: readonly number[];
  readonly #context: Context<Settings>;
  readonly #plan: Plan;
  readonly #pushed: readonly number[];
  readonly #notPushed: readonly number[];
  readonly #emit: Emit;
  readonly #ended: (watch: GroupWatch) => void;
  #subscription: Subscription | undefined;
  #session = new AbortController();
  #isOver = false;

  constructor(
    context: Context<Settings>,
    plan: Plan,
    pushed: readonly number[],
    emit: Emit,
    ended: (watch: GroupWatch) => void,
  ) {
    this.#context = context;
    this.#plan = plan;
    this.#pushed = pushed;
    const isPushed = new Set(pushed);
    this.#notPushed = [...plan.points.keys()].filter((index) => !isPushed.has(index));
    this.polled = this.#notPushed;
    this.#emit = emit;
    this.#ended = ended;
  }

  /** There is a new session. Resolves when all items have been asked for once; never rejects. */
  async up(session: Session, publisher: Publisher): Promise<void> {
    if (this.#isOver || this.#pushed.length === 0) return;
    const life = new AbortController();
    this.#session = life;
    const { log, settings } = this.#context;
    try {
      const notify = (items: readonly MonitoredItemNotification[]): void => {
        if (!life.signal.aborted) this.#take(items);
      };
      const subscription = await Subscription.create(
        session,
        publisher,
        settings.publishing_interval,
        notify,
      );
      if (life.signal.aborted) return await subscription.delete();
      this.#subscription = subscription;
      const failed = await this.#monitor(subscription, this.#pushed);
      if (failed.length > 0) void this.#retry(subscription, failed, life.signal);
    } catch (error) {
      const status = refusedWith(error);
      if (status !== undefined && !life.signal.aborted) {
        log.warn(`The OPC UA server grants no subscription (${status.name}); a group is polled instead.`);
        this.polled = [...this.#plan.points.keys()];
      } else if (!isFault(error)) {
        log.error('A group could not be monitored.', { error });
        session.lose('a group could not be monitored');
      }
    }
  }

  /** The session is lost, or there is none yet. */
  down(): void {
    this.#session.abort();
    this.#subscription = undefined;
    this.polled = this.#notPushed;
    this.#report(this.#pushed, disconnected);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#session.abort();
    this.#ended(this);
    await this.#subscription?.delete();
  }

  /** Returns the indices of the items that are to be tried again. */
  async #monitor(subscription: Subscription, indices: readonly number[]): Promise<number[]> {
    const failed: number[] = [];
    const crowded: number[] = [];
    await subscription.monitor(this.#plan, indices, (refused, statuses) => {
      refused.forEach((index, at) => {
        const status = statuses[at] as StatusCode;
        if (exhausted.has(status.value)) crowded.push(index);
        else {
          failed.push(index);
          this.#emit([index], [readFault(status)]);
        }
      });
    });
    if (crowded.length > 0) {
      this.#context.log.warn(
        `The OPC UA server monitors ${crowded.length} of ${indices.length} nodes of a group no more; they are polled instead.`,
      );
      this.polled = [...this.polled, ...crowded].sort((one, other) => one - other);
    }
    return failed;
  }

  async #retry(subscription: Subscription, indices: readonly number[], life: AbortSignal): Promise<void> {
    const clock: Clock = this.#context.clock;
    let failed = indices;
    let wait: number = quarantine.first;
    this.#context.log.warn(
      `The OPC UA server refuses to monitor ${failed.length} nodes of a group; they are tried again from time to time.`,
    );
    try {
      while (failed.length > 0) {
        await clock.sleep(wait, life);
        failed = await this.#monitor(subscription, failed);
        wait = Math.min(wait * 2, quarantine.longest);
      }
    } catch (error) {
      // The session is lost, or the watch is over.
      if (!life.aborted && !isFault(error))
        this.#context.log.error('A group could not be monitored.', { error });
    }
  }

  #take(items: readonly MonitoredItemNotification[]): void {
    const { points, isElement } = this.#plan;
    const indices: number[] = [];
    const outcomes: Outcome[] = [];
    for (const { clientHandle, value } of items) {
      const point = points[clientHandle];
      if (point === undefined) continue;
      indices.push(clientHandle);
      outcomes.push(value ? decode(point.type, isElement[clientHandle] === 1, value) : malformed);
    }
    this.#emit(indices, outcomes);
  }

  #report(indices: readonly number[], outcome: Outcome): void {
    this.#emit(
      indices,
      indices.map(() => outcome),
    );
  }
}
