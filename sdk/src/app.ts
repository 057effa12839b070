import type { Context } from './context.ts';
import type { Fault } from './fault.ts';
import type { Layout, Sample } from './sample.ts';
import type { Value } from './value.ts';

/** One subscription of an app to a group, with the layout of the group's samples. */
export interface Route<Params = Record<string, unknown>> {
  /** Number of the group within this run of the gateway: `sample.group`. */
  readonly group: number;
  /** The subscription's parameters as stored, or undefined when it has none. */
  readonly params: Readonly<Params> | undefined;
  readonly layout: Layout;
}

/** The state of one driver node, as apps may report it. */
export interface DriverState {
  readonly node: string;
  readonly running: number;
  readonly link: number;
}

/** The result of an app's read: a sample and how to read it. */
export interface Reading {
  readonly layout: Layout;
  readonly sample: Sample;
}

/** A value in JSON's terms, as a client sent it; the gateway checks and converts it. A bigint for 64-bit integers. */
export type JsonValue = Value | readonly number[];

export interface AppContext<Settings = Record<string, unknown>> extends Context<Settings> {
  /** Reads a group's tags: the latest sample, or a new one when `sync` is true. Rejects with a Fault. */
  read(node: string, group: string, sync?: boolean): Promise<Reading>;
  /** Writes tags of one group of a driver. Rejects with a Fault when any of them failed. */
  write(
    node: string,
    group: string,
    tags: readonly { readonly tag: string; readonly value: JsonValue }[],
  ): Promise<void>;
  /** The states of all driver nodes. */
  drivers(): Promise<readonly DriverState[]>;
}

/** One run of one app node: `create → start → (routes | deliver)* → stop`. */
export interface App<Params = Record<string, unknown>> {
  /** Begins to connect. A broker that is absent is not a failed start: report it through `context.link` and keep trying. */
  start(): Promise<void>;
  /** All subscriptions of the node: called once after `start`, and again after every change of any of them. */
  routes(routes: readonly Route<Params>[]): void;
  /**
   * Takes one sample of a subscribed group. `route` is the object that `routes` was given. While a returned promise is
   * pending the runner holds a bounded number of newer samples and counts what it drops.
   */
  deliver(sample: Sample, route: Route<Params>): void | Promise<void>;
  /** Gives everything back. Called exactly once, only after `start` was called. */
  stop(): Promise<void>;
}

export interface AppDefinition<Settings, Params> {
  /** Makes the app of one run. It opens nothing and starts nothing. */
  create(context: AppContext<Settings>): App<Params>;
  /** Refuses settings that the schema cannot, with NODE_SETTING_INVALID. */
  checkSettings?(settings: Readonly<Settings>): Fault | undefined;
  /** Refuses the parameters of a subscription with GROUP_PARAM_INVALID. */
  checkParams?(params: Readonly<Params> | undefined): Fault | undefined;
}

const brand = Symbol.for('tagway.app');

export type AppPlugin = AppDefinition<never, never> & { readonly [brand]: true };

/** Makes an app plugin: the default export of its library. */
export function app<Settings = Record<string, unknown>, Params = Record<string, unknown>>(
  definition: AppDefinition<Settings, Params>,
): AppPlugin {
  return Object.freeze({ ...definition, [brand]: true }) as unknown as AppPlugin;
}

/** True for an app plugin made by any copy of this SDK. */
export function isApp(thing: unknown): thing is AppPlugin {
  return typeof thing === 'object' && thing !== null && brand in thing;
}
