import type { Group } from '../core/model.ts';

/** Shortest time from a change to sending it, in milliseconds. */
const shortestDelay = 20;
/** Sending may take at most one part in so many of the time: a large group is sent less often while it keeps changing. */
const share = 20;

/** Groups whose changes the runners have yet to hear of. They are sent together, because changes come in bursts. */
export class GroupChanges {
  readonly #send: (groups: readonly Group[]) => void;
  readonly #groups = new Set<Group>();
  #timer: NodeJS.Timeout | undefined;
  /** Milliseconds that sending took the last time. */
  #cost = 1;

  constructor(send: (groups: readonly Group[]) => void) {
    this.#send = send;
  }

  add(group: Group): void {
    this.#groups.add(group);
    this.#timer ??= setTimeout(() => this.#flush(), Math.max(shortestDelay, this.#cost * share));
  }

  /** The group need not be sent any more. */
  delete(group: Group): void {
    this.#groups.delete(group);
  }

  /** Sends the group at once if it is to be sent: what follows depends on it. */
  sendNow(group: Group): void {
    if (this.#groups.delete(group)) this.#send([group]);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #flush(): void {
    this.#timer = undefined;
    const begin = performance.now();
    const groups = [...this.#groups];
    this.#groups.clear();
    this.#send(groups);
    this.#cost = performance.now() - begin;
  }
}
