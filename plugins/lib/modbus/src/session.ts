import type { Fault } from '@tagway/sdk';
import type { Failure, Link } from '@tagway/sdk/link';

/** A request on its way to a unit. Exactly one of `answered` and `failed` is called, once. */
export interface Exchange {
  readonly unit: number;
  /** Function code and data. */
  readonly pdu: Uint8Array;
  /**
   * The answer's protocol data unit is `data[start, end)`, from the function code on; it is valid only during the call. False when it does
   * not fit the request: the session then gives up the connection, and `failed` follows.
   */
  answered(data: Buffer, start: number, end: number): boolean;
  /** `noResponse` after the deadline, `damaged`, `malformed`, or `disconnected` when the connection went. */
  failed(fault: Fault): void;
}

/** What a session reports of its connection. */
export interface SessionEvents {
  /** Answers that have come together were handed over. */
  read(): void;
  /** A connection was made. */
  up(): void;
  /** The connection has gone, or the session was closed; every request in flight has failed before. */
  down(failure: Failure): void;
}

/** The way to the units: keeps a connection, frames requests, and matches answers to them. */
export interface Session {
  readonly link: Link;
  /** Most requests that may wait for answers at the same time. */
  readonly window: number;
  /** Most requests beyond the window, for units that are not expected to answer: no other unit waits for them. */
  readonly spares: number;
  /** Milliseconds in which a lost connection that served may come back before it is reported. */
  readonly grace: number;
  /** Unit 0 means all units, and no unit answers. */
  readonly broadcasts: boolean;
  /** Answers that have come together are being handed over; `read` follows, and what is sent then leaves in one piece. */
  readonly isReading: boolean;
  /** Takes a request while the link is up; calls nothing back before it returns. It leaves with the next `flush`. */
  send(exchange: Exchange): void;
  /** Sends what was taken, as one burst. */
  flush(): void;
  /** Forgets these requests; their answers are dropped. */
  abandon(exchanges: ReadonlySet<Exchange>): void;
  /** Gives everything back; requests still waiting fail with DISCONNECTED. */
  close(): Promise<void>;
}
