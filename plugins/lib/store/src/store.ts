import type { LinkStep } from '@tagway/sdk';
import type { ShownMessage } from './shown-messages.ts';

/** One finished piece of what the app sends, as `encode` has made it. */
export interface BatchRecord {
  /** Goes up with every record of a node, also over restarts. */
  readonly sequence: number;
  readonly data: Uint8Array;
}

/** Records that are sent together, the oldest first. */
export interface Batch {
  /**
   * The same whenever these records are sent again, also after a restart, and never that of others: a store that keeps the ids that it has
   * seen recognises a repetition by it.
   */
  readonly id: string;
  /** When its first record was made, in milliseconds since the epoch. */
  readonly time: number;
  readonly records: readonly BatchRecord[];
  /** Of all data. */
  readonly bytes: number;
}

/** What a store will never take of a batch, the rest of which it has. */
export interface Loss {
  /** How many, in the terms of the store, such as lines or rows. */
  readonly count: number;
  /** Completes "… because". */
  readonly reason: string;
}

/** The place that the records of an app go to. */
export interface Store {
  /** What people call it in sentences, with its address, such as `the database at db:8086`. */
  readonly name: string;
  /**
   * Prepares what `send` needs, such as a session. Called before the first batch and after every failure; rejects as `send` does, but not
   * with a Refusal.
   */
  connect?(signal: AbortSignal): Promise<void>;
  /**
   * Resolves when the store has the batch, with what it has refused of it. Rejects with a Refusal when it will never take any of it, and
   * with anything else when it may take it later: the same batch then comes again, before all others. `signal` aborts at the deadline.
   */
  send(batch: Batch, signal: AbortSignal): Promise<readonly Loss[] | undefined>;
  /** What people see of a record while they look at the messages of the node: where it goes, and what it carries. */
  shown(record: Uint8Array): ShownMessage;
  /** After a failure and at the end: breaks what `connect` and `send` have opened. */
  disconnect?(): void | Promise<void>;
}

/** The store will never take what it was sent. The message completes "… because". */
export class Refusal extends Error {}

/** The store takes nothing now. The message is a sentence that says why and what to do. */
export class Unavailable extends Error {
  readonly step: LinkStep | undefined;
  /** Milliseconds that the store wants to be left alone for. */
  readonly retryAfter: number | undefined;

  constructor(
    message: string,
    { step, retryAfter, cause }: { step?: LinkStep; retryAfter?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.step = step;
    this.retryAfter = retryAfter;
  }
}
