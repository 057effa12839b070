import type { Clock, Fault } from '@tagway/sdk';
import { type StatusCode, StatusCodes } from 'node-opcua-client';
import { sizeFault, undecodable } from '../faults.ts';
import { oneOf } from './statuses.ts';

/** What a server may limit: operations of one request. */
export type Kind = 'read' | 'write' | 'browse' | 'monitor';

export type Limits = Record<Kind, number>;

/** However many a server allows, a request has no more than this. */
const most = 1000;

/** How long care is taken after an answer was too large, in milliseconds. */
const care = 60_000;

/**
 * Until a node whose value alone was too large, or could not be decoded, is asked for again, in milliseconds; each further time takes
 * twice as long. What is too large may cost the connection each time.
 */
const pause = { tooLarge: 600_000, undecodable: 10_000, longest: 3_600_000 } as const;

/** The first limit of notifications, when there was none and an answer was too large. */
const firstNotifications = 512;

/** Statuses of a whole request that a smaller one may not meet. */
export const isTooLargeStatus = oneOf(
  StatusCodes.BadTooManyOperations,
  StatusCodes.BadRequestTooLarge,
  StatusCodes.BadResponseTooLarge,
  StatusCodes.BadEncodingLimitsExceeded,
  StatusCodes.BadTcpMessageTooLarge,
);

interface Alone {
  readonly fault: Fault;
  readonly until: number;
  readonly wait: number;
}

/**
 * What is learnt about the sizes that a server and the library bear, for all sessions of a run: a server that closes the connection
 * over an answer that is too large would otherwise be asked for the same again at once.
 */
export class Sizes {
  /** Most notifications of one publish response; 0 for no limit. */
  notifications = 0;
  readonly #clock: Clock;
  readonly #caps: Partial<Limits> = {};
  readonly #alone = new Map<string, Alone>();
  #carefulUntil = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The limits of a new session: the server's, 0 or none meaning no limit, and what was learnt. */
  limitsOf(server: Readonly<Record<Kind, unknown>>): Limits {
    const limit = (kind: Kind): number => {
      const value = server[kind];
      const given = typeof value === 'number' && value > 0 ? value : most;
      return Math.min(given, most, this.#caps[kind] ?? most);
    };
    return { read: limit('read'), write: limit('write'), browse: limit('browse'), monitor: limit('monitor') };
  }

  /** Requests of this kind have at most so many operations from now on. */
  learn(limits: Limits, kind: Kind, count: number): void {
    limits[kind] = Math.max(1, Math.min(limits[kind], count));
    this.#caps[kind] = limits[kind];
  }

  /**
   * An answer was too large lately and it is not clear which: requests go one at a time then, and groups are read before they are
   * monitored, so that the one to blame shows itself.
   */
  get isCareful(): boolean {
    return this.#clock.monotonic() < this.#carefulUntil;
  }

  beCareful(): void {
    this.#carefulUntil = this.#clock.monotonic() + care;
  }

  /** Publish responses are to be smaller. */
  shrinkNotifications(): void {
    this.notifications =
      this.notifications === 0 ? firstNotifications : Math.max(1, Math.ceil(this.notifications / 4));
  }

  /** The value at this address alone is too large, or cannot be decoded when no status is given. */
  blame(address: string, status: StatusCode | undefined): Fault {
    const fault = status === undefined ? undecodable : sizeFault(status);
    const first = status === undefined ? pause.undecodable : pause.tooLarge;
    const wait = Math.min((this.#alone.get(address)?.wait ?? first / 2) * 2, pause.longest);
    this.#alone.set(address, { fault, wait, until: this.#clock.monotonic() + wait });
    return fault;
  }

  acquit(address: string): void {
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
    return alone !== undefined && this.#clock.monotonic() < alone.until ? alone.fault : undefined;
  }
}
