import { setImmediate as turn } from 'node:timers/promises';
import { NodeType } from '@tagway/schemas';
import type { Group, Node } from '../../core/model.ts';
import { subscribersOf } from './forwarder.ts';

/** Shortest time from a change to sending it, in milliseconds. */
const shortestDelay = 20;
/** Sending takes at most one part in 20 of the time: a large group is sent less often while it keeps changing. */
const share = 20;

export interface GroupChangesEvents {
  /** Makes what is to be sent of a group. */
  prepare(group: Group): void;
  /** Sends it to the driver. */
  send(group: Group): void;
  /** Sends an app the groups that it subscribes to, or a driver those that it reads. */
  route(node: Node): void;
}

/**
 * Groups whose changes are not sent to the runners yet. They are sent shortly after, because changes come in bursts, and step by step:
 * to each app, once, all groups that it subscribes to, to each driver what it reads, then each group to its driver. Apps so know a group
 * before its first sample.
 */
export class GroupChanges {
  readonly #events: GroupChangesEvents;
  readonly #groups = new Set<Group>();
  /** Those of the present round; one that changes again comes into the next. */
  readonly #sending = new Set<Group>();
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
    this.#sending.delete(group);
  }

  /** Sends the group at once if it is to be sent: what follows depends on it. */
  sendNow(group: Group): void {
    const isChanged = this.#groups.delete(group);
    if (!this.#sending.delete(group) && !isChanged) return;
    for (const node of subscribersOf(group)) this.#events.route(node);
    this.#events.send(group);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#groups.clear();
    this.#sending.clear();
  }

  async #flush(): Promise<void> {
    this.#cost = 0;
    const apps = new Set<Node>();
    const readers = new Set<Node>();
    for (const group of this.#groups) this.#sending.add(group);
    this.#groups.clear();
    for (const group of this.#sending) {
      await this.#step(() => this.#events.prepare(group));
      for (const node of subscribersOf(group))
        (node.plugin.nodeType === NodeType.APP ? apps : readers).add(node);
    }
    for (const app of apps) await this.#step(() => this.#events.route(app));
    // A driver gets the new references of a group together with what they refer to.
    await this.#send([...this.#sending].filter(({ node }) => node.inputs !== undefined));
    for (const reader of readers) await this.#step(() => this.#events.route(reader));
    await this.#send(this.#sending);
    this.#timer = undefined;
    for (const group of this.#groups) this.add(group);
  }

  async #send(groups: Iterable<Group>): Promise<void> {
    for (const group of groups) {
      // What was sent at once meanwhile is not sent again.
      if (this.#sending.delete(group)) await this.#step(() => this.#events.send(group));
    }
  }

  async #step(work: () => void): Promise<void> {
    const begin = performance.now();
    work();
    this.#cost += performance.now() - begin;
    await turn();
  }
}
