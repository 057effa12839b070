import type { Clock } from '../context.ts';
import type { Failure } from './failure.ts';

/** Told by a transport what happens on the wire. */
export interface TransportEvents {
  /** Bytes can be sent from now on; `peer` names the other side. */
  opened(peer: string): void;
  /** `data[0, end)` has arrived; it is valid only during the call. */
  received(data: Buffer, end: number): void;
  /** What was open is gone, or an attempt to open it failed. Unless it is closed for good, the transport tries again by itself. */
  closed(failure: Failure): void;
}

/** Carries bytes to the device and back, and keeps trying to do so until it is closed. */
export interface Transport {
  /** Every frame travels as a datagram of its own, and no connection shows that somebody listens. */
  readonly datagrams: boolean;
  /** Claims what is needed, such as a port to listen on, and begins. Rejects with a fault when that cannot be had. */
  open(events: TransportEvents, clock: Clock): Promise<void>;
  /** Sends bytes while open, and keeps the buffer. */
  send(bytes: Buffer): void;
  /** Gives up the present connection, reports it as closed with this failure before returning, and makes another. */
  drop(failure: Failure): void;
  /** The device has answered: the next loss is a new one. */
  proven(): void;
  /** Sends what is still to be sent, for half a second at most, and gives everything back; no event comes any more. */
  close(): Promise<void>;
}
