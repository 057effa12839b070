import type { Failure } from './failure.ts';
import type { Framing } from './splitter.ts';

/** One connection. After its end its methods do nothing, so that nothing of an old connection reaches a new one. */
export interface Channel {
  /** Names the other side. */
  readonly peer: string;
  /** Counts the connections of a link. */
  readonly generation: number;
  /** Aborts when the connection is gone. */
  readonly signal: AbortSignal;
  /** Sends bytes and keeps the buffer. */
  send(bytes: Buffer): void;
  /** Gives the connection up and makes a new one. `reason` is a clause without a full stop. */
  lose(reason: string): void;
  /** The device has answered something good: the link works. */
  proven(): void;
}

/** A connection during the handshake. */
export interface Handshake extends Channel {
  /**
   * The next frame, as a copy. Rejects with NO_RESPONSE when none comes within `ms` (default: the timeout of the link), and with
   * DISCONNECTED when the connection goes.
   */
  next(ms?: number): Promise<Buffer>;
}

/** A protocol as a link uses it; `Session` is the result of its handshake, such as the size of a PDU. */
export interface Protocol<Session = void> extends Framing {
  /**
   * Agrees with the other side on how to talk. Its result is the session. When it rejects, the connection is given up, and the message
   * of the error is reported to operators with the step `handshake`. Absent: there is nothing to agree on.
   */
  handshake?(channel: Handshake): Promise<Session>;
  /** The usual cause when the other side disconnects or stays silent during the handshake: a clause that operators read after the reason. */
  readonly handshakeHint?: string;
  /** A frame after the handshake, asked for or not: `data[at, end)`, valid only during the call. */
  frame(session: Session, data: Buffer, at: number, end: number): void;
  /** All frames that arrived together were passed on: requests that follow from them can be sent now, in one piece. */
  chunkEnd?(session: Session): void;
  /** The link is up. */
  up?(session: Session, channel: Channel): void;
  /** The link was up and is not any more; requests in flight have failed before. */
  down?(session: Session, failure: Failure): void;
  /** Ends the session with the device on `close`, while the connection is still open. It has one second. */
  farewell?(session: Session, signal: AbortSignal): Promise<void>;
}
