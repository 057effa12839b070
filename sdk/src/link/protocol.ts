import type { Failure } from './failure.ts';
import type { Framing } from './splitter.ts';

/** One connection. Once it is gone, all its methods do nothing, so that nothing of an old connection reaches a new one. */
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

/** A connection on which the two sides still agree on how to talk. */
export interface Handshake extends Channel {
  /**
   * The next frame, as a copy. Rejects with NO_RESPONSE when none comes within `ms` (default: the timeout of the link), and with
   * DISCONNECTED when the connection goes.
   */
  next(ms?: number): Promise<Buffer>;
}

/** What a link needs to know of a protocol; `Session` is what its handshake finds out, such as the size of a PDU. */
export interface Protocol<Session = void> extends Framing {
  /**
   * Agrees with the other side on how to talk. Its result is the session. When it rejects, the connection is given up, and the message
   * of the error is told to operators with the step `handshake`. Absent: there is nothing to agree on.
   */
  handshake?(channel: Handshake): Promise<Session>;
  /** What it mostly means when the other side hangs up or stays silent during the handshake: a clause that operators read behind the reason. */
  readonly handshakeHint?: string;
  /** A frame after the handshake, asked for or not: `data[at, end)`, valid only during the call. */
  frame(session: Session, data: Buffer, at: number, end: number): void;
  /** All frames that arrived together were handed over: send now, in one piece, what they gave rise to. */
  chunkEnd?(session: Session): void;
  /** The link is up. */
  up?(session: Session, channel: Channel): void;
  /** The link was up and is not any more; requests in flight have failed before. */
  down?(session: Session, failure: Failure): void;
  /** Takes leave on `close` while the wire is still open. It is given one second. */
  farewell?(session: Session, signal: AbortSignal): Promise<void>;
}
