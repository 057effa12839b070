import type { DataType } from '@tagway/schemas';
import type { Context } from './context.ts';
import type { TagWrite } from './app.ts';
import type { Fault } from './fault.ts';
import type { Inputs } from './inputs.ts';
import type { Peers } from './peers.ts';
import type { Point, Write, Writer } from './point.ts';
import type { Results, Values } from './results.ts';

/** One call of a driver. */
export interface Call {
  /** Aborts at the deadline of the call and when the node stops; the call is then to settle within a second. */
  readonly signal: AbortSignal;
  /**
   * Why: the tick of a group, somebody who asks for values of now, or a test read of one address that no tag need have. A test read
   * leaves out the byte order that the settings ask for, and changes nothing that production depends on. `input`: tags that the points
   * refer to have new values, those of `inputs.fresh`; the driver stores the points that it has something new for, and no others.
   */
  readonly cause: 'poll' | 'demand' | 'test' | 'input';
  /** Of a test read of a node that is to be made: the byte order counts, so that the value is what a tag of the node will have. */
  readonly asTag?: true;
  /** What the points of a driver with inputs refer to. Absent for other drivers. */
  readonly inputs?: Inputs;
}

/** The context of a driver. */
export interface DriverContext<Settings = Record<string, unknown>> extends Context<Settings> {
  /**
   * Of a driver with inputs: writes tags that its own tags refer to, for the user or app `by`, as the write of a calculated value that stands
   * for another. Resolves when all results are there: entry `i` is the fault of write `i`, or undefined once the device has confirmed it.
   * A tag that no tag of the node refers to is TAG_NOT_WRITABLE. Rejects with the signal's reason; what was sent by then may be carried out.
   */
  write(
    writes: readonly TagWrite[],
    options?: { readonly by?: Writer; readonly signal?: AbortSignal },
  ): Promise<readonly (Fault | undefined)[]>;
}

/**
 * One run of one driver node: `create → start → (read | write | watch | browse)* → stop`. Calls overlap: a write does not wait for a
 * read, nor one group for another; only reads of one group never overlap. A driver that needs them one after the other says
 * `calls: 'one'` in its definition; writes then go first.
 */
export interface Driver extends Peers {
  /**
   * Claims what the node needs, such as a port to listen on. A device that is absent is not a failed start: report it
   * through `context.link` and keep trying. A rejection is tried again later unless it is a `Fault` with `retry: false`.
   */
  start(): Promise<void>;

  /**
   * Reads all points into `into`, by their index. Polls, reads on demand, test reads and new values of inputs all come here. `points` is the same frozen array
   * until its group changes, so a compiled plan may hang on it in a WeakMap. A point that fails is a fault in its place. Rejects
   * only when the link is gone or the call aborts: what was set by then stays, the other points carry the fault.
   */
  read(points: readonly Point[], into: Values, call: Call): Promise<void>;

  /** Writes all, in order. Absent: no tag of this driver can be written. A rejection is the fault of what has no result yet. */
  write?(writes: readonly Write[], into: Results, call: Call): Promise<void>;

  /**
   * For protocols that push: reports values of these points from now on, and returns at once. The runner disposes of the watch when the
   * group changes or the node stops. Until a point is reported for the first time, and again after the link was lost, it carries
   * NOT_READY, and while the link is reported as down DISCONNECTED with its reason; the runner polls only what the watch leaves to it.
   */
  watch?(points: readonly Point[], report: Report): Watch;

  /**
   * Lists what the device has at one place, page by page, for people who pick tags from a list. Rejects with READ_FAILED when there
   * is no such place. A driver with this method says "browse" among the features in its manifest.
   */
  browse?(request: BrowseRequest, call: Call): Promise<BrowsePage>;

  /**
   * Releases everything. Called exactly once, only after `start` was called, whether or not that succeeded. The driver's connections are
   * still open, so that it can close them properly; `signal` aborts at the deadline of five seconds.
   */
  stop(signal: AbortSignal): Promise<void>;
}

/** Takes the values that a watch pushes. `send` passes on everything that was set since the last call, in order. */
export interface Report extends Values {
  /**
   * Passes on the values that were set, also several of one point. Points with the SUBSCRIBE attribute are sent within 10 ms, in order
   * and completely, if they differ in value, fault or quality from the last report of the point; with `every`, also if they do not.
   * The others are sent at the tick of their group. False: there is more than can be passed on; push nothing until `drained`, because
   * further values may be dropped, which is counted.
   */
  send(options?: { readonly every?: boolean }): boolean;
  /** Resolves when there is room again; a resolved promise while there is. */
  readonly drained: Promise<void>;
}

/** A running watch of one group, from the return of `watch` until it is disposed of, for which it has two seconds. */
export interface Watch extends AsyncDisposable {
  /**
   * Indices of points that are not pushed, ascending; the runner reads these at every tick. Another array when they change.
   * Absent or undefined: all points are pushed.
   */
  readonly polled?: readonly number[] | undefined;
}

/** Asks for one page of the entries at a place. */
export interface BrowseRequest {
  /** The place: the id of an earlier entry, or empty for the top. */
  readonly id: string;
  /** The `cursor` of the page before; absent for the first page. */
  readonly cursor?: string;
}

/** One page of the entries at a place in the device. */
export interface BrowsePage {
  /** Number of entries on all pages together, if the device reports it. */
  readonly total?: number | undefined;
  /** Type of the place itself when it holds a value, otherwise 0. */
  readonly type: DataType | 0;
  readonly isArray: boolean;
  readonly entries: readonly BrowseEntry[];
  /** Where the next page begins, in a format of the driver's own; absent on the last page. */
  readonly cursor?: string | undefined;
}

export interface BrowseEntry {
  readonly name: string;
  /** The address of a tag, and the `id` to list what lies below. */
  readonly id: string;
  /** Whether a tag may have this address. */
  readonly readable: boolean;
  /** The data type of such a tag, otherwise 0. */
  readonly type: DataType | 0;
  /** The device's own text about it. */
  readonly description?: string | undefined;
  /** The unit of its values, such as °C. */
  readonly unit?: string | undefined;
}

/** A tag as the static checks of a plugin see it. */
export type TagDraft = Point;

export interface DriverDefinition<Settings> {
  /** `'one'`: the runner makes one call at a time, writes first, then what somebody waits for, then polls. Absent: calls overlap. */
  readonly calls?: 'one';
  /** Makes the driver of one run. It opens nothing and starts nothing. */
  create(context: DriverContext<Settings>): Driver;
  /**
   * Refuses a tag with TAG_ATTRIBUTE_UNSUPPORTED, TAG_TYPE_UNSUPPORTED or TAG_ADDRESS_INVALID and a sentence that says what is
   * expected; the operator gets to read it. `settings` are those of the node, where there is one that has some.
   */
  checkTag(tag: TagDraft, settings?: Readonly<Settings>): Fault | undefined;
  /** Refuses settings that the schema cannot, with NODE_SETTING_INVALID and a sentence that names the setting. */
  checkSettings?(settings: Readonly<Settings>): Fault | undefined;
  /**
   * How many requests one reading of a group with these tags takes, as long as the device refuses none of them. People see it when they
   * check a device profile. Absent: nobody knows without a device.
   */
  countRequests?(tags: readonly TagDraft[], settings: Readonly<Settings>): number;
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
