import type { Group, Node } from '../../core/model.ts';
import type { NodeRuns } from '../runners/node-runs.ts';
import type { Forwarder } from './forwarder.ts';

/** Shortest time from a change to sending it, in milliseconds. */
const shortestDelay = 20;
/** Sending takes at most one part in 20 of the time: an app is sent all its subscriptions, which may be many. */
const share = 20;

/**
 * Apps whose changed subscriptions are not sent to their runners yet. They are sent together, because changes come in bursts, and apart
 * from changes of groups: a large group that keeps changing does not delay a subscription.
 */
export class RouteChanges {
  readonly #send: (app: Node, fresh: ReadonlySet<Group>) => void;
  #apps = new Map<Node, Set<Group>>();
  /** All groups that are new to any of them. */
  readonly #fresh = new Set<Group>();
  #timer: NodeJS.Timeout | undefined;
  /** Milliseconds that sending took the last time. */
  #cost = 1;

  /** `send` sends an app its subscriptions; those to the groups in `fresh` are new. */
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

  /** Sends an app its subscriptions now, with what is still to be sent of them. */
  sendNow(app: Node): void {
    const fresh = this.#apps.get(app);
    this.#apps.delete(app);
    this.#send(app, fresh ?? new Set());
  }

  /** A sample of the group has arrived: apps get the group before its sample. */
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
    if (apps.size === 0) return;
    for (const [app, fresh] of apps) this.#send(app, fresh);
    this.#cost = performance.now() - begin;
  }
}

/** Has a runner know what an app or a driver with inputs takes, and reports the latest of groups that are new to an app. */
export function reroute(
  forwarder: Pick<Forwarder, 'route' | 'reportLatest'>,
  runs: Pick<NodeRuns, 'get'>,
  app: Node,
  fresh: ReadonlySet<Group>,
): void {
  forwarder.route(app);
  for (const group of fresh)
    if (app.subscriptions.has(group) && runs.get(group.node) !== undefined)
      forwarder.reportLatest(app, group);
}
