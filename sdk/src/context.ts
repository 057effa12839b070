import type { Socket as DatagramSocket } from 'node:dgram';
import type { Socket } from 'node:net';
import type { LinkState } from '@tagway/schemas';
import type { FrameSource } from './frames.ts';
import type { ListeningPlace } from './peers.ts';
import type { TransitionOf } from './alarm.ts';

export interface Log {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  notice(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/** Time as plugins see it; virtual in tests. */
export interface Clock {
  /** Milliseconds since the epoch. It jumps when somebody sets the clock: for time stamps, not for deadlines. */
  now(): number;
  /** Milliseconds of a clock that never jumps. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once, after at least `ms` milliseconds, unless it is disposed of before. */
  timer(ms: number, callback: () => void): Disposable;
}

/** The step of connecting that is under way, or that failed. */
export type LinkStep = 'resolve' | 'connect' | 'handshake' | 'first answer';

/** Details that operators see with the state of a link. */
export interface LinkReport {
  /** Why, in one sentence: what happened, at which address, what to do. */
  readonly reason?: string;
  readonly step?: LinkStep;
  /** Names one station, meter or endpoint of several: the report is about this one alone and leaves the state of the node as it is. */
  readonly part?: string;
}

/**
 * Texts that a node keeps by key: over restarts of the node and of the gateway, and in a pair of gateways over both, such as totals and states.
 * It is for a few kilobytes up to 8 MB; what is large or only of this machine belongs into `dataDir`. A key has 1 to 255 bytes of UTF-8, a
 * text up to 64 KB. Everything is deleted with the node.
 */
export interface NodeStore {
  /** All entries. */
  read(): Promise<ReadonlyMap<string, string>>;
  /**
   * Sets entries, and deletes those whose text is undefined: all in one step, on disk and at both gateways when it resolves. Each call costs
   * some milliseconds, whatever it holds up to 1 MB: gather what may be gathered. Rejects with a Fault when nothing was changed.
   *
   * `transitions`: of a driver with inputs, what has happened to its alarms, in order. It is in the journal of the gateway in the same step,
   * up to 4096 characters each and 1 MB of them in one call, and reaches the apps that subscribe to the groups of the tags.
   */
  write(
    entries: Iterable<readonly [key: string, text: string | undefined]>,
    transitions?: readonly TransitionOf[],
  ): Promise<void>;
}

/** The services of the runner for one run of a node. They have no effect after `stop`. */
export interface Context<Settings = Record<string, unknown>> {
  /** Name of the node. */
  readonly node: string;
  /** Validated against the plugin's settings schema, defaults filled in, frozen. */
  readonly settings: Readonly<Settings>;
  readonly log: Log;
  readonly clock: Clock;
  /** Absolute path of a folder of this node's own; it exists and survives restarts. Each gateway of a pair has its own. */
  readonly dataDir: string;
  /**
   * In a pair of gateways: an id that this node has at both of them, and no other node anywhere; 16 hexadecimal digits. Undefined where
   * there is no pair.
   */
  readonly pairId?: string;
  /** Aborts when the run ends, just before `stop` is called: begin nothing new after that. */
  readonly signal: AbortSignal;
  /**
   * Reports the state of the link to the device or the broker; repeating a state costs nothing. When a driver's link is lost, the runner
   * at once gives all its tags the error DISCONNECTED; when it is there again, it reads every group at once.
   */
  link(state: LinkState, report?: LinkReport): void;
  /** Reports the round trip time of one request in milliseconds. */
  rtt(ms: number): void;
  /** Adds to a counter that operators see in the metrics, for example `count('send_bytes', 12)`. */
  count(name: string, add: number): void;
  /** Sets a gauge that operators see in the metrics, for example `gauge('cached_msgs', 3)`. */
  gauge(name: string, value: number): void;
  /**
   * Says where the node takes connections from now on, for the list of what the gateway has open, and for its log where everybody may connect.
   * The end of the run ends it. A plugin that calls it says "listens" among the features in its manifest: its process may have ports below 1024
   * where the gateway may. Absent in tests.
   */
  listens?(places: readonly ListeningPlace[]): void;
  /**
   * Of a driver: announces a connection whose frames people may trace, until what it returns is disposed of or the run ends; `Link` of
   * `@tagway/sdk/link` does so by itself. Absent where nothing is traced, such as in tests.
   */
  traceable?(source: FrameSource): Disposable;
  /**
   * Whether something may be sent to devices at this moment. A driver that opens a socket of its own asks before every send and before it
   * connects, and breaks the connection when the answer is no; the transports of the SDK ask by themselves. It is false in a pair of
   * gateways while this one does not hold the lease, so that never both poll; elsewhere it is always true.
   */
  maySend(): boolean;
  /**
   * Has a socket that a driver has opened itself, and that has a listener for errors, broken as soon as `maySend` becomes false: a
   * connection of TCP is reset, so that the kernel does not send late what it has of it, and one of datagrams is closed. Of TLS it takes
   * the connection under it: `net.connect`, then `tls.connect({ socket })`. The transports of the SDK do this by themselves.
   */
  guard(socket: Socket | DatagramSocket): void;
  /**
   * Runs `work` alone among all nodes of this plugin that use the same key, for example one serial port. Rejects with the
   * signal's reason when that aborts before its turn has come.
   */
  exclusive<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /**
   * A number of this node that goes up by one with every call, over restarts of the node and of the gateway, and in a pair of gateways
   * over both: it is stored when the promise resolves, and it is never given twice. `name` is for a node with several such numbers: a letter,
   * then up to 63 letters, digits, `.`, `_` and `-`; a node has up to 16. The number is never less than `least`, which is a whole number
   * and 1 unless it is given: the first number, and a way to go on from one that was kept elsewhere. Rejects with a Fault when the gateway
   * cannot store the number: none was given then.
   */
  sequence(name: string, least?: number): Promise<number>;
  readonly store: NodeStore;
}
