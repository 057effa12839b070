import type { Point } from './point.ts';

/** Called with a frame: `data[at, end)`, valid only during the call. */
export type Trace = (direction: FrameDirection, data: Buffer, at: number, end: number) => void;

export type FrameDirection = 'sent' | 'received';

/** What a frame means, for people who trace the frames of a node. */
export interface FrameMeaning {
  /** One line: the service, its places, its result, such as `Read holding registers 1 to 10`. */
  readonly text: string;
  /** The unit, station or meter that the frame is to or from, where the protocol has several behind one connection. */
  readonly unit?: string;
  /** The frame is about the tag that the trace is of. */
  readonly isOfTag?: boolean;
}

/**
 * Explains the frames of one connection in the order in which they came, so that an answer can be explained by its request. Undefined: it
 * cannot. It sees any bytes, and what it throws is taken for undefined.
 */
export type ExplainFrame = (direction: FrameDirection, frame: Buffer) => FrameMeaning | undefined;

/** What is known of the frames of a protocol: how Wireshark finds its dissector for them, and what they mean. */
export interface FrameFormat {
  /** The port of TCP or UDP that the protocol has by default; a capture has it in place of the port of the device. */
  readonly port?: number;
  /** Name of Wireshark's dissector, for frames that are not those of a port of TCP or UDP, such as `mbrtu` on a serial line. */
  readonly dissector?: string;
  /** Begins to explain the frames of one connection; called only while they are traced. `tag`: the trace is of this tag alone. */
  explain?(tag: Point | undefined): ExplainFrame;
  /** `explain` says of every frame whether it is about a tag. */
  readonly byTag?: true;
  /** `explain` says of frames which unit they are of. */
  readonly byUnit?: true;
}

/** A connection whose frames can be traced. */
export interface FrameSource {
  readonly format: FrameFormat;
  /** Every frame is a datagram of its own. */
  readonly datagrams: boolean;
  /** The frames are pieces as they have arrived, of which several may make one. */
  readonly isPiecemeal: boolean;
  /** The other side of the present connection: `host:port`, or the name of a serial port. */
  peer(): string;
  /** Counts the connections. */
  generation(): number;
  /** Passes every frame to `trace` from now on, or no longer when it is undefined. */
  trace(trace: Trace | undefined): void;
}
