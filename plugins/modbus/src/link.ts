import type { Fault } from '@tagway/sdk';
import type { Failure } from '@tagway/sdk/link';

/** One request and the one who waits for its answer. Exactly one of `answered` and `failed` is called, once. */
export interface Exchange {
  readonly unit: number;
  /** The request: function code and data. */
  readonly pdu: Uint8Array;
  /**
   * The answer's protocol data unit is `data[start, end)`, from the function code on; it is valid only during the call. False when it does
   * not fit the request: the link then gives up the connection, and `failed` follows.
   */
  answered(data: Buffer, start: number, end: number): boolean;
  /** `noResponse` after the deadline, `damaged` when the answer was, `disconnected` when the link went, `malformed` when it was given up because of what came. */
  failed(fault: Fault): void;
}

/** The way to the devices: keeps a connection, frames requests, and matches answers to them. */
export interface Link {
  /** Whether requests can be sent now. */
  readonly up: boolean;
  /** Counts connections: it has grown when what is known of the devices may be out of date. */
  readonly generation: number;
  /** Most requests that may wait for answers at the same time. */
  readonly window: number;
  /** Most requests beyond these, for units that nothing is expected of: waiting for them is to hold nobody back. */
  readonly spares: number;
  /** Milliseconds for which the loss of a connection that served is nobody's business, because it may be back by then. */
  readonly grace: number;
  /** Unit 0 means all units, and none answers. */
  readonly broadcasts: boolean;
  /** Answers that have come together are being handed over; `onRead` follows, and what is sent then leaves in one piece. */
  readonly isReading: boolean;
  /** Called when answers that have come together were handed over. */
  onRead: () => void;
  /** Called when a connection was made. */
  onUp: () => void;
  /** Called when the connection has gone, or the link was closed, after every request in flight has failed. */
  onDown: (failure: Failure) => void;
  /** Claims what the link needs; resolves once the first attempt to connect has ended, whatever the result. */
  open(): Promise<void>;
  /** Takes a request while `up`; calls nothing back before it returns. It leaves with the next `flush`. */
  send(exchange: Exchange): void;
  /** Sends what was taken, as one burst. */
  flush(): void;
  /** Forgets these requests without a word to them; their answers will be dropped. */
  abandon(exchanges: ReadonlySet<Exchange>): void;
  /** Milliseconds since something good was heard, or the connection was made. */
  readonly quietFor: number;
  /** Gives up this connection because the devices stay silent, and makes a new one. */
  reconnect(reason: string): void;
  /** Gives everything back; requests still waiting fail with DISCONNECTED. */
  close(): Promise<void>;
}
