import type { Layout } from '@tagway/sdk';
import { SentSubscriptions } from './sent-subscriptions.ts';

interface GroupLayout {
  /** Number of the group. */
  readonly group: number;
  readonly layout: Layout;
}

/** The layouts and the subscriptions that were sent to a runner. The runner drops those that none of its apps subscribes to any more, and so does this. */
export class SentLayouts {
  readonly subscriptions = new SentSubscriptions();
  /** Version by group. */
  readonly #versions = new Map<number, number>();
  /** Groups by app, as they were sent last. */
  readonly #groups = new Map<number, readonly number[]>();

  /** Of all that an app subscribes to, the layouts that the runner does not have yet. From here on they count as sent. */
  takeUnsent(app: number, subscribed: readonly GroupLayout[]): readonly GroupLayout[] {
    const fresh = subscribed.filter(({ group, layout }) => this.#versions.get(group) !== layout.version);
    this.#groups.set(
      app,
      subscribed.map(({ group }) => group),
    );
    for (const { group, layout } of fresh) this.#versions.set(group, layout.version);
    const known = new Set([...this.#groups.values()].flat());
    for (const group of this.#versions.keys()) if (!known.has(group)) this.#versions.delete(group);
    return fresh;
  }

  /** The run of an app has ended. */
  forget(app: number): void {
    this.#groups.delete(app);
    this.subscriptions.forget(app);
  }

  /** Whether the runner knows the subscription of any of its apps to the group. */
  knows(group: number): boolean {
    return this.#versions.has(group);
  }

  has(group: number, version: number): boolean {
    return this.#versions.get(group) === version;
  }
}
