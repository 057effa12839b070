import type { DriverState } from '@tagway/sdk';
import type { SubscriptionData, SubscriptionsData } from '@tagway/sdk/internal';

type Listed = Pick<SubscriptionsData, 'subscriptions' | 'drivers'>;

interface Sent {
  /** By the number of the group. */
  readonly subscriptions: ReadonlyMap<number, SubscriptionData>;
  /** By name. */
  readonly drivers: ReadonlyMap<string, DriverState>;
}

/** What was sent to a runner of the subscriptions of its apps: an app may have a thousand, of which one changes. */
export class SentSubscriptions {
  /** By app. */
  readonly #sent = new Map<number, Sent>();

  /** All of it is sent from here on. */
  all(app: number, { subscriptions, drivers }: Listed): void {
    this.#sent.set(app, {
      subscriptions: new Map(subscriptions.map((one) => [one.group, one])),
      drivers: new Map(drivers.map((state) => [state.driver, state])),
    });
  }

  /** What is to be sent of it; it counts as sent from here on. */
  changes(app: number, now: Listed): Listed & Pick<SubscriptionsData, 'gone'> {
    const before = this.#sent.get(app);
    this.all(app, now);
    const sent = this.#sent.get(app);
    if (before === undefined || sent === undefined) return now;
    const isNew = (one: SubscriptionData): boolean => {
      const old = before.subscriptions.get(one.group);
      return old?.id !== one.id || old.params !== one.params;
    };
    const groups: number[] = [];
    // One that was deleted and made anew has another place among the others.
    for (const [group, { id }] of before.subscriptions)
      if (sent.subscriptions.get(group)?.id !== id) groups.push(group);
    return {
      subscriptions: now.subscriptions.filter(isNew),
      drivers: now.drivers.filter((state) => !isSame(state, before.drivers.get(state.driver))),
      gone: { groups, drivers: [...before.drivers.keys()].filter((driver) => !sent.drivers.has(driver)) },
    };
  }

  /** The run of an app has ended. */
  forget(app: number): void {
    this.#sent.delete(app);
  }
}

function isSame(state: DriverState, before: DriverState | undefined): boolean {
  return (
    state.running === before?.running &&
    state.link === before.link &&
    state.reason === before.reason &&
    state.writesMany === before.writesMany
  );
}
