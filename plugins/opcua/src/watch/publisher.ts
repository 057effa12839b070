import {
  type NotificationMessage,
  PublishRequest,
  type PublishResponse,
  RepublishRequest,
  type RepublishResponse,
  StatusCodes,
} from 'node-opcua-client';
import { isFault } from '@tagway/sdk';
import { refusedWith, Undecodable } from '../link/refusal.ts';
import type { Session } from '../link/session.ts';
import { isTooLargeStatus, type PublishLimit } from '../link/sizes.ts';

/** Takes what the server publishes for one subscription. */
export interface Subscriber {
  take(message: NotificationMessage): void;
  /** A publish response could not be decoded; it is not known which subscription it was for. */
  missed(): void;
  /** A publish response was too large; the limits of the groups are given that it may have been for. */
  tooMuch(suspects: readonly PublishLimit[]): void;
}

/** Requests that may wait at the server at once: one that it answers and one that waits, more for more subscriptions. */
const mostWaiting = 8;

/** Keeps requests waiting at the server, which answers them with the notifications of all subscriptions of the session. */
export class Publisher {
  readonly #session: Session;
  readonly #subscribers = new Map<number, Subscriber>();
  #acknowledgements: { subscriptionId: number; sequenceNumber: number }[] = [];
  #waiting = 0;
  #allowed = mostWaiting;
  /** Requests of an earlier round do not count any more, but an answer to one is still taken. */
  #round = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  add(subscription: number, subscriber: Subscriber): void {
    this.#subscribers.set(subscription, subscriber);
    this.#fill();
  }

  remove(subscription: number): void {
    this.#subscribers.delete(subscription);
  }

  /** The server seems to have lost what waits there: other requests take its place. */
  renew(): void {
    this.#round++;
    this.#waiting = 0;
    this.#fill();
  }

  /** Asks for a message that did not arrive; undefined when the server does not have it any more. */
  async again(subscriptionId: number, sequenceNumber: number): Promise<NotificationMessage | undefined> {
    const request = new RepublishRequest({ subscriptionId, retransmitSequenceNumber: sequenceNumber });
    try {
      const { notificationMessage } = await this.#session.send<RepublishResponse>(request);
      this.#acknowledgements.push({ subscriptionId, sequenceNumber });
      return notificationMessage;
    } catch {
      return undefined;
    }
  }

  #fill(): void {
    if (this.#subscribers.size === 0) return;
    const wanted = Math.min(this.#subscribers.size + 1, this.#allowed);
    while (this.#waiting < wanted) {
      this.#waiting++;
      void this.#publish(this.#round);
    }
  }

  async #publish(round: number): Promise<void> {
    const subscriptionAcknowledgements = this.#acknowledgements;
    this.#acknowledgements = [];
    let goesOn = true;
    try {
      const request = new PublishRequest({ subscriptionAcknowledgements });
      this.#take(await this.#session.send<PublishResponse>(request, { role: 'publish' }));
    } catch (error) {
      goesOn = this.#goesOn(error);
    }
    if (round !== this.#round) return;
    this.#waiting--;
    if (goesOn) this.#fill();
  }

  /** Whether the next request may go out after this failure. */
  #goesOn(error: unknown): boolean {
    if (error instanceof Undecodable) {
      for (const subscriber of [...this.#subscribers.values()]) subscriber.missed();
      return true;
    }
    const status = refusedWith(error);
    if (isTooLargeStatus(status)) {
      const suspects = this.#session.sizes.publishedTooMuch();
      for (const subscriber of [...this.#subscribers.values()]) subscriber.tooMuch(suspects);
      return true;
    }
    if (status?.equals(StatusCodes.BadTooManyPublishRequests)) {
      this.#allowed = Math.max(1, this.#waiting - 1);
      return false;
    }
    if (status?.equals(StatusCodes.BadTimeout)) return true;
    // The next request is sent when there is a subscription again.
    if (status?.equals(StatusCodes.BadNoSubscription) && this.#subscribers.size === 0) return false;
    if (status !== undefined) this.#session.lose(`the server publishes no more: ${status.name}`);
    else if (!isFault(error)) throw error;
    return false;
  }

  #take({ subscriptionId, notificationMessage }: PublishResponse): void {
    const { sequenceNumber, notificationData } = notificationMessage;
    if ((notificationData?.length ?? 0) > 0) this.#acknowledgements.push({ subscriptionId, sequenceNumber });
    this.#subscribers.get(subscriptionId)?.take(notificationMessage);
  }
}
