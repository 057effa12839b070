import type { Centre } from './centres.ts';
import type { EventQueue } from './event-queue.ts';

/** A connection as its group sees it. */
export interface Member {
  /** Another connection of the group has become the active one. */
  deactivated(): void;
  /** Sends an answer, or what is not in the queue, before what waits. */
  reply(asdu: Buffer): void;
  /** There may be events to send. */
  pump(): void;
}

/** The connections of one control centre: one of them is active, and gets what the queue holds. */
export class RedundancyGroup {
  readonly centre: Centre;
  readonly queue: EventQueue;
  #active: Member | undefined;
  /** The end of initialisation was sent in this run. */
  isInitialized = false;

  constructor(centre: Centre, queue: EventQueue) {
    this.centre = centre;
    this.queue = queue;
  }

  get active(): Member | undefined {
    return this.#active;
  }

  has(address: string): boolean {
    return this.centre.addresses?.has(address) ?? true;
  }

  /** The connection gets the events from now on. */
  activate(member: Member): void {
    if (this.#active === member) return;
    const before = this.#active;
    this.#active = member;
    before?.deactivated();
    // What the other one has not acknowledged is sent again.
    this.queue.disconnected();
    this.queue.connected();
  }

  /** The connection is gone or stopped. */
  release(member: Member): void {
    if (this.#active !== member) return;
    this.#active = undefined;
    this.queue.disconnected();
  }
}
