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
   * For protocols that push: reports outcomes of these points through `emit` from now on. The runner does not poll the
   * group while the returned object lives, and disposes of it when the group changes or the node stops.
   */
  watch?(points: readonly Point[], emit: Emit): Promise<AsyncDisposable>;

  /** Gives everything back. Called exactly once, only after `start` was called, whether or not that succeeded. */
  stop(): Promise<void>;
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
