import type { LinkState, Role, RunningState } from '@tagway/schemas';
import type { AlarmEvent } from './alarm.ts';
import type { Context } from './context.ts';
import type { Fault } from './fault.ts';
import type { HistoryRange, HistoryReading } from './history.ts';
import type { Inputs } from './inputs.ts';
import type { MessageSource } from './messages.ts';
import type { Peers } from './peers.ts';
import type { Layout, Sample } from './sample.ts';
import type { Value } from './value.ts';

/** One subscription of an app to a group. */
export interface Subscription<Params = Record<string, unknown>> {
  /** The same as long as the subscription exists, also across restarts. */
  readonly id: number;
  /** Name of the driver node. */
  readonly driver: string;
  /** Name of the group. */
  readonly group: string;
  /** As stored; absent when there are none. */
  readonly params?: Readonly<Params>;
  /** Of the samples to come; those that are still under way may have an earlier one. */
  readonly layout: Layout;
}

/** The state of a driver node. */
export interface DriverState {
  /** Name of the node. */
  readonly driver: string;
  readonly running: RunningState;
  readonly link: LinkState;
  /** The reason for the state of the link, in one sentence. */
  readonly reason?: string;
  /** The driver writes several tags in one request: `write` gives it what it is to write in one piece. Absent: one tag after the other. */
  readonly writesMany?: true;
}

/** A part of the journal of a driver's alarms. */
export interface JournalPart {
  /** In order, with the name that the group had then. */
  readonly events: readonly (AlarmEvent & { readonly group: string })[];
  /** The number of the last transition that the journal has; 0 when there was none. */
  readonly last: number;
}

/** A value in JSON's terms, as a client sent it; the gateway checks and converts it. A bigint for 64-bit integers. */
export type JsonValue = Value | readonly number[];

/** A tag to write, by names. */
export interface TagWrite {
  readonly driver: string;
  readonly group: string;
  readonly tag: string;
  readonly value: JsonValue;
}

export interface WriteOptions {
  readonly signal?: AbortSignal;
  /**
   * True: the writes are a request that somebody else sent, and follow the rules of the HTTP API: nothing is written when one of them
   * does not pass the checks, several tags need a driver that writes several at once, and `true` is no value of a BIT.
   */
  readonly request?: boolean;
  /**
   * True: nothing is sent unless all writes pass the checks of the gateway: the tags are there and can be written, the values fit, and the
   * drivers run. Otherwise each fault is that of the first which does not. What passes is given to each driver in one piece, or one after the other
   * where it writes one tag at a time, and has a fault or none each.
   */
  readonly whole?: boolean;
  /**
   * The user of the gateway for whom the app writes, as a `login` has shown. The gateway writes nothing, and every fault is
   * USER_NOT_PERMITTED, unless that user may write now; the audit names the user.
   */
  readonly user?: string;
  /** IP address of the client whose request this is; the audit has it. At most 64 characters count. */
  readonly from?: string;
  /**
   * True: nobody asks for this write; a table in the settings says it, with `x-references`. The audit has who has changed the table, and not
   * every such write. One of another tag makes the gateway audit the whole call.
   */
  readonly linked?: boolean;
}

/** A request of a client that an app refuses by itself. */
export interface RefusedRequest {
  /** IP address of the client. At most 64 characters count. */
  readonly from: string;
  /** What was asked for, such as `a command to the object 5`. At most 200 characters count. */
  readonly request: string;
  /** Why it is refused. */
  readonly fault: Fault;
}

/** Where a login comes from. */
export interface LoginOptions {
  /** IP address of the client: attempts from one address wait for each other, those from others do not. */
  readonly address: string;
  readonly signal?: AbortSignal;
}

/** What a login has shown. */
export interface Login {
  /** What the user may do: a viewer reads, an operator writes tags too, an engineer and an admin may do that and more. */
  readonly role: Role;
}

/** The pair of gateways that this one belongs to, as an app sees it. */
export interface GatewayPair {
  /** A standby polls nothing: no sample comes, and nothing can be read or written. */
  readonly role: 'active' | 'standby';
  /** Name of this gateway. */
  readonly name: string;
  /** The others that are there: one, or none while it is away. */
  readonly others: readonly {
    readonly name: string;
    /** Where clients reach its API, such as `https://10.0.0.5:7000`. */
    readonly url: string;
  }[];
}

export interface AppContext<Settings = Record<string, unknown>> extends Context<Settings> {
  /** Reads a group's tags: the latest sample, or a new one when `sync` is true. Rejects with a Fault. */
  read(
    driver: string,
    group: string,
    options?: { readonly sync?: boolean; readonly signal?: AbortSignal },
  ): Promise<Sample>;
  /**
   * Writes tags, of several groups and drivers if need be; resolves when all results are there: entry `i` is the fault of write `i`, or
   * undefined once the device has confirmed it. Rejects with the signal's reason; what was sent by then may be carried out. It is taken until the
   * `stop` of the app has ended, so that the app can end at a device what it has begun, such as a pulse.
   */
  write(writes: readonly TagWrite[], options?: WriteOptions): Promise<readonly (Fault | undefined)[]>;
  /**
   * Has the audit name a request that the app refuses by itself, such as a write of a client that may not write; what `write` refuses is there
   * anyway. Of very many the first ones get an entry each, and one counts the others. Absent in tests.
   */
  refused?(request: RefusedRequest): void;
  /** In a pair of gateways: as it was when the app was made; `pairChanged` says what it is later. Undefined where there is no pair. */
  readonly pair?: GatewayPair;
  /**
   * Reads what a tag was in the last day, where its group keeps a history: see `Layout.keepsHistory`. Rejects with HISTORY_NOT_KEPT where there is
   * none, with BUSY when too many read histories, with PARAM_INVALID for a range that is none, or whose buckets are too many.
   */
  history(
    tag: { readonly driver: string; readonly group: string; readonly tag: string },
    range: HistoryRange,
    options?: { readonly signal?: AbortSignal },
  ): Promise<HistoryReading>;
  /**
   * The latest transition of each alarm of a group that is not normal, under the names of now. What happens later comes with `deliverAlarms`, and may
   * come before this resolves: `sequence` says which is later. Rejects with a Fault when there is no such group.
   */
  activeAlarms(
    driver: string,
    group: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly AlarmEvent[]>;
  /** The states of all driver nodes. */
  drivers(): Promise<readonly DriverState[]>;
  /**
   * What has happened to the alarms of a driver after the transition with the number `after`, 0 for all that the journal of the gateway has left:
   * the oldest first, at most 1000; ask again for those after the last one. It is for what happened while the app did not run. Rejects with
   * NODE_NOT_FOUND.
   */
  alarms(
    driver: string,
    options?: { readonly after?: number; readonly signal?: AbortSignal },
  ): Promise<JournalPart>;
  /**
   * Has the gateway check the name and the password of one of its users, for an app whose clients log in. Attempts wait as those of the HTTP API
   * do, so that guessing is slow, and the audit has them. Rejects with CREDENTIALS_INVALID when they do not fit, with BUSY when too many
   * attempts wait, and with USER_NOT_PERMITTED unless the manifest has the feature `logins` and an admin has allowed the plugin to ask.
   */
  login(name: string, password: string, options: LoginOptions): Promise<Login>;
  /**
   * Announces what sends the messages of the app, which people may look at for a minute at a time, until what it returns is disposed of or the
   * run ends. Absent where nothing is traced, such as in tests.
   */
  messages?(source: MessageSource): Disposable;
}

/**
 * One run of one app node:
 * `create → start → (subscriptionsChanged | driversChanged | settingsChanged | pairChanged | deliver | deliverInputs)* → stop`, or
 * `create → tail → stop`.
 *
 * An app whose manifest has the feature `standby` runs at the standby gateway of a pair, too, for clients that choose between the two
 * gateways: it is started there with its subscriptions, gets no sample, and `read` and `write` reject with STANDBY. When that gateway
 * becomes the active one, the run goes on and `pairChanged` says so. It has no tail.
 */
export interface App<Params = Record<string, unknown>, Settings = Record<string, unknown>> extends Peers {
  /** Begins to connect. A broker that is absent is not a failed start: report it through `context.link` and keep trying. */
  start(): Promise<void>;
  /**
   * All subscriptions of the node: once as soon as `start` has resolved, before anything else, and again after every change of any of
   * them or of the groups that they name. A subscription that did not change is the same object as before.
   */
  subscriptionsChanged(all: readonly Subscription<Params>[]): void;
  /**
   * The states of all drivers that the app subscribes to, and of those that its settings with `x-references` name, whether they are read or
   * written: once after the first `subscriptionsChanged`, and again after every change, in order with the samples: a connected link is reported
   * before its first sample, a lost one before the first sample with its fault.
   */
  driversChanged?(states: readonly DriverState[]): void;
  /**
   * Takes other settings while it runs, checked and frozen as those of the context, which stay what they were at the start of the run. Returns
   * true: they hold from here on. False, or without this method: the node starts anew with them. References in settings may have other names then;
   * `deliverInputs` follows with all inputs fresh where they are others. It is called for every change of settings, also those that the gateway makes.
   */
  settingsChanged?(settings: Readonly<Settings>): boolean;
  /** The pair of gateways has changed: this one has become the active one, or another one has come, has gone, or has another address. */
  pairChanged?(pair: GatewayPair): void;
  /**
   * Takes one sample of a subscribed group: of every reading that the pace of the group lets pass, also when nothing in it is due, and every
   * piece of events. `subscription` is the object that `subscriptionsChanged` was given last. While a returned promise is pending the runner holds a bounded number of newer
   * samples and counts what it drops.
   */
  deliver(sample: Sample, subscription: Subscription<Params>): void | Promise<void>;
  /**
   * Takes the latest of what the settings with `x-references` refer to, in an app whose manifest has `inputs`. Input `i` is reference `i` of
   * `inputs.references`: of the settings in the order of the schema, each reference once. It is called with all inputs fresh once the app
   * runs, and when tags have come or gone; and for every sample of what is read, in order, changed or not. While a returned promise is pending no
   * sample changes the inputs, and the runner holds a bounded number of newer ones and counts what it drops.
   */
  deliverInputs?(inputs: Inputs): void | Promise<void>;
  /**
   * Takes what has happened to the alarms of a subscribed group, in order, once it is in the journal of the gateway. What happens while the app
   * does not run does not reach it later: `context.activeAlarms` says how alarms are now.
   */
  deliverAlarms?(events: readonly AlarmEvent[], subscription: Subscription<Params>): void;
  /**
   * The tail mode, in the place of `start`: at the standby gateway of a pair, where nothing is subscribed to and no sample comes. Sends
   * what an earlier run of this node has kept on this gateway's disk and could not send, marked as historical where the format can, beside
   * the other gateway, which is active and has the node's own name at the broker: under another one, such as with `-tail` behind it.
   * Takes no requests. Resolves when nothing is left, without having connected to anything when nothing was there, and when the context's
   * signal aborts; the run ends when it has settled and `stop` has. A tail that rejects is tried again later. An app without it has no tail.
   */
  tail?(): Promise<void>;
  /**
   * Releases everything. Called exactly once, only after `start` or `tail` was called. The app's connections are still open, so that it can
   * close them properly; `signal` aborts at the deadline of five seconds.
   */
  stop(signal: AbortSignal): Promise<void>;
}

/** A message of an app, for people to look at before it is sent. */
export interface PreviewMessage {
  /** Where it goes, such as an MQTT topic. */
  readonly topic: string;
  readonly payload: string;
}

/** The subject of a preview: a node that need not run, and a subscription that need not exist. */
export interface PreviewOf<Settings, Params> {
  /** Name of the node. */
  readonly node: string;
  readonly settings: Readonly<Settings>;
  readonly subscription: Omit<Subscription<Params>, 'id'>;
  /** The latest of the group, due as a whole. */
  readonly sample: Sample;
}

/** A step of a connection test, in the order in which an app takes them; it leaves out those that it does not have. */
export type ConnectionStep = 'resolve' | 'connect' | 'handshake' | 'login' | 'rights' | 'write';

/** A test of settings that need not be those of a node. */
export interface ConnectionTest<Settings> {
  /** Name of the node, or another one where there is none. */
  readonly node: string;
  readonly settings: Readonly<Settings>;
  /** Aborts at the deadline, after 20 s. */
  readonly signal: AbortSignal;
  /** A step begins; the one before it has succeeded. */
  step(name: ConnectionStep): void;
}

export interface AppDefinition<Settings, Params> {
  /** Makes the app of one run. It opens nothing and starts nothing. */
  create(context: AppContext<Settings>): App<Params, Settings>;
  /** Refuses settings that the schema cannot, with NODE_SETTING_INVALID and a sentence that names the setting. */
  checkSettings?(settings: Readonly<Settings>): Fault | undefined;
  /** Refuses a subscription with GROUP_PARAM_INVALID and a sentence that names the parameter. */
  checkSubscription?(subscription: {
    readonly driver: string;
    readonly group: string;
    readonly params?: Readonly<Params>;
  }): Fault | undefined;
  /**
   * The messages that the app would send for a sample, none where it would send nothing. It opens, sends and keeps nothing. An app
   * whose messages depend on more than this has none.
   */
  preview?(of: PreviewOf<Settings, Params>): readonly PreviewMessage[];
  /**
   * Tries whether the server takes what the app would send: calls `step` as each step begins, and resolves when the last one has succeeded.
   * Rejects with an error that says why the step that began last has failed. It writes nothing that stays, keeps nothing, and closes what it has
   * opened. It must not disturb a node with the same settings that runs: an app whose second client would take the place of the first has none.
   */
  tryConnection?(test: ConnectionTest<Settings>): Promise<void>;
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
