import type { DriverState } from '../../app.ts';
import type { SubscriptionData, SubscriptionsData } from '../channel/protocol.ts';

interface Known {
  /** By the number of the group. */
  readonly subscriptions: Map<number, SubscriptionData>;
  /** By name. */
  readonly drivers: Map<string, DriverState>;
}

/** What the host has sent of the subscriptions of the apps of a runner: of most messages the changes alone. */
export class KnownSubscriptions {
  readonly #apps = new Map<number, Known>();

  /** The whole of it after a message. */
  take(app: number, data: SubscriptionsData): SubscriptionsData {
    const { gone } = data;
    const before = gone === undefined ? undefined : this.#apps.get(app);
    const known: Known = before ?? { subscriptions: new Map(), drivers: new Map() };
    const { subscriptions, drivers } = known;
    for (const group of gone?.groups ?? []) subscriptions.delete(group);
    for (const driver of gone?.drivers ?? []) drivers.delete(driver);
    for (const one of data.subscriptions) subscriptions.set(one.group, one);
    for (const state of data.drivers) drivers.set(state.driver, state);
    this.#apps.set(app, known);
    return { ...data, subscriptions: [...subscriptions.values()], drivers: [...drivers.values()] };
  }

  forget(app: number): void {
    this.#apps.delete(app);
  }
}
