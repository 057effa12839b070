import {
  DataChangeNotification,
  type MonitoredItemNotification,
  PublishRequest,
  type PublishResponse,
  StatusChangeNotification,
  StatusCodes,
} from 'node-opcua-client';
import { isFault } from '@tagway/sdk';
import { refusedWith, type Session } from '../link/session.ts';

/** Takes what changed of one subscription. */
export type Notify = (items: readonly MonitoredItemNotification[]) => void;

/** Requests that may wait at the server at once: one that it answers and one that waits, more for more subscriptions. */
const mostWaiting = 8;
/** How long a server may keep a request before it sends so much as a sign of life, in milliseconds. */
const patience = 600_000;

/** Keeps requests waiting at the server, which answers them with the notifications of all subscriptions of the session. */
export class Publisher {
  readonly #session: Session;
  readonly #subscriptions = new Map<number, Notify>();
  #acknowledgements: { subscriptionId: number; sequenceNumber: number }[] = [];
  #waiting = 0;
  #allowed = mostWaiting;

  constructor(session: Session) {
    this.#session = session;
  }

  add(subscription: number, notify: Notify): void {
    this.#subscriptions.set(subscription, notify);
    this.#fill();
  }

  remove(subscription: number): void {
    this.#subscriptions.delete(subscription);
  }

  #fill(): void {
    if (this.#subscriptions.size === 0) return;
    const wanted = Math.min(this.#subscriptions.size + 1, this.#allowed);
    while (this.#waiting < wanted) {
      this.#waiting++;
      void this.#publish();
    }
  }

  async #publish(): Promise<void> {
    const subscriptionAcknowledgements = this.#acknowledgements;
    this.#acknowledgements = [];
    try {
      const request = new PublishRequest({ subscriptionAcknowledgements });
      this.#take(await this.#session.send<PublishResponse>(request, undefined, patience));
    } catch (error) {
      if (!this.#goesOn(error)) return;
    } finally {
      this.#waiting--;
    }
    this.#fill();
  }

  /** Whether the next request may go out after this failure. */
  #goesOn(error: unknown): boolean {
    const status = refusedWith(error);
    if (status?.equals(StatusCodes.BadTooManyPublishRequests)) {
      this.#allowed = Math.max(1, this.#waiting - 1);
      return false;
    }
    if (status?.equals(StatusCodes.BadTimeout)) return true;
    // Whoever has no subscription gets the next request when there is one.
    if (status?.equals(StatusCodes.BadNoSubscription) && this.#subscriptions.size === 0) return false;
    if (status !== undefined) this.#session.lose(`the server publishes no more: ${status.name}`);
    else if (!isFault(error)) throw error;
    return false;
  }

  #take({ subscriptionId, notificationMessage }: PublishResponse): void {
    const notify = this.#subscriptions.get(subscriptionId);
    const { sequenceNumber, notificationData } = notificationMessage;
    if ((notificationData?.length ?? 0) > 0) this.#acknowledgements.push({ subscriptionId, sequenceNumber });
    for (const notification of notificationData ?? []) {
      if (notification instanceof DataChangeNotification) notify?.(notification.monitoredItems ?? []);
      else if (notification instanceof StatusChangeNotification && notification.status.isNotGood() && notify)
        this.#session.lose(`the server ended a subscription with ${notification.status.name}`);
    }
  }
}
