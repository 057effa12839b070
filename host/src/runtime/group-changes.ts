import type { Group, Node } from '../core/model.ts';

/** Shortest time from a change to sending it, in milliseconds. */
const shortestDelay = 20;
/**
 * Sending may take at most one part in so many of the time: a large group is sent less often while it keeps changing, and so are the
 * many subscriptions of an app.
 */
const share = 20;

/** Apps whose subscriptions changed, each with the groups that it is to be given at once. */
export type Routes = ReadonlyMap<Node, ReadonlySet<Group>>;

/** What the runners have yet to hear of. It is sent together, because changes come in bursts. */
class Batch {
  readonly #send: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Milliseconds that sending took the last time. */
  #cost = 1;

  constructor(send: () => void) {
    this.#send = send;
  }

  arm(): void {
    this.#timer ??= setTimeout(() => this.#flush(), Math.max(shortestDelay, this.#cost * share));
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #flush(): void {
    this.#timer = undefined;
    const begin = performance.now();
    this.#send();
    this.#cost = performance.now() - begin;
  }
}

/** Groups and subscriptions whose changes the runners have yet to hear of. A large group holds up no subscription. */
export class GroupChanges {
  readonly #send: (groups: readonly Group[], routes: Routes) => void;
  readonly #groups = new Set<Group>();
  #routes = new Map<Node, Set<Group>>();
  readonly #groupBatch = new Batch(() => {
    const groups = [...this.#groups];
    this.#groups.clear();
    this.#send(groups, new Map());
  });
  readonly #routeBatch = new Batch(() => {
    const routes = this.#routes;
    this.#routes = new Map();
    this.#send([], routes);
  });

  constructor(send: (groups: readonly Group[], routes: Routes) => void) {
    this.#send = send;
  }

  add(group: Group): void {
    this.#groups.add(group);
    this.#groupBatch.arm();
  }

  /** The subscriptions of an app changed; those to the groups in `fresh` are new. */
  route(app: Node, fresh: readonly Group[]): void {
    const known = this.#routes.get(app) ?? new Set<Group>();
    for (const group of fresh) known.add(group);
    this.#routes.set(app, known);
    this.#routeBatch.arm();
  }

  /** The group need not be sent any more. */
  delete(group: Group): void {
    this.#groups.delete(group);
  }

  /** Sends the group at once if it is to be sent: what follows depends on it. */
  sendNow(group: Group): void {
    if (this.#groups.delete(group)) this.#send([group], new Map());
  }

  close(): void {
    this.#groupBatch.close();
    this.#routeBatch.close();
  }
}
