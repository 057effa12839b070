import type { LinkState, LogLevel, PluginOrigin } from '@tagway/schemas';
import type {
  BrowsePage,
  BrowseRequest,
  CertificatePlace,
  ConnectedClient,
  DriverState,
  Fault,
  AlarmEvent,
  HistoryRange,
  HistoryReading,
  JournalPart,
  ListeningPlace,
  Login,
  NodeCertificate,
  PreviewMessage,
  TagDraft,
  TagWrite,
  Value,
  Writer,
} from '@tagway/sdk';
import type { StoredTransition, TracedFrame, TraceFilter } from '@tagway/sdk/internal';
import type { AlarmRecord } from '../alarms/alarm-records.ts';
import type { Group, GroupReading, Node, Params, Plugin, Tag } from '../model.ts';
import type { Sentence } from '../system/sentence.ts';

export type { TracedFrame, TraceFilter } from '@tagway/sdk/internal';

/** Frames of a driver, or messages of an app, that is traced. */
export interface TracedFrames {
  /** The number of the node. */
  readonly node: number;
  /** The id of the filter. */
  readonly trace: number;
  readonly frames: readonly TracedFrame[];
  /** No more come: the limits are reached. */
  readonly full: boolean;
}

/** What the core needs of persistence: records of JSON under keys, written in one durable step. */
export interface Store {
  /** All records, ascending by key. The record is undefined where what is stored cannot be parsed. */
  load(): Promise<[key: string, record: unknown][]>;
  /** Applies all or, after a crash at any moment, nothing; durable when it resolves. */
  commit(changes: StoreChanges): Promise<void>;
}

/** Both are iterated once, in pieces: the objects that they are made of may not change before they are stored. */
export interface StoreChanges {
  readonly set?: Iterable<readonly [key: string, record: unknown]>;
  readonly delete?: Iterable<string>;
}

/** What a snapshot is made before: an import, many tags at once, an upgrade of a plugin, a restore, an update by a profile; or that a request asked for it. */
export type SnapshotReason = 'import' | 'tags' | 'upgrade' | 'restore' | 'request' | 'profile';

export interface Snapshot {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly reason: SnapshotReason;
  /** Bytes. */
  readonly size: number;
}

/** Copies of the store, of which a bounded number is kept. */
export interface SnapshotStore {
  /** The newest first. */
  list(): Promise<readonly Snapshot[]>;
  /** Copies the store as it is; nothing may be committed meanwhile. Rejects with INTERNAL. */
  make(reason: SnapshotReason): Promise<Snapshot>;
  /** The records of a snapshot, as `Store.load` gives them. Rejects with FILE_NOT_FOUND. */
  read(id: string): Promise<[key: string, record: unknown][]>;
}

/** The plugins of this gateway, in load order. */
export interface Plugins {
  all(): readonly Plugin[];
  /** The plugin that a client means: by its name, or by an alias of it where no plugin has that name. */
  byName(name: string): Plugin | undefined;
  /** By its id alone, which is what is stored. */
  byId(id: string): Plugin | undefined;
  /** The plugin whose schema a client means: as `byName`, of ids. */
  bySchema(id: string): Plugin | undefined;
  /** Makes a plugin known, in the place of the one with the same id if there is one. */
  put(plugin: Plugin): void;
  remove(plugin: Plugin): void;
}

/** A library's archive as a client names or sends it. */
export interface Archive {
  /** Bare name of its file; without `content` that of a file in the library folder. */
  readonly library: string;
  readonly content?: Uint8Array;
  /** Base64 of an Ed25519 signature over the archive. Goes with `content`; otherwise it is in the file beside it. */
  readonly signature?: string;
  /** Where it came from, if a registry has it; it is kept with what is installed. */
  readonly origin?: PluginOrigin;
}

/** The libraries that users add, on disk, where the next start finds them again. */
export interface Libraries {
  /**
   * Unpacks an archive beside the installed libraries and reads its manifest; none of its code runs. Rejects with a fault
   * and leaves nothing behind when the archive is not what it must be.
   */
  unpack(archive: Archive): Promise<StagedLibrary>;
  /** As `unpack`, for an archive that will not be put in place. */
  inspect(archive: Archive): Promise<StagedLibrary>;
  /** What an archive holds, and its signature if there is one. Rejects as `unpack` does. */
  read(archive: Archive): Promise<Required<Pick<Archive, 'content'>> & Omit<Archive, 'content'>>;
  /** An archive, without a signature, of what is installed. */
  pack(plugin: Plugin): Promise<Uint8Array>;
  /** Removes a library so that no later start finds it. The function that it resolves with deletes its files. */
  remove(plugin: Plugin): Promise<() => Promise<void>>;
}

/** A library that is unpacked and not in place yet. A crash at any moment leaves either it or its predecessor in place. */
export interface StagedLibrary {
  /** The plugin by the files of the library, with the paths that it will have once it is installed. */
  readonly plugin: Plugin;
  /** A signature of the author within a package was verified. */
  readonly isSigned: boolean;
  /** A text file of the library by its path; undefined where there is none. `most`: bytes that are read. */
  text(path: string, most: number): Promise<string | undefined>;
  /** Whether the library has such a file or folder. */
  has(path: string): Promise<boolean>;
  /** Loads it in a runner of its own. Rejects with LIBRARY_OPEN_FAILED when that hangs, LIBRARY_MODULE_INVALID when it fails. */
  probe(): Promise<void>;
  /** Puts it in its place, and aside what is there, which is `old` if that is known. */
  place(old: Plugin | undefined): Promise<void>;
  /** Undoes `place`. */
  withdraw(): Promise<void>;
  /** Deletes what is not in place; to be called at the end, whatever happened. Never rejects. */
  discard(): Promise<void>;
}

/** What a running node says of those at the other end of its connections. Every call rejects with a Fault. */
export interface RunningPeers {
  /** Who is connected to it. */
  clients(): Promise<readonly ConnectedClient[]>;
  certificates(): Promise<readonly NodeCertificate[]>;
  /** Trusts, rejects or deletes a certificate. */
  moveCertificate(id: string, to: CertificatePlace): Promise<void>;
}

/**
 * What the core needs of the part that runs plugins. The core reports changes to it after they are stored; it reads the
 * core's objects and never changes them, except through `RuntimeEvents`.
 */
export interface Runtime {
  /**
   * Starts a node that has settings and resolves once it runs, or once it is clear that starting takes longer. Rejects only
   * when the plugin refuses for good. Starting a running node again applies its new settings, name or params; an app that takes other
   * settings while it runs goes on with them.
   */
  start(node: Node): Promise<void>;
  /** Drivers that are started from here on run once these apps do, or have failed to, or are slow. */
  startDriversAfter(apps: readonly Node[]): void;
  /**
   * At the standby gateway of a pair. Runs an app that serves its clients there, and anew when its name or its settings have changed; a start
   * of the node takes that run over. Any other app sends the messages that an earlier run has left, and nothing else, which ends by itself,
   * or when the node is started.
   */
  startAtStandby(app: Node): void;
  /** Starts a node again if it runs, because names in its settings have changed. */
  reset(node: Node): void;
  /** Ends the run of a node. Resolves when its sockets are closed or its runner is gone. */
  stop(node: Node): Promise<void>;
  /**
   * Ends the runs of all drivers side by side, and after `within` milliseconds whatever has not ended. No driver starts again in this
   * process. Resolves when none of their runners is left.
   */
  haltDrivers(within: number): Promise<void>;
  /** Forgets a deleted node. */
  forget(node: Node): Promise<void>;
  /** A group or a tag of it changed, or the group is new. Cheap: changes are sent together, shortly after. */
  changed(group: Group): void;
  /** Forgets a deleted group. */
  removed(group: Group): void;
  /**
   * The subscriptions of an app changed, or what a driver reads. `fresh` names groups whose latest sample is to be reported to an app at once.
   */
  routed(node: Node, fresh?: readonly Group[]): void;
  /** Transitions of a driver's alarms were recorded: the apps that subscribe to the groups get them. */
  alarmed(node: Node, records: readonly AlarmRecord[]): void;
  /**
   * Has the plugin's runner check tags by the patterns of the manifest and by the plugin's code; entry `i` is the fault of tag `i` if it is
   * refused. `settings` are those of the node that the tags are for, if it has any. Rejects with BUSY when the runner cannot answer.
   */
  checkTags(
    plugin: Plugin,
    tags: readonly TagDraft[],
    settings?: Params,
  ): Promise<readonly (Fault | undefined)[]>;
  /** How many requests a reading of a group of these tags takes; undefined when the plugin cannot say. Rejects with BUSY. */
  countRequests(plugin: Plugin, tags: readonly TagDraft[], settings: Params): Promise<number | undefined>;
  /** Rejects with NODE_SETTING_INVALID when the plugin's own check refuses settings that fit its schema. */
  checkSettings(plugin: Plugin, settings: Readonly<Record<string, unknown>>): Promise<void>;
  /** Rejects with GROUP_PARAM_INVALID when the app refuses to subscribe to the group with these parameters. */
  checkSubscription(plugin: Plugin, subscription: SubscriptionCheck): Promise<void>;
  /**
   * What an app would send for the latest sample of a group. Rejects with NOT_READY when there is none yet, and with
   * PLUGIN_TYPE_UNSUPPORTED when the app's plugin shows no preview.
   */
  preview(app: Plugin, group: Group, preview: Preview): Promise<PreviewReply>;
  /** Reads a group of a running node now; its `reading` is new afterwards. */
  poll(group: Group): Promise<void>;
  /** The latest values of a group. Tags without one carry NOT_RUNNING, DISCONNECTED, NOT_READY or VALUE_EXPIRED. */
  reading(group: Group): GroupReading;
  /**
   * Starts a node that is not part of the configuration, to see whether its device answers, and ends it again. Rejects with BUSY when that
   * cannot begin.
   */
  tryNode(plugin: Plugin, trial: NodeTrial): Promise<readonly TrialStep[]>;
  /** Tries whether the server of an app takes what it would send. Undefined when the plugin tries no connections. Rejects with BUSY when that cannot begin. */
  tryConnection(plugin: Plugin, trial: Omit<NodeTrial, 'tag'>): Promise<readonly TrialStep[] | undefined>;
  /** Reads one tag that need not exist and refers to tags of these groups, without scaling and byte order. Rejects with a Fault. */
  test(node: Node, tag: TagDraft, inputs: readonly Group[]): Promise<Value>;
  /** Writes device values, already converted, for somebody if that is known; entry `i` is the fault of write `i`. Rejects with a Fault. */
  write(
    node: Node,
    writes: readonly { readonly tag: Tag; readonly value: Value }[],
    by?: Writer,
  ): Promise<readonly (Fault | undefined)[]>;
  /** Lists what the device has at one place. Rejects with a Fault. */
  browse(node: Node, request: BrowseRequest): Promise<BrowsePage>;
  /**
   * Traces the frames of a driver or the messages of an app that runs from here on; `RuntimeEvents.traced` gets them. No filter ends that.
   * Rejects with TRACE_UNSUPPORTED, with PARAM_INVALID when the driver has no answer to the filter, or with another Fault.
   */
  trace(node: Node, filter?: TraceFilter): Promise<void>;
  /** What a running node says of those at the other end. */
  peers(node: Node): RunningPeers;
  /** Where a node takes connections now. */
  places(node: Node): readonly ListeningPlace[];
  link(node: Node): LinkState;
  /** Why a node that runs has no connection, in the words of its plugin, and since when; undefined while it has one or nothing is known. */
  down(node: Node): LastError | undefined;
  /** Milliseconds; 9999 when unknown. */
  rtt(node: Node): number;
  /** What is counted and measured of a node while it runs. */
  meters(node: Node): NodeMeters;
  /** The first fault of the latest sample that had one; undefined when none of this run had. */
  lastError(group: Group): LastError | undefined;
  /** The log level of a node changed. */
  leveled(node: Node): void;
  /** The state of a driver, as apps get it. */
  state(driver: Node): DriverState;
  /** How the runner of a plugin is. */
  pluginState(plugin: Plugin): PluginState;
  /**
   * Goes on with another version of a plugin, to which its nodes point already: ends their runs and the runner of the version before,
   * and starts both anew if any node is to run. With `trial` it resolves once the new version has proved itself: it is up and
   * every node that ran before runs again, whatever its link. It rejects with LIBRARY_UPDATE_FAILED, naming a node that does not start,
   * when that is not so in time; call `replace` again then. It resolves with a probation while the process of the version is watched on.
   */
  replace(plugin: Plugin, options: { readonly trial: boolean }): Promise<Probation | undefined>;
  /**
   * Starts the runner of a plugin anew so that a debugger may attach to it at this port of the machine, and a breakpoint is not taken for
   * a hang; undefined: as always. It holds until the gateway ends, or the port is taken when the runner is started again. Rejects with
   * PARAM_INVALID when it is taken now.
   */
  debug(plugin: Plugin, port: number | undefined): Promise<void>;
  /** Ends the runner of a plugin without nodes, for good. */
  retire(plugin: Plugin): void;
  /** Keeps the runners of these plugins, and of no others, loaded while none of their nodes runs. */
  warm(plugins: readonly Plugin[]): void;
}

/** The time after the trial of a version in which the end of its process still refuses it. */
export interface Probation {
  /** Resolves when it is over: with why the version is refused, or with undefined. */
  readonly over: Promise<Fault | undefined>;
}

/** What is tried: settings that fit, and a tag to read if there is one. */
export interface NodeTrial {
  /** Its name for other nodes that share a line with it. */
  readonly name: string;
  readonly settings: Params;
  readonly tag?: TagDraft | undefined;
  /** Called once the link is up, in the place of the read of a tag. What it rejects with is what the trial rejects with. */
  readonly visit?: (read: TrialRead) => Promise<void>;
}

/** Reads a tag of a trial, without scaling and byte order. Rejects with a Fault. */
export type TrialRead = (tag: TagDraft) => Promise<Value>;

/** From the name of a device to a value of it; of an app from the name of its server to a write of nothing. */
export type TrialStepName =
  'resolve' | 'connect' | 'handshake' | 'answer' | 'read' | 'login' | 'rights' | 'write';

export interface TrialStep {
  readonly step: TrialStepName;
  readonly ok: boolean;
  /** Milliseconds; steps that cannot be measured apart are counted with the first of them. */
  readonly ms: number;
  /** Of one that failed. */
  readonly error?: number;
  readonly message?: Sentence | string;
  /** What was read. */
  readonly value?: Value;
}

/** Why tags of a group failed last. Times are milliseconds since the epoch. */
export interface LastError {
  readonly code: number;
  readonly text: string;
  /** `time`: of the latest sample with this error. `since`: of the first sample with it, after which every sample had it. */
  readonly time: number;
  readonly since: number;
}

/** A counter, which only grows, or a gauge. */
export interface Meter {
  readonly kind: 'counter' | 'gauge';
  readonly value: number;
}

/** By name, those of the node itself and those of its groups by their number. */
export interface NodeMeters {
  readonly own: ReadonlyMap<string, Meter>;
  readonly groups: ReadonlyMap<number, ReadonlyMap<string, Meter>>;
}

/** A subscription that an app's plugin is asked about: names, and its parameters if it has any. */
export interface SubscriptionCheck {
  readonly driver: string;
  readonly group: string;
  readonly params: Params | undefined;
}

/** A subscription of an app's node that need not exist. */
export interface Preview {
  /** Name of the app's node. */
  readonly name: string;
  readonly settings: Params;
  readonly params: Params | undefined;
}

export interface PreviewReply {
  /** Of the sample, in milliseconds since the epoch. */
  readonly time: number;
  readonly messages: readonly PreviewMessage[];
}

/** Of a plugin's runner: none is needed, it loads, it is up, or it failed and is started again shortly. */
export type PluginState = 'idle' | 'starting' | 'running' | 'failed';

/** Log levels of nodes and of the core; not persistent. */
export interface LogLevels {
  /** Of the core and of nodes whose level was not changed. */
  readonly initial: LogLevel;
  core: LogLevel;
  of(node: string): LogLevel;
  set(node: string, level: LogLevel): void;
  /** The node is gone or renamed: back to the default. */
  reset(node: string): void;
}

/** What the runtime asks of the core. */
export interface RuntimeEvents {
  /** The plugin refused to run this node and trying again cannot help: the node is ready, not running. */
  refused(node: Node, fault: Fault): void;
  /** An app reads a group by names. */
  read(node: string, group: string, sync: boolean): Promise<GroupReading>;
  /**
   * An app writes tags by names; entry `i` is the fault of write `i`. `isRequest`: it carries out a request that it has got, for which the
   * rules of the HTTP API hold. `user`: it writes for this user of the gateway, who must be allowed to. `from`: the address of the client that asked.
   * `linked`: the tags that its settings name are not audited. `whole`: nothing is sent unless all writes pass the checks.
   */
  write(
    app: Node,
    writes: readonly TagWrite[],
    isRequest: boolean,
    how?: {
      readonly user?: string | undefined;
      readonly from?: string | undefined;
      readonly linked?: boolean | undefined;
      readonly whole?: boolean | undefined;
    },
  ): Promise<readonly (Fault | undefined)[]>;
  /** An app asks for the latest transitions of the alarms of a group that are not normal. Throws NODE_NOT_FOUND, GROUP_NOT_FOUND. */
  activeAlarms(driver: string, group: string): readonly AlarmEvent[];
  /** An app reads the history of a tag by names. Rejects with a Fault. */
  history(
    tag: { readonly driver: string; readonly group: string; readonly tag: string },
    range: HistoryRange,
  ): Promise<HistoryReading>;
  /** An app has refused a request of a client at this address: the audit has it. */
  refusedRequest(app: Node, from: string, request: string, fault: Fault): void;
  /** A node takes connections at these places from now on. */
  listens(node: Node, places: readonly ListeningPlace[]): void;
  /** What has happened to the alarms of a driver after a transition, the oldest first, as far as fits into one answer. */
  alarmsAfter(driver: string, after: number): JournalPart;
  /** The drivers' states, as apps report them. */
  drivers(): readonly DriverState[];
  /** A driver with inputs writes tags by names, for somebody if that is known; entry `i` is the fault of write `i`. */
  writeInputs(
    driver: Node,
    writes: readonly TagWrite[],
    by: Writer | undefined,
  ): Promise<readonly (Fault | undefined)[]>;
  /** What a run of a node that begins is to trace. */
  traceOf(node: Node): TraceFilter | undefined;
  /** Frames or messages of a node of this plugin have come. */
  traced(plugin: Plugin, frames: TracedFrames): void;
  /** What a node has stored. */
  stored(node: Node): ReadonlyMap<string, string>;
  /** Stores texts of a node by key, deletes those that are null, and records transitions of its alarms, in one step. Rejects with a Fault. */
  store(
    node: Node,
    entries: readonly (readonly [key: string, text: string | null])[],
    transitions?: readonly StoredTransition[],
  ): Promise<void>;
  /** An app has a name and a password of a user checked, for a client at this address. Rejects with a Fault. */
  login(app: Node, name: string, password: string, address: string): Promise<Login>;
  /** The next number of a sequence of a node, stored. Rejects with a Fault. */
  sequence(node: Node, name: string, least: number): Promise<number>;
}
