import { setImmediate as turn } from 'node:timers/promises';
import type { Group, Node } from '../core/model.ts';

/** Shortest time from a change to sending it, in milliseconds. */
const shortestDelay = 20;
/** Sending may take at most one part in so many of the time: a large group is sent less often while it keeps changing. */
const share = 20;

export interface GroupChangesEvents {
  /** Makes what is to be sent of a group. */
  prepare(group: Group): void;
  /** Sends it to the driver. */
  send(group: Group): void;
  /** Tells an app of the groups that it subscribes to. */
  route(app: Node): void;
}

/**
 * Groups whose changes the runners have yet to hear of. They are sent shortly after, because changes come in bursts, and step by step:
 * drivers hear of each group, apps once of all that changed.
 */
export class GroupChanges {
  readonly #events: GroupChangesEvents;
  readonly #groups = new Set<Group>();
  #timer: NodeJS.Timeout | undefined;
  /** Milliseconds that sending took the last time. */
  #cost = 1;

  constructor(events: GroupChangesEvents) {
    this.#events = events;
  }

  add(group: Group): void {
    this.#groups.add(group);
    this.#timer ??= setTimeout(() => void this.#flush(), Math.max(shortestDelay, this.#cost * share));
  }

  /** The group need not be sent any more. */
  delete(group: Group): void {
    this.#groups.delete(group);
  }

  /** Sends the group at once if it is to be sent: what follows depends on it. */
  sendNow(group: Group): void {
    if (!this.#groups.delete(group)) return;
    this.#events.send(group);
    for (const app of group.subscriptions.keys()) this.#events.route(app);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#groups.clear();
  }

  async #flush(): Promise<void> {
    this.#cost = 0;
    const apps = new Set<Node>();
    const groups = [...this.#groups];
    for (const group of groups) {
      await this.#step(() => this.#events.prepare(group));
      // What was deleted or sent meanwhile is not among them any more.
      if (!this.#groups.has(group)) continue;
      for (const app of group.subscriptions.keys()) apps.add(app);
      await this.#step(() => {
        this.#groups.delete(group);
        this.#events.send(group);
      });
    }
    for (const app of apps) await this.#step(() => this.#events.route(app));
    this.#timer = undefined;
    for (const group of this.#groups) this.add(group);
  }

  async #step(work: () => void): Promise<void> {
    const begin = performance.now();
    work();
    this.#cost += performance.now() - begin;
    await turn();
  }
}
