import {
  AttributeIds,
  CreateMonitoredItemsRequest,
  type CreateMonitoredItemsResponse,
  CreateSubscriptionRequest,
  type CreateSubscriptionResponse,
  DeleteSubscriptionsRequest,
  MonitoringMode,
  type MonitoredItemCreateResult,
  type StatusCode,
  TimestampsToReturn,
} from 'node-opcua-client';
import { refusedWith, type Session } from '../link/session.ts';
import { isTooLarge, type Plan } from '../read.ts';
import type { Notify, Publisher } from './publisher.ts';

/** At least this often a server shows that a subscription lives, and this long it keeps one alone, in milliseconds. */
const signOfLife = 5_000;
const lifetime = 60_000;
/** For a subscription to be deleted before the next thing is done, in milliseconds. */
const farewell = 1_500;

/** One subscription at the server, within one session. */
export class Subscription {
  readonly #session: Session;
  readonly #publisher: Publisher;
  readonly #id: number;
  readonly #interval: number;

  private constructor(session: Session, publisher: Publisher, id: number, interval: number) {
    this.#session = session;
    this.#publisher = publisher;
    this.#id = id;
    this.#interval = interval;
  }

  /** `interval` is in milliseconds; 0 is the fastest that the server does. */
  static async create(
    session: Session,
    publisher: Publisher,
    interval: number,
    notify: Notify,
  ): Promise<Subscription> {
    const period = Math.max(interval, 50);
    const keepAlive = Math.max(1, Math.ceil(signOfLife / period));
    const request = new CreateSubscriptionRequest({
      requestedPublishingInterval: interval,
      requestedMaxKeepAliveCount: keepAlive,
      requestedLifetimeCount: Math.max(3 * keepAlive, Math.ceil(lifetime / period)),
      maxNotificationsPerPublish: 0,
      publishingEnabled: true,
      priority: 0,
    });
    const { subscriptionId } = await session.send<CreateSubscriptionResponse>(request);
    publisher.add(subscriptionId, notify);
    return new Subscription(session, publisher, subscriptionId, interval);
  }

  /**
   * Monitors points of a plan by their indices, which become the handles of the items, in requests one after the other.
   * `refused` learns the statuses of those that the server does not monitor.
   */
  async monitor(
    plan: Plan,
    indices: readonly number[],
    refused: (indices: readonly number[], statuses: readonly StatusCode[]) => void,
  ): Promise<void> {
    const { limits } = this.#session;
    for (let from = 0; from < indices.length;) {
      const part = indices.slice(from, from + limits.monitor);
      try {
        const results = await this.#create(plan, part);
        const places = [...part.keys()].filter((at) => results[at]?.statusCode.isNotGood() ?? false);
        if (places.length > 0)
          refused(
            places.map((at) => part[at] as number),
            places.map((at) => (results[at] as MonitoredItemCreateResult).statusCode),
          );
      } catch (error) {
        const status = refusedWith(error);
        if (status === undefined) throw error;
        if (isTooLarge(error) && part.length > 1) {
          limits.monitor = Math.ceil(part.length / 2);
          continue;
        }
        refused(
          part,
          part.map(() => status),
        );
      }
      from += part.length;
    }
  }

  async #create({ items }: Plan, indices: readonly number[]): Promise<readonly MonitoredItemCreateResult[]> {
    const request = new CreateMonitoredItemsRequest({
      subscriptionId: this.#id,
      timestampsToReturn: TimestampsToReturn.Neither,
      itemsToCreate: indices.map((index) => ({
        itemToMonitor: items[index] ?? { attributeId: AttributeIds.Value },
        monitoringMode: MonitoringMode.Reporting,
        requestedParameters: {
          clientHandle: index,
          samplingInterval: this.#interval,
          // Only the latest value counts.
          queueSize: 1,
          discardOldest: true,
        },
      })),
    });
    const { results } = await this.#session.send<CreateMonitoredItemsResponse>(request);
    return results ?? [];
  }

  /** Ends the subscription; a server that does not answer forgets it by itself. Never rejects. */
  async delete(): Promise<void> {
    this.#publisher.remove(this.#id);
    const request = new DeleteSubscriptionsRequest({ subscriptionIds: [this.#id] });
    await this.#session.send(request, undefined, farewell).catch(() => undefined);
  }
}
