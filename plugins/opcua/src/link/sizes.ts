import type { Clock, Fault } from '@tagway/sdk';
import { type StatusCode, StatusCodes } from 'node-opcua-client';
import { sizeFault, undecodable } from '../faults.ts';
import { oneOf } from './statuses.ts';

/** What a server may limit: operations of one request. */
export type Kind = 'read' | 'write' | 'browse' | 'monitor';

export type Limits = Record<Kind, number>;

/** Most operations of one request, even when a server allows more. */
const mostOperations = 1000;

/** How long sessions are careful after an answer was too large, in milliseconds. */
const care = 60_000;

/** Until what a fault has taught is tried again, in milliseconds; each further time takes twice as long. `costly`: it may cost the session. */
const pause = { cheap: 10_000, costly: care, longest: 3_600_000 } as const;

/** Statuses of a whole request that a smaller one may not meet. The last one stands for an answer that the server broke off. */
export const isTooLargeStatus = oneOf(
  StatusCodes.BadTooManyOperations,
  StatusCodes.BadRequestTooLarge,
  StatusCodes.BadResponseTooLarge,
  StatusCodes.BadEncodingLimitsExceeded,
  StatusCodes.BadTcpMessageTooLarge,
  StatusCodes.BadOperationAbandoned,
);

/** Something that a fault has taught: bytes may have been spoilt on their way, and devices change, so it holds for a while only. */
export class Lesson {
  readonly #clock: Clock;
  #wait: number;
  #until = 0;

  constructor(clock: Clock, wait: number = pause.costly) {
    this.#clock = clock;
    this.#wait = wait;
    this.hold();
  }

  /** It is to be tried again. */
  get isOver(): boolean {
    return this.#clock.monotonic() >= this.#until;
  }

  /** It holds as long once more. */
  hold(): void {
    this.#until = this.#clock.monotonic() + this.#wait;
  }

  /** It has proven true: it holds twice as long as before. */
  prove(): void {
    this.#wait = Math.min(this.#wait * 2, pause.longest);
    this.hold();
  }
}

interface Alone {
  readonly fault: Fault;
  /** Absent: there was one fault alone, which ended the session and proves nothing. */
  readonly lesson?: Lesson;
}

/**
 * What is learnt about the sizes that a server and the library can handle, for all sessions of a run: a server that closes the connection
 * over an answer that is too large would otherwise be asked for the same again at once.
 */
export class Sizes {
  /** Those of all groups that are monitored. */
  readonly publishing = new Set<PublishLimit>();
  /** That of the group which a careful session begins to monitor. */
  beginning: PublishLimit | undefined;
  readonly #clock: Clock;
  readonly #caps: Partial<Record<Kind, { count: number; readonly lesson: Lesson }>> = {};
  readonly #alone = new Map<string, Alone>();
  #carefulUntil = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The limits of a new session: the server's, 0 or none meaning no limit. */
  limitsOf(server: Readonly<Record<Kind, unknown>>): Limits {
    const limit = (kind: Kind): number => {
      const value = server[kind];
      return typeof value === 'number' && value > 0 ? Math.min(value, mostOperations) : mostOperations;
    };
    return { read: limit('read'), write: limit('write'), browse: limit('browse'), monitor: limit('monitor') };
  }

  /** The most operations of a request of this kind; what was learnt is doubled from time to time. */
  most(limits: Limits, kind: Kind): number {
    const cap = this.#caps[kind];
    if (cap === undefined) return limits[kind];
    if (cap.lesson.isOver) {
      cap.count *= 2;
      cap.lesson.hold();
    }
    return Math.min(cap.count, limits[kind]);
  }

  /** Requests of this kind have at most `count` operations from now on. */
  learn(kind: Kind, count: number): void {
    const cap = this.#caps[kind];
    if (cap === undefined) this.#caps[kind] = { count, lesson: new Lesson(this.#clock) };
    else if (count < cap.count) {
      cap.count = count;
      cap.lesson.prove();
    }
  }

  /** For what a fault about a whole request teaches. */
  lesson(): Lesson {
    return new Lesson(this.#clock);
  }

  /**
   * An answer was too large lately and it is not clear which: requests go one at a time then, and groups are read before they are
   * monitored, so that it shows which one it was.
   */
  get isCareful(): boolean {
    return this.#clock.monotonic() < this.#carefulUntil;
  }

  beCareful(): void {
    this.#carefulUntil = this.#clock.monotonic() + care;
  }

  /**
   * A publish response was too large. Returns the limits of the groups that it may have been for, which are smaller from now on;
   * when it is not clear which group it was, careful sessions find out.
   */
  publishedTooMuch(): readonly PublishLimit[] {
    let suspects = [...this.publishing];
    if (this.beginning !== undefined) suspects = [this.beginning];
    if (suspects.length === 1 || this.isCareful) for (const limit of suspects) limit.shrink();
    this.beCareful();
    return suspects;
  }

  /**
   * The value at this address alone is too large, or cannot be decoded when no status is given. Undefined when that ended the
   * session for the first time: the next session has to ask again.
   */
  blame(address: string, status: StatusCode | undefined, isCostly: boolean): Fault | undefined {
    const fault = status === undefined ? undecodable : sizeFault(status);
    const known = this.#alone.get(address);
    if (isCostly && known === undefined) {
      this.#alone.set(address, { fault });
      return undefined;
    }
    known?.lesson?.prove();
    const lesson = known?.lesson ?? new Lesson(this.#clock, isCostly ? pause.costly : pause.cheap);
    this.#alone.set(address, { fault, lesson });
    return fault;
  }

  unblame(address: string): void {
    this.#alone.delete(address);
  }

  get hasBlamed(): boolean {
    return this.#alone.size > 0;
  }

  isBlamed(address: string): boolean {
    return this.#alone.has(address);
  }

  /** Why this address is left out of requests, or undefined when it is to be asked for. */
  faultOf(address: string): Fault | undefined {
    const alone = this.#alone.get(address);
    return alone?.lesson?.isOver === false ? alone.fault : undefined;
  }
}

/** How many values of a group one publish response may hold: fewer once one was too large. */
export class PublishLimit {
  readonly #count: number;
  #most = 0;
  #isUseless = false;

  /** `count`: the points of the group that are monitored. */
  constructor(count: number) {
    this.#count = count;
  }

  /** 0 for no limit. */
  get most(): number {
    return this.#most;
  }

  /** A response with one value is too large. */
  get isUseless(): boolean {
    return this.#isUseless;
  }

  shrink(): void {
    this.#isUseless ||= this.#most === 1;
    this.#most = Math.ceil((this.#most || this.#count) / 4);
  }

  /** More is tried again. */
  grow(): void {
    this.#isUseless = false;
    this.#most = this.#most * 4 >= this.#count ? 0 : this.#most * 4;
  }
}
