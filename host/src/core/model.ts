import type { DataType, GroupPace, NodeType, PluginKind, PluginOrigin, RunningState } from '@tagway/schemas';
import type { JsonValue, Layout, Sample } from '@tagway/sdk';
import type { NodeAlarms } from './alarms/node-alarms.ts';

/** What a client sends as the settings of a node or the parameters of a subscription. */
export type Params = Readonly<Record<string, unknown>>;

/** A plugin that the gateway knows, by its manifest and its settings schema. */
export interface Plugin {
  /** Schema name in the API, and name of its data folder. */
  readonly id: string;
  /** Plugin name in the API. */
  readonly name: string;
  readonly nodeType: NodeType;
  readonly kind: PluginKind;
  readonly version: string;
  /** File or folder name of the library. */
  readonly library: string;
  readonly description: string;
  readonly descriptionZh: string;
  /** Absolute path of the module whose default export is the plugin. */
  readonly main: string;
  /** The JSON Schema of its nodes' settings. */
  readonly settingsSchema: object;
  /** Interval in milliseconds that clients propose for a new group. */
  readonly groupInterval: number;
  /** Address patterns by data type; empty for an app. */
  readonly addresses: readonly {
    readonly type: DataType;
    readonly pattern: string;
    readonly examples?: readonly string[];
  }[];
  /** Bytes of UTF-8 of the longest text that can be written through it. */
  readonly longestText?: number;
  /** Bytes of UTF-8 of the longest address of a tag. */
  readonly longestAddress?: number;
  /** Where it came from, if a registry has it. */
  readonly origin?: PluginOrigin;
  /** True when addresses of its tags refer to tags of other nodes. */
  readonly inputs?: true;
  /** Whether the driver can write several tags in one call. */
  readonly writesMany: boolean;
  /** Other names and ids that calls and imports may use for it; replies never do. */
  readonly aliases?: { readonly names?: readonly string[]; readonly ids?: readonly string[] };
  /** True when the driver can list what its device has. */
  readonly browses?: boolean;
  /** True for an app that has logins of its clients checked, for which an admin has to allow it. */
  readonly asksLogins?: boolean;
  /** True when its nodes can list the clients that are connected to them. */
  readonly listsClients?: boolean;
  /** True when its nodes have certificates that people trust, reject and delete. */
  readonly keepsCertificates?: boolean;
  /** True when its nodes take connections, so that its process may have ports below 1024 where the gateway may. */
  readonly listens?: boolean;
  /** True for an app that serves its clients at the standby gateway of a pair, too. */
  readonly servesAtStandby?: boolean;
  /**
   * True for the stand-in of a plugin whose library is missing or does not load. Its nodes are kept as they were stored and
   * run again once the library is back; until then nothing of the plugin can be asked.
   */
  readonly absent?: boolean;
}

/** A tag never changes: an update replaces it by another one with the same id. */
export interface Tag {
  /** Ascending in the order of creation within the gateway. */
  readonly id: number;
  readonly name: string;
  readonly address: string;
  readonly attribute: number;
  readonly type: DataType;
  readonly precision: number;
  readonly decimal: number;
  readonly bias: number;
  readonly description: string;
  /** In shown values, or a percentage of the span as a text. */
  readonly deadband?: number | string;
  readonly unit?: string;
  /** Span of the shown values; both or none. */
  readonly low?: number;
  readonly high?: number;
  /** Only of a static tag. */
  readonly value?: JsonValue;
}

/** Members that a tag has only where they were given. */
export type OptionalMember = 'deadband' | 'unit' | 'low' | 'high' | 'value';

/** A tag as clients send it and as it is stored; what is left out has its default value, see `tagDefaults`. */
export type TagBody = Pick<Tag, 'name' | 'address' | 'attribute' | 'type'> & {
  readonly [Member in keyof typeof tagDefaults | OptionalMember]?: Tag[Member] | undefined;
} & {
  /** It was given one of the types for bits, which have no bias. Not stored. */
  readonly isBits?: boolean;
};

/** Values of the members that a body or record leaves out. A decimal of 0 means no factor. */
export const tagDefaults = { precision: 0, decimal: 0, bias: 0, description: '' } as const;

/** What a group is made of beside its tags. No history where that is left out; without a pace the tags alone decide. */
export type GroupBody = Pick<TagGroup, 'name' | 'interval'> & {
  readonly history?: number | undefined;
  readonly pace?: GroupPace | undefined;
};

/** What the groups of drivers and of templates have in common. */
export interface TagGroup {
  /** Unique within this run and the store. */
  readonly id: number;
  name: string;
  /** Milliseconds. */
  interval: number;
  /** Megabytes of disk that the last day of its values may take; 0: no history of it is kept. */
  history: number;
  /** When apps get reports of it; undefined where the tags alone decide. */
  pace?: GroupPace | undefined;
  /** In the order of creation. */
  readonly tags: Map<string, Tag>;
}

/** Of a driver. Its id is `sample.group`. */
export interface Group extends TagGroup {
  readonly node: Node;
  /** Apps that subscribe to this group. */
  readonly subscriptions: Map<Node, Subscription>;
  /** Nodes with inputs that read this group; undefined where none does. Another set whenever one of them reads other tags of it. */
  readers?: ReadonlySet<Node> | undefined;
}

export interface Subscription {
  readonly id: number;
  readonly app: Node;
  readonly group: Group;
  params: Params | undefined;
}

export interface Node {
  readonly id: number;
  name: string;
  /** Another one with the same id once the library is upgraded. */
  plugin: Plugin;
  /** What the operator wants. */
  running: RunningState;
  /** Validated, defaults filled in; undefined until the first valid setting. */
  settings: Params | undefined;
  /** The settings as the client sent them, which is what it gets back. */
  params: Params | undefined;
  /** Why it cannot run with the settings that are stored, in a sentence. */
  problem?: string | undefined;
  /** Of a driver, in the order of creation. */
  readonly groups: Map<string, Group>;
  /** Of an app, in the order of creation. */
  readonly subscriptions: Map<Group, Subscription>;
  /** Of a driver with inputs: the groups that it reads, and the names of their tags. */
  inputs?: ReadonlyMap<Group, ReadonlySet<string>> | undefined;
  /** Of an app with inputs: the drivers that its settings name, to read or to write them; undefined where they name none. */
  named?: ReadonlySet<Node> | undefined;
  /** Of a driver: the apps whose settings name it; undefined where none does. */
  namedBy?: ReadonlySet<Node> | undefined;
  /** What it has stored, and how many bytes of UTF-8 that is; undefined where nothing. */
  texts?: { bytes: number; readonly byKey: Map<string, string> };
  /** What is kept of its alarms; undefined where nothing was recorded. */
  alarms?: NodeAlarms;
  /** The numbers that its sequences gave last, by their names; undefined where none has. */
  counters?: Map<string, number>;
  /** What it was given by the device profile that it was made of; undefined where it was made without one. */
  profile?: NodeProfile | undefined;
}

/** What a node remembers of the profile that it was made of, so that a later version of it can be compared with what people have changed. */
export interface NodeProfile {
  readonly id: string;
  readonly version: string;
  /** The package of a registry that it came from. */
  readonly package?: string;
  /** Whole numbers that addresses were filled with. */
  readonly parameters: Readonly<Record<string, number>>;
  /** The settings that the profile asks for. */
  readonly settings: Params;
  readonly groups: readonly GivenGroup[];
}

/** A group as a profile gave it. */
export interface GivenGroup {
  readonly name: string;
  /** Milliseconds. */
  readonly interval: number;
  readonly tags: readonly TagBody[];
}

/** Groups and tags to make driver nodes of. It outlives its plugin. */
export interface Template {
  readonly id: number;
  readonly name: string;
  /** Id of the plugin. */
  readonly plugin: string;
  /** Name that the plugin had when the template was made. */
  readonly pluginName: string;
  /** In the order of creation. */
  readonly groups: Map<string, TemplateGroup>;
}

export interface TemplateGroup extends TagGroup {
  readonly template: Template;
}

/** A group that is stored. */
export type AnyGroup = Group | TemplateGroup;

/** The readable tags of a group with their latest values or errors, column `i` belonging to `tags[i]`. */
export interface GroupReading extends Shown {
  readonly tags: readonly Tag[];
  readonly layout: Layout;
}

/** A whole sample, and since when its columns are as they are. */
export interface Shown {
  readonly sample: Sample;
  /**
   * For each column since when its value or its error is the same, in milliseconds since the epoch. Negative: since then at least, because
   * nothing is known of what was before; 0: nothing is known. It never changes. Absent: nothing is known of any.
   */
  readonly since?: Float64Array;
}
