import type { Group, Node } from '../core/model.ts';

/** Shortest time from a change to sending it, in milliseconds. */
const shortestDelay = 20;
/** Sending may take at most one part in so many of the time: an app is told of all its subscriptions, which may be many. */
const share = 20;

/**
 * Apps whose subscriptions changed, of which their runners have yet to hear. They are told together, because changes come in bursts, and
 * apart from changes of groups: a large one that keeps changing holds up no subscription.
 */
export class RouteChanges {
  readonly #send: (app: Node, fresh: ReadonlySet<Group>) => void;
  #apps = new Map<Node, Set<Group>>();
  /** All groups that any of them has yet to hear of. */
  readonly #fresh = new Set<Group>();
  #timer: NodeJS.Timeout | undefined;
  /** Milliseconds that sending took the last time. */
  #cost = 1;

  /** `send` tells an app of its subscriptions; those to the groups in `fresh` are new. */
  constructor(send: (app: Node, fresh: ReadonlySet<Group>) => void) {
    this.#send = send;
  }

  add(app: Node, fresh: readonly Group[]): void {
    const known = this.#apps.get(app) ?? new Set<Group>();
    for (const group of fresh) {
      known.add(group);
      this.#fresh.add(group);
    }
    this.#apps.set(app, known);
    this.#timer ??= setTimeout(() => this.#flush(), Math.max(shortestDelay, this.#cost * share));
  }

  /** A sample of the group comes: who is to get it hears of the group first. */
  settle(group: Group): void {
    if (!this.#fresh.has(group)) return;
    clearTimeout(this.#timer);
    this.#flush();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#apps.clear();
    this.#fresh.clear();
  }

  #flush(): void {
    this.#timer = undefined;
    const begin = performance.now();
    const apps = this.#apps;
    this.#apps = new Map();
    this.#fresh.clear();
    for (const [app, fresh] of apps) this.#send(app, fresh);
    this.#cost = performance.now() - begin;
  }
}
