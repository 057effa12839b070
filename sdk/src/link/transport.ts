import type { Clock } from '../context.ts';
import type { Failure } from './failure.ts';

/** Called by a transport. */
export interface TransportEvents {
  /** Bytes can be sent from now on; `peer` names the other side. */
  opened(peer: string): void;
  /** `data[0, end)` has arrived; it is valid only during the call. */
  received(data: Buffer, end: number): void;
  /** The connection was lost, or an attempt to connect failed. Unless it is closed for good, the transport tries again by itself. */
  closed(failure: Failure): void;
}

/** Carries bytes to the device and back, and keeps trying to do so until it is closed. */
export interface Transport {
  /** Every frame travels as a datagram of its own, and no connection shows that the other side listens. */
  readonly datagrams: boolean;
  /** Claims resources, such as a port to listen on, and begins. Rejects with a fault when that fails. */
  open(events: TransportEvents, clock: Clock): Promise<void>;
  /** Sends bytes while open, and keeps the buffer. */
  send(bytes: Buffer): void;
  /** Gives up the present connection, reports it as closed with this failure before returning, and makes another. */
  drop(failure: Failure): void;
  /** The device has answered: the next loss is a new one. */
  proven(): void;
  /** Sends the remaining bytes, for half a second at most, and releases everything; no event follows. */
  close(): Promise<void>;
}
