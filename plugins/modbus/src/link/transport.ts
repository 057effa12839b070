/** Told by a transport what happens on the wire. */
export interface TransportEvents {
  /** Bytes can be sent from now on; `peer` names the other side. */
  opened(peer: string): void;
  /** `data[0, end)` has arrived; it is valid only during the call. */
  received(data: Buffer, end: number): void;
  /** What was open is gone, or an attempt to open it failed. */
  closed(reason: string): void;
}

/** Carries bytes to the device and back, and keeps trying to do so until it is closed. */
export interface Transport {
  /** Every frame travels as a datagram of its own, and no connection shows that somebody listens. */
  readonly datagrams: boolean;
  /**
   * Claims what is needed, and resolves once the first attempt to connect has ended or has taken a second, whatever the result.
   * Rejects with a fault when nothing can be claimed.
   */
  open(events: TransportEvents): Promise<void>;
  /** Sends bytes while open, and keeps the buffer. */
  send(bytes: Buffer): void;
  /** Gives up the present connection, reports it as closed before returning, and makes another. */
  drop(reason: string): void;
  /** The device has answered: the next loss is a new one. */
  proven(): void;
  /** Gives everything back; no event comes any more. */
  close(): Promise<void>;
}
