import type { DataType, GroupPace, LinkState, LogLevel, Reference } from '@tagway/schemas';
import type { ConnectionStep, DriverState, GatewayPair, JsonValue, PreviewMessage } from '../../app.ts';
import type { LinkStep } from '../../context.ts';
import type { AlarmEvent } from '../../alarm.ts';
import type { FrameDirection } from '../../frames.ts';
import type { MessageOrigin } from '../../messages.ts';
import type { BrowsePage, BrowseRequest, TagDraft } from '../../driver.ts';
import type { CertificatePlace, ConnectedClient, ListeningPlace, NodeCertificate } from '../../peers.ts';
import type { Writer } from '../../point.ts';
import type { Layout, Sample } from '../../sample.ts';
import type { Value } from '../../value.ts';
import type { MeterTable } from '../meters/meter-table.ts';
import type { Delivered, SampleWay } from '../samples/sample-way.ts';
import type { FaultData } from './fault-data.ts';
import type { HostRequest } from './host-request.ts';

/**
 * The messages between host and runner. Private and unversioned: both come from the same release of the gateway.
 * Nodes and groups go by number, which is stable within a run of the host.
 */

/** A tag as the runner needs it: readable, or written to. */
export interface RunnerTag extends TagDraft {
  readonly precision: number;
  readonly decimal: number;
  readonly bias: number;
  /** How far the shown value has to move until apps get it again; absent or 0 where any change counts. */
  readonly threshold?: number;
  /** Only of a static tag. */
  readonly value?: JsonValue;
}

/** A group that a runner polls. It makes the columns of the layout from the tags. */
export interface GroupConfig {
  readonly group: number;
  readonly layout: Omit<Layout, 'columns' | 'writeOnly'>;
  /** The readable tags, in the layout's order. */
  readonly tags: readonly RunnerTag[];
  /** When apps get reports; absent where the tags alone decide. */
  readonly pace?: GroupPace;
}

/** A sample on its way between processes: its layout goes by number of the group and version. */
export interface SampleData extends Omit<Sample, 'layout'> {
  readonly group: number;
  readonly version: number;
  /** Of events one byte per row: 0 where it is as with `forCache`. */
  readonly due?: Uint8Array;
  /** For reads of the cache and for drivers that read the group alone: apps get the values with the next whole sample. */
  readonly forCache?: true;
  /** Of a followed reading. */
  readonly way?: SampleWay;
}

export interface SubscriptionData {
  readonly id: number;
  /** Number of the group. */
  readonly group: number;
  readonly params: Readonly<Record<string, unknown>> | undefined;
}

/** What a node with inputs reads. */
export interface ReadsData {
  /**
   * Numbers of what is read of each group, with which its samples come. They are negative, and no numbers of groups: an app may subscribe to
   * a group beside, whose samples are others.
   */
  readonly groups: readonly number[];
  /** What is there of each now. */
  readonly samples: readonly SampleData[];
  /** Of an app: what its settings refer to. */
  readonly references?: readonly Reference[];
}

/** All that an app subscribes to, and that a node with inputs reads. */
export interface SubscriptionsData {
  readonly subscriptions: readonly SubscriptionData[];
  /** Layouts of groups that the runner does not have yet, or has of another version. */
  readonly layouts: readonly { readonly group: number; readonly layout: Layout }[];
  /** The states of all drivers that the app subscribes to, or that its settings name; none for a driver with inputs. */
  readonly drivers: readonly DriverState[];
  /** Of a node with inputs. */
  readonly reads?: ReadsData;
  /** Present: subscriptions and drivers are those that have changed since the message before, and these are no more, by number and name. */
  readonly gone?: { readonly groups: readonly number[]; readonly drivers: readonly string[] };
}

export interface LinkData {
  readonly node: number;
  readonly link: LinkState;
  readonly reason?: string;
  readonly step?: LinkStep;
  readonly part?: string;
}

/** Which frames a trace has, and how many of them. */
export interface TraceFilter {
  /** Comes back with the frames, so that those of an earlier trace are not taken for them. */
  readonly id: number;
  /** The number of the first connection. */
  readonly connection: number;
  /** Those about this tag alone. */
  readonly tag?: TagDraft;
  /** Those of this unit alone. */
  readonly unit?: string;
  /** Of an app: messages with values of this group alone. */
  readonly of?: MessageOrigin;
  /** Most frames and bytes that are still to come. */
  readonly frames: number;
  readonly bytes: number;
}

/** The connection of a frame: what a network analyser has to know of it. */
export interface FrameConnection {
  /** Counts the connections of the node; another number is another connection. */
  readonly id: number;
  /** The other side: `host:port`, or the name of a serial port. */
  readonly peer: string;
  readonly datagrams: boolean;
  /** See `FrameFormat`. */
  readonly port?: number;
  readonly dissector?: string;
}

/** A frame of a driver, or a message of an app, in a trace. */
export interface TracedFrame {
  /** Milliseconds since the epoch, with the fractions of the monotonic clock. */
  readonly at: number;
  readonly direction: FrameDirection;
  /** Bytes of the frame, of which `data` may have the first alone. */
  readonly size: number;
  readonly data: Uint8Array;
  /** What it means, as the driver explains it. */
  readonly text?: string;
  readonly unit?: string;
  readonly connection: FrameConnection;
  /** Of a message of an app; see `AppMessage`. */
  readonly topic?: string;
  readonly of?: MessageOrigin;
  readonly failure?: string;
}

/** A step of an app's connection test; with a fault where it failed. */
export interface ConnectionStepData {
  readonly step: ConnectionStep;
  /** Milliseconds. */
  readonly ms: number;
  readonly fault?: FaultData;
}

/** Requests that the runner answers with `answer`. */
export type RunnerRequest =
  | {
      readonly op: 'start';
      readonly node: number;
      readonly name: string;
      readonly settings: Readonly<Record<string, unknown>>;
      readonly dataDir: string;
      readonly level: LogLevel;
      /** See `Context.pairId`. */
      readonly pairId?: string;
      /** Of an app in a pair of gateways. */
      readonly pair?: GatewayPair;
      /** Of an app. */
      readonly subscriptions?: SubscriptionsData;
      /** Of an app: only what an earlier run could not send is sent. */
      readonly mode?: 'tail';
      /** The node has inputs. */
      readonly inputs?: true;
      /** Of a driver: one in this many of its readings is followed to the servers of apps. Absent: none. */
      readonly follow?: number;
      /** The node is traced from the beginning. */
      readonly trace?: TraceFilter;
    }
  | { readonly op: 'stop'; readonly node: number }
  /** Gives an app other settings while it runs. */
  | {
      readonly op: 'settings';
      readonly node: number;
      readonly settings: Readonly<Record<string, unknown>>;
    }
  | { readonly op: 'poll'; readonly node: number; readonly group: number }
  | {
      readonly op: 'test';
      readonly node: number;
      readonly tag: TagDraft;
      /** See `Call`. */
      readonly asTag?: true;
      /** What the tag refers to: the present sample of each group, and its layout. */
      readonly inputs?: readonly { readonly sample: SampleData; readonly layout: Layout }[];
    }
  | {
      readonly op: 'write';
      readonly node: number;
      readonly writes: readonly { readonly tag: TagDraft; readonly value: Value }[];
      readonly by?: Writer;
    }
  | { readonly op: 'browse'; readonly node: number; readonly browse: BrowseRequest }
  /** Begins to trace the frames of a driver or the messages of an app, in place of a trace that runs, or with no filter ends it. */
  | { readonly op: 'trace'; readonly node: number; readonly filter?: TraceFilter }
  | { readonly op: 'clients'; readonly node: number }
  | { readonly op: 'certificates'; readonly node: number }
  | {
      readonly op: 'moveCertificate';
      readonly node: number;
      readonly id: string;
      readonly to: CertificatePlace;
    }
  | {
      readonly op: 'checkTags';
      readonly tags: readonly TagDraft[];
      readonly settings?: Readonly<Record<string, unknown>>;
      /** Absent: the plugin's code alone is asked. */
      readonly rules?: TagRules;
    }
  | { readonly op: 'checkSettings'; readonly settings: Readonly<Record<string, unknown>> }
  | {
      readonly op: 'countRequests';
      readonly tags: readonly TagDraft[];
      readonly settings: Readonly<Record<string, unknown>>;
    }
  | {
      readonly op: 'checkSubscription';
      readonly driver: string;
      readonly group: string;
      readonly params: Readonly<Record<string, unknown>> | undefined;
    }
  | {
      readonly op: 'preview';
      /** Name of the node. */
      readonly name: string;
      readonly settings: Readonly<Record<string, unknown>>;
      readonly params: Readonly<Record<string, unknown>> | undefined;
      readonly sample: SampleData;
      readonly layout: Layout;
    }
  | {
      readonly op: 'tryConnection';
      readonly name: string;
      readonly settings: Readonly<Record<string, unknown>>;
    }
  | { readonly op: 'ping' };

/** The rules for tags in the manifest of a plugin. */
export interface TagRules {
  /** Name of the plugin. */
  readonly plugin: string;
  /** A tag has one of these types, and an address that fits one of the patterns for it. */
  readonly addresses: readonly { readonly type: DataType; readonly pattern: string }[];
  /** The addresses may have references. */
  readonly inputs?: true;
}

/** The type of the answer to each request. */
export interface RunnerAnswers {
  /** True: the plugin's start has succeeded. False: it was overtaken. A failure is a fault; unless it has `retry: false`, the runner goes on trying. */
  start: boolean;
  stop: undefined;
  /** Whether the app goes on with them. */
  settings: boolean;
  poll: undefined;
  test: Value;
  /** Pairs of index and fault of the writes that failed. */
  write: readonly (readonly [index: number, fault: FaultData])[];
  browse: BrowsePage;
  trace: undefined;
  clients: readonly ConnectedClient[];
  certificates: readonly NodeCertificate[];
  moveCertificate: undefined;
  /** The fault of each tag that is refused. */
  checkTags: readonly (FaultData | undefined)[];
  checkSettings: undefined;
  /** Undefined: the plugin cannot say. */
  countRequests: number | undefined;
  checkSubscription: undefined;
  /** Undefined: the plugin shows none. */
  preview: readonly PreviewMessage[] | undefined;
  /** Undefined: the plugin is no app, or tries no connections. */
  tryConnection: readonly ConnectionStepData[] | undefined;
  ping: undefined;
}

export type Answer =
  | { readonly op: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly op: 'answer'; readonly id: number; readonly fault: FaultData };

export type ToRunner =
  /** A module that this process imported before is imported anew when its `revision` is another one. */
  | { readonly op: 'load'; readonly main: string; readonly revision?: string }
  | { readonly op: 'request'; readonly id: number; readonly request: RunnerRequest }
  | {
      readonly op: 'group';
      readonly node: number;
      readonly config: GroupConfig;
      /** Of a driver with inputs: all that the node reads. */
      readonly reads?: SubscriptionsData;
    }
  | { readonly op: 'ungroup'; readonly node: number; readonly group: number }
  | ({ readonly op: 'subscriptions'; readonly node: number } & SubscriptionsData)
  | { readonly op: 'pair'; readonly node: number; readonly pair: GatewayPair }
  /** States of drivers that changed, for all apps of the runner. */
  | { readonly op: 'drivers'; readonly drivers: readonly DriverState[] }
  /**
   * `node`: for this app alone; absent: for all apps that subscribe to the group. `layout` is sent with a sample whose layout is not the
   * one that the runner has.
   */
  | { readonly op: 'sample'; readonly sample: SampleData; readonly layout?: Layout; readonly node?: number }
  /** What has happened to alarms of a group, for all apps that subscribe to it. */
  | { readonly op: 'alarms'; readonly group: number; readonly events: readonly AlarmEvent[] }
  | { readonly op: 'level'; readonly node: number; readonly level: LogLevel }
  | Answer;

export type FromRunner =
  | { readonly op: 'loaded'; readonly kind: 'driver' | 'app' }
  | { readonly op: 'unloadable'; readonly message: string }
  | { readonly op: 'sample'; readonly sample: SampleData }
  /** The run that `start` asked for begins: all earlier messages of this node belong to the run before. */
  | { readonly op: 'begun'; readonly node: number }
  /** A start has succeeded. An app knows its subscriptions and takes samples from here on. */
  | { readonly op: 'started'; readonly node: number }
  | ({ readonly op: 'link' } & LinkData)
  /** Where the node takes connections from here on. */
  | { readonly op: 'listens'; readonly node: number; readonly places: readonly ListeningPlace[] }
  /** Counters and gauges of nodes that changed. */
  | ({ readonly op: 'meters' } & MeterTable)
  | {
      readonly op: 'log';
      readonly node: number | undefined;
      readonly level: LogLevel;
      readonly message: string;
      readonly fields?: object;
    }
  /** Frames of a driver, or messages of an app, that is traced. `full`: there are no more, because the limits of the trace are reached. */
  | {
      readonly op: 'frames';
      readonly node: number;
      /** Of its filter. */
      readonly trace: number;
      readonly frames: readonly TracedFrame[];
      readonly full: boolean;
    }
  /** An app has taken the sample of a followed reading. */
  | ({ readonly op: 'delivered' } & Delivered)
  /** A run in tail mode has ended: everything is sent. */
  | { readonly op: 'tailed'; readonly node: number }
  /** The plugin refused to start the node and trying again cannot help. */
  | { readonly op: 'refused'; readonly node: number; readonly fault: FaultData }
  | { readonly op: 'request'; readonly id: number; readonly request: HostRequest }
  | Answer;

/** The runner's end of the channel to the host. */
export interface Port {
  /** Calls `done` when the message has left this process, or cannot any more. */
  send(message: FromRunner, done?: () => void): void;
  onMessage(handler: (message: ToRunner) => void): void;
}
