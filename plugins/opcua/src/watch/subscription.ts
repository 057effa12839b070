import { Attribute, type Clock } from '@tagway/sdk';
import {
  AttributeIds,
  CreateMonitoredItemsRequest,
  type CreateMonitoredItemsResponse,
  CreateSubscriptionRequest,
  type CreateSubscriptionResponse,
  DataChangeNotification,
  DeleteSubscriptionsRequest,
  MonitoringMode,
  type MonitoredItemCreateResult,
  type MonitoredItemNotification,
  type NotificationMessage,
  type StatusCode,
  StatusChangeNotification,
  TimestampsToReturn,
} from 'node-opcua-client';
import { isDivisible, refusedWith } from '../link/refusal.ts';
import type { Session } from '../link/session.ts';
import type { PublishLimit } from '../link/sizes.ts';
import type { ReadPlan } from '../plan.ts';
import type { Publisher, Subscriber } from './publisher.ts';

/** At most this long a subscription is without a sign of life, and this long a server keeps one that is not used, in milliseconds. */
const signOfLife = 5_000;
const lifetime = 60_000;
/** How long the deletion of a subscription may take, in milliseconds. */
const farewell = 1_500;

/**
 * Changes of one item that the server keeps between two publications, of points with the SUBSCRIBE attribute: none of these may be left
 * out. Of other points the latest value is enough.
 */
const queue = 100;

/** Messages that are asked for again when some are missing; when more are, the subscription is made anew. */
const mostMissing = 20;

/** The trouble of a subscription that has too much in one message. */
export const tooMuch = 'a message was too large';

export interface SubscriptionOptions {
  readonly session: Session;
  readonly publisher: Publisher;
  readonly clock: Clock;
  readonly limit: PublishLimit;
  /** Milliseconds; 0 is the fastest that the server does. */
  readonly interval: number;
  /** Milliseconds; how long the server may take to answer. */
  readonly timeout: number;
  notify(items: readonly MonitoredItemNotification[]): void;
}

/** One subscription at the server, within one session. */
export class Subscription implements Subscriber {
  /** Resolves with the reason, for the end of a sentence, when values may be missing or nothing comes any more. */
  readonly trouble: Promise<string>;
  readonly #options: SubscriptionOptions;
  readonly #id: number;
  readonly #troubled: (reason: string) => void;
  /** Time between two signs of life, in milliseconds. */
  readonly #signOfLife: number;
  #heard: number;
  /** The number of the message that comes next. */
  #expected = 1;
  /** Messages that wait until those before them were fetched. */
  #later: NotificationMessage[] = [];
  #isOver = false;

  private constructor(options: SubscriptionOptions, answer: CreateSubscriptionResponse) {
    this.#options = options;
    this.#id = answer.subscriptionId;
    this.#signOfLife =
      Math.max(1, answer.revisedPublishingInterval) * Math.max(1, answer.revisedMaxKeepAliveCount);
    this.#heard = options.clock.monotonic();
    const { promise, resolve } = Promise.withResolvers<string>();
    this.trouble = promise;
    this.#troubled = resolve;
  }

  static async create(options: SubscriptionOptions): Promise<Subscription> {
    const { session, limit, interval, timeout } = options;
    const period = Math.max(interval, 50);
    const keepAlive = Math.max(1, Math.ceil(Math.min(signOfLife, timeout) / period));
    const request = new CreateSubscriptionRequest({
      requestedPublishingInterval: interval,
      requestedMaxKeepAliveCount: keepAlive,
      requestedLifetimeCount: Math.max(3 * keepAlive, Math.ceil(lifetime / period)),
      maxNotificationsPerPublish: limit.most,
      publishingEnabled: true,
      priority: 0,
    });
    return new Subscription(options, await session.send<CreateSubscriptionResponse>(request));
  }

  /** Reports from now on, once its items are there: an answer that is too large is either about these or published. */
  begin(): void {
    if (!this.#isOver) this.#options.publisher.add(this.#id, this);
  }

  /** Watches the subscription until `signal` aborts: without a sign of life for three times its period there is trouble. */
  async guard(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const longest = 3 * this.#signOfLife;
    while (!signal.aborted) {
      const silence = clock.monotonic() - this.#heard;
      if (silence > longest) this.#troubled(`nothing came for ${Math.round(silence / 1000)} s`);
      await clock.sleep(Math.min(this.#signOfLife, 5_000), signal).catch(() => undefined);
    }
  }

  take(message: NotificationMessage): void {
    this.#heard = this.#options.clock.monotonic();
    if (this.#later.push(message) === 1) void this.#handOn();
  }

  missed(): void {
    this.#troubled('an answer of the server cannot be decoded');
  }

  tooMuch(suspects: readonly PublishLimit[]): void {
    if (suspects.includes(this.#options.limit)) this.#troubled(tooMuch);
  }

  /** Hands on what has arrived, in order, after what is missing before it. */
  async #handOn(): Promise<void> {
    for (let message = this.#later[0]; message !== undefined && !this.#isOver; message = this.#later[0]) {
      const { sequenceNumber, notificationData } = message;
      const missing = sequenceNumber - this.#expected;
      if (missing < 0) {
        // Some servers repeat the number of the message before when there is no data.
        this.#later.shift();
        continue;
      }
      if (missing > mostMissing) this.#troubled(`${missing} messages are missing`);
      else if (missing > 0) await this.#fetch(sequenceNumber);
      const hasData = (notificationData?.length ?? 0) > 0;
      // A message without data shows the number of the next one that has some (OPC 10000-4, 5.14.1.1).
      this.#expected = hasData ? nextOf(sequenceNumber) : sequenceNumber;
      this.#handle(message);
      this.#later.shift();
    }
  }

  async #fetch(until: number): Promise<void> {
    for (; this.#expected !== until && !this.#isOver; this.#expected = nextOf(this.#expected)) {
      const message = await this.#options.publisher.again(this.#id, this.#expected);
      if (message === undefined)
        return this.#troubled('messages are missing that the server does not have any more');
      this.#handle(message);
    }
  }

  #handle({ notificationData }: NotificationMessage): void {
    if (this.#isOver) return;
    for (const notification of notificationData ?? []) {
      if (notification instanceof DataChangeNotification)
        this.#options.notify(notification.monitoredItems ?? []);
      else if (notification instanceof StatusChangeNotification && notification.status.isNotGood())
        this.#troubled(`the server ended the subscription with ${notification.status.name}`);
    }
  }

  /**
   * Monitors points of a plan by their indices, which become the handles of the items, in requests one after the other.
   * `refused` is called with the status of each that the server does not monitor.
   */
  async monitor(
    plan: ReadPlan,
    indices: readonly number[],
    refused: (index: number, status: StatusCode) => void,
  ): Promise<void> {
    const { session } = this.#options;
    for (let from = 0; from < indices.length;) {
      const part = indices.slice(from, from + session.most('monitor'));
      try {
        const results = await this.#create(plan, part);
        for (const [at, index] of part.entries()) {
          const status = results[at]?.statusCode;
          if (status?.isNotGood()) refused(index, status);
        }
      } catch (error) {
        if (isDivisible(error) && part.length > 1) {
          session.sizes.learn('monitor', Math.ceil(part.length / 2));
          continue;
        }
        const status = refusedWith(error);
        if (status === undefined) throw error;
        for (const index of part) refused(index, status);
      }
      from += part.length;
    }
  }

  async #create(
    { items, points }: ReadPlan,
    indices: readonly number[],
  ): Promise<readonly MonitoredItemCreateResult[]> {
    const { session, interval } = this.#options;
    const request = new CreateMonitoredItemsRequest({
      subscriptionId: this.#id,
      timestampsToReturn: TimestampsToReturn.Source,
      itemsToCreate: indices.map((index) => {
        const isEvery = ((points[index]?.attribute ?? 0) & Attribute.SUBSCRIBE) !== 0;
        return {
          itemToMonitor: items[index] ?? { attributeId: AttributeIds.Value },
          monitoringMode: MonitoringMode.Reporting,
          requestedParameters: {
            clientHandle: index,
            // 0: as often as the server can, or whenever the value changes.
            samplingInterval: isEvery ? 0 : interval,
            queueSize: isEvery ? queue : 1,
            discardOldest: true,
          },
        };
      }),
    });
    const { results } = await session.send<CreateMonitoredItemsResponse>(request, { role: 'monitor' });
    return results ?? [];
  }

  /** Ends the subscription; a server that does not answer forgets it by itself. Never rejects. */
  async delete(): Promise<void> {
    this.#isOver = true;
    const { publisher, session } = this.#options;
    publisher.remove(this.#id);
    const request = new DeleteSubscriptionsRequest({ subscriptionIds: [this.#id] });
    await session.send(request, { ms: farewell, role: 'probe' }).catch(() => undefined);
  }
}

/** Numbers of messages go from 1 to the largest UInt32 and begin anew (OPC 10000-4, 7.9). */
function nextOf(sequenceNumber: number): number {
  return sequenceNumber === 0xffff_ffff ? 1 : sequenceNumber + 1;
}
