import type { DataType } from '@tagway/schemas';
import type { Context } from './context.ts';
import type { Fault } from './fault.ts';
import type { Outcome, Point, Write } from './point.ts';

/**
 * One run of one driver node: `create → start → (read | write)* → stop`. The runner never makes two calls at once,
 * except that `stop` may come while a call that overran its deadline still hangs.
 */
export interface Driver {
  /**
   * Claims what the node needs, such as a port to listen on. A device that is absent is not a failed start: report it
   * through `context.link` and keep trying. A rejection is tried again later unless it is a `Fault` with `retry: false`.
   */
  start(): Promise<void>;

  /**
   * Reads all points; outcome `i` belongs to point `i`. Polls, synchronous reads and test reads all come here. `points` is the same
   * frozen array until its group changes, so a compiled plan may hang on it in a WeakMap. The runner has copied the
   * outcomes before it calls again, so the same result array may be handed out every time. Throws only when the link is
   * gone: all points then carry that fault. When `signal` aborts, settle within a second.
   */
  read(points: readonly Point[], signal: AbortSignal): Promise<readonly Outcome[]>;

  /**
   * Writes all, in order; entry `i` is the fault of write `i`, or undefined once the device has confirmed it. Absent: no tag
   * of this driver can be written.
   */
  write?(writes: readonly Write[], signal: AbortSignal): Promise<readonly (Fault | undefined)[]>;

  /**
   * For protocols that push: reports outcomes of these points through `emit` from now on. At every tick of the group the runner
   * makes a sample of what was reported last, and polls only what the watch leaves to it; until every point has been reported
   * once it polls the whole group. It disposes of the watch when the group changes or the node stops.
   */
  watch?(points: readonly Point[], emit: Emit): Promise<Watch>;

  /**
   * Lists what the device has at one place, page by page, for people who pick tags from a list. Throws READ_FAILED when there is
   * no such place. A driver with this method says "scan" among the features in its manifest.
   */
  scan?(request: ScanRequest, signal: AbortSignal): Promise<ScanPage>;

  /** Gives everything back. Called exactly once, only after `start` was called, whether or not that succeeded. */
  stop(): Promise<void>;
}

/** What pushes the points of one group, from the answer of `watch` until it is disposed of. */
export interface Watch extends AsyncDisposable {
  /**
   * Indices of points that are not pushed, ascending; the runner reads these at every tick. Another array when they
   * change. Absent: all points are pushed.
   */
  readonly polled?: readonly number[];
}

/** Which page of a scan is asked for. */
export interface ScanRequest {
  /** The place: the id of an earlier entry, or empty for the top. */
  readonly id: string;
  /** What the page before had as its `ctx`; empty for the first page. */
  readonly ctx: string;
  /** What the page before had as its `loadIndex`; 0 for the first page. */
  readonly loadIndex: number;
}

/** One page of what lies at a place in the device. */
export interface ScanPage {
  /** Number of entries on all pages together. */
  readonly total: number;
  /** Type of the place itself when it holds a value, otherwise 0. */
  readonly type: DataType | 0;
  readonly isArray: boolean;
  readonly ctx: string;
  /** Where the next page begins. */
  readonly loadIndex: number;
  /** True on the last page. */
  readonly completed: boolean;
  readonly tags: readonly ScanEntry[];
}

export interface ScanEntry {
  readonly name: string;
  /** The address of a tag, and the `id` to list what lies below. */
  readonly id: string;
  /** Whether a tag may have this address. */
  readonly isTag: boolean;
  /** The data type of such a tag, otherwise 0. */
  readonly type: DataType | 0;
}

/** Reports new outcomes of some watched points: `outcomes[i]` belongs to `points[indices[i]]`. */
export type Emit = (indices: readonly number[], outcomes: readonly Outcome[]) => void;

/** A tag as the static checks of a plugin see it. */
export type TagDraft = Pick<Point, 'name' | 'address' | 'type' | 'attribute'>;

export interface DriverDefinition<Settings> {
  /** Makes the driver of one run. It opens nothing and starts nothing. */
  create(context: Context<Settings>): Driver;
  /** Refuses a tag with TAG_ATTRIBUTE_UNSUPPORTED, TAG_TYPE_UNSUPPORTED or TAG_ADDRESS_INVALID. */
  check(tag: TagDraft): Fault | undefined;
  /** Refuses settings that the schema cannot, with NODE_SETTING_INVALID. */
  checkSettings?(settings: Readonly<Settings>): Fault | undefined;
}

const brand = Symbol.for('tagway.driver');

export type DriverPlugin = DriverDefinition<never> & { readonly [brand]: true };

/** Makes a driver plugin: the default export of its library. */
export function driver<Settings = Record<string, unknown>>(
  definition: DriverDefinition<Settings>,
): DriverPlugin {
  return Object.freeze({ ...definition, [brand]: true }) as unknown as DriverPlugin;
}

/** True for a driver plugin made by any copy of this SDK. */
export function isDriver(thing: unknown): thing is DriverPlugin {
  return typeof thing === 'object' && thing !== null && brand in thing;
}
