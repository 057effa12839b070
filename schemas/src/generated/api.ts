/** Generated from schemas/api/*.json by generate.ts: change those. */

/**
 * The state of one node, both flat and as a list of one.
 */
export type StateReply = NodeStateRecord & StatesReply;
export type SchemaReply = { tag_regex: { type: number; regex: string }[]; group_interval: number } & Record<
  string,
  unknown
>;

/**
 * Every definition of schemas/api by its name.
 */
export interface ApiTypes {
  AddGroupBody: AddGroupBody;
  DeleteGroupBody: DeleteGroupBody;
  UpdateGroupBody: UpdateGroupBody;
  GroupsQuery: GroupsQuery;
  GroupRecord: GroupRecord;
  GroupsReply: GroupsReply;
  DriverGroupRecord: DriverGroupRecord;
  AllGroupsReply: AllGroupsReply;
  Params: Params;
  AddNodeBody: AddNodeBody;
  DeleteNodeBody: DeleteNodeBody;
  RenameNodeBody: RenameNodeBody;
  NodesQuery: NodesQuery;
  NodesReply: NodesReply;
  SettingBody: SettingBody;
  SettingQuery: SettingQuery;
  SettingReply: SettingReply;
  ControlBody: ControlBody;
  StateQuery: StateQuery;
  NodeStateRecord: NodeStateRecord;
  StatesReply: StatesReply;
  FlatStateReply: FlatStateReply;
  StateReply: StateReply;
  LibraryBody: LibraryBody;
  LibraryReply: LibraryReply;
  RemovePluginBody: RemovePluginBody;
  PluginsQuery: PluginsQuery;
  PluginRecord: PluginRecord;
  PluginsReply: PluginsReply;
  SchemaQuery: SchemaQuery;
  Descriptor: Descriptor;
  SchemaReply: SchemaReply;
  ReadBody: ReadBody;
  ReadReply: ReadReply;
  ErrorReply: ErrorReply;
  EmptyReply: EmptyReply;
  LoginBody: LoginBody;
  LoginReply: LoginReply;
  PasswordBody: PasswordBody;
  SubscribeBody: SubscribeBody;
  GroupToSubscribe: GroupToSubscribe;
  SubscribeManyBody: SubscribeManyBody;
  UpdateSubscriptionBody: UpdateSubscriptionBody;
  UnsubscribeBody: UnsubscribeBody;
  SubscriptionsQuery: SubscriptionsQuery;
  SubscriptionsReply: SubscriptionsReply;
  TagInput: TagInput;
  TagsBody: TagsBody;
  TagsBatchReply: TagsBatchReply;
  DeleteTagsBody: DeleteTagsBody;
  TagsQuery: TagsQuery;
  TagRecord: TagRecord;
  TagsReply: TagsReply;
  VersionReply: VersionReply;
  TagValue: TagValue;
  WriteBody: WriteBody;
  WriteTagsBody: WriteTagsBody;
}
export interface AddGroupBody {
  node: string;
  name?: string;
  /**
   * The older spelling of name.
   */
  group?: string;
  /**
   * Milliseconds.
   */
  interval: number;
}
export interface DeleteGroupBody {
  node: string;
  group: string;
}
export interface UpdateGroupBody {
  node: string;
  group: string;
  new_name?: string;
  /**
   * Milliseconds.
   */
  interval?: number;
}
export interface GroupsQuery {
  /**
   * Absent or empty: the groups of all drivers.
   */
  node?: string;
}
export interface GroupRecord {
  name: string;
  /**
   * Milliseconds.
   */
  interval: number;
  tag_count: number;
}
export interface GroupsReply {
  groups: GroupRecord[];
}
export interface DriverGroupRecord {
  driver: string;
  group: string;
  /**
   * Milliseconds.
   */
  interval: number;
  tag_count: number;
}
export interface AllGroupsReply {
  groups: DriverGroupRecord[];
}
/**
 * Settings of a node or of a subscription; the plugin gives them their meaning.
 */
export interface Params {
  [k: string]: unknown;
}
export interface AddNodeBody {
  name: string;
  /**
   * The plugin's name.
   */
  plugin: string;
  params?: Params;
}
export interface DeleteNodeBody {
  name: string;
}
export interface RenameNodeBody {
  name: string;
  new_name: string;
}
export interface NodesQuery {
  /**
   * 1 lists drivers, 2 lists apps.
   */
  type: '1' | '2';
  /**
   * The plugin's exact name.
   */
  plugin?: string;
  /**
   * A part of the node's name.
   */
  node?: string;
}
export interface NodesReply {
  nodes: {
    name: string;
    plugin: string;
  }[];
}
export interface SettingBody {
  node: string;
  params: Params;
}
export interface SettingQuery {
  node: string;
}
export interface SettingReply {
  node: string;
  params: Params;
}
export interface ControlBody {
  node: string;
  /**
   * 0 starts, 1 stops.
   */
  cmd: 0 | 1;
}
export interface StateQuery {
  /**
   * Absent or empty: all nodes.
   */
  node?: string;
}
export interface NodeStateRecord {
  node: string;
  running: 0 | 1 | 2 | 3 | 4;
  link: 0 | 1 | 2;
  /**
   * Milliseconds; 9999 when unknown, 0 for an app.
   */
  rtt: number;
  log_level: 'debug' | 'info' | 'notice' | 'warn' | 'error' | 'fatal';
  /**
   * Of an app: the number of its subscriptions.
   */
  sub_group_count?: number;
}
export interface StatesReply {
  states: NodeStateRecord[];
  /**
   * Log level of the gateway itself.
   */
  service_core?: 'debug' | 'info' | 'notice' | 'warn' | 'error' | 'fatal';
  /**
   * The same, for clients of the existing family of gateways.
   */
  neuron_core?: 'debug' | 'info' | 'notice' | 'warn' | 'error' | 'fatal';
}
/**
 * The state of one node for clients of the existing family of gateways.
 */
export interface FlatStateReply {
  running: 0 | 1 | 2 | 3 | 4;
  link: 0 | 1;
  /**
   * Milliseconds.
   */
  rtt: number;
  log_level: 'debug' | 'info' | 'notice' | 'warn' | 'error' | 'fatal';
  sub_group_count?: number;
  neuron_core: 'debug' | 'info' | 'notice' | 'warn' | 'error' | 'fatal';
}
export interface LibraryBody {
  /**
   * Bare name of the archive: of a file in the library folder, unless the archive is sent with it.
   */
  library: string;
  /**
   * The archive itself, in base64.
   */
  file?: string;
  /**
   * Beside a file: an Ed25519 signature over the archive, in base64.
   */
  signature?: string;
}
export interface LibraryReply {
  error: number;
  /**
   * Why a library was refused.
   */
  message?: string;
}
export interface RemovePluginBody {
  /**
   * The plugin's name.
   */
  plugin: string;
}
export interface PluginsQuery {
  /**
   * The plugin's exact name.
   */
  plugin?: string;
}
export interface PluginRecord {
  kind: 0 | 1 | 2;
  node_type: 1 | 2;
  name: string;
  /**
   * File name of the library.
   */
  library: string;
  description: string;
  description_zh: string;
  /**
   * Name to ask the schema for.
   */
  schema: string;
  version: string;
  /**
   * Of the plugin's process: none is needed, it loads, it is up, or it failed and is started again shortly.
   */
  state: 'idle' | 'starting' | 'running' | 'failed';
}
export interface PluginsReply {
  plugins: PluginRecord[];
}
export interface SchemaQuery {
  schema_name?: string;
  /**
   * The older spelling; the plugin's name serves too.
   */
  plugin_name?: string;
}
/**
 * One setting of a node, as a form shows it.
 */
export interface Descriptor {
  name: string;
  name_zh: string;
  description: string;
  description_zh: string;
  attribute: 'required' | 'optional';
  type: 'int' | 'string' | 'bool' | 'real' | 'map' | 'file';
  default?: number | string | boolean;
  valid: {
    min?: number;
    max?: number;
    length?: number;
    regex?: string;
    value?: number[];
    map?: {
      key: string;
      value: number | string | boolean;
    }[];
  };
  /**
   * The setting applies when this other one has this value.
   */
  condition?: {
    field: string;
    value: number | string | boolean;
  };
}
export interface ReadBody {
  node: string;
  group: string;
  /**
   * Read the device now; default false, the latest values.
   */
  sync?: boolean;
  query?: {
    /**
     * A part of the tag's name.
     */
    name?: string;
    /**
     * A part of the tag's description.
     */
    description?: string;
  };
}
export interface ReadReply {
  tags: {
    name: string;
    value?: number | boolean | string | unknown[];
    error?: number;
  }[];
}
/**
 * The reply of every failed call, and of calls that only change something: 0 is success.
 */
export interface ErrorReply {
  error: number;
}
export interface EmptyReply {}
export interface LoginBody {
  name: string;
  pass: string;
}
export interface LoginReply {
  /**
   * A bearer token.
   */
  token: string;
}
export interface PasswordBody {
  name: string;
  old_pass: string;
  new_pass: string;
}
export interface SubscribeBody {
  app: string;
  driver: string;
  group: string;
  params?: Params;
}
export interface GroupToSubscribe {
  driver: string;
  group: string;
  params?: Params;
}
export interface SubscribeManyBody {
  app: string;
  /**
   * @maxItems 65535
   */
  groups: GroupToSubscribe[];
}
export interface UpdateSubscriptionBody {
  app: string;
  driver: string;
  group: string;
  params: Params;
}
export interface UnsubscribeBody {
  app: string;
  driver: string;
  group: string;
}
export interface SubscriptionsQuery {
  app: string;
}
export interface SubscriptionsReply {
  groups: GroupToSubscribe[];
}
/**
 * A tag as a client sends it. Whether the type, the attribute, the address and the precision are good is for the gateway to say, with a code for each.
 */
export interface TagInput {
  name: string;
  address: string;
  /**
   * READ 1, WRITE 2, SUBSCRIBE 4, STATIC 8.
   */
  attribute: number;
  /**
   * A data type, or 16, 17, 18 for UINT16, UINT32, UINT64.
   */
  type: number;
  /**
   * Decimals to print of a FLOAT or DOUBLE, 0 to 17.
   */
  precision?: number;
  /**
   * A spelling of precision that is in use.
   */
  precison?: number;
  /**
   * Factor from device to shown values; 0 is none.
   */
  decimal?: number;
  /**
   * Added after the factor.
   */
  bias?: number;
  description?: string;
  /**
   * Of a static tag, and of no other.
   */
  value?: number | bigint | string | boolean | number[];
}
export interface TagsBody {
  node: string;
  group: string;
  /**
   * @maxItems 65535
   */
  tags: TagInput[];
}
export interface TagsBatchReply {
  /**
   * How many tags were added or updated: the place of the first bad one.
   */
  index: number;
  error: number;
}
export interface DeleteTagsBody {
  node: string;
  group: string;
  /**
   * @minItems 1
   * @maxItems 65535
   */
  tags: string[];
}
export interface TagsQuery {
  node: string;
  group: string;
  /**
   * A part of the tag's name.
   */
  name?: string;
}
export interface TagRecord {
  name: string;
  type: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14;
  address: string;
  attribute: number;
  precision: number;
  decimal: number;
  bias: number;
  description: string;
  /**
   * Of a static tag.
   */
  value?: unknown;
}
export interface TagsReply {
  tags: TagRecord[];
}
export interface VersionReply {
  version: string;
  /**
   * Of the source; the suffix +dirty marks changes not committed.
   */
  revision: string;
  /**
   * YYYY-MM-DD.
   */
  build_date: string;
}
export interface TagValue {
  tag: string;
  value: number | bigint | string | boolean | number[];
}
export interface WriteBody {
  node: string;
  group: string;
  tag: string;
  value: number | bigint | string | boolean | number[];
}
export interface WriteTagsBody {
  node: string;
  group: string;
  /**
   * @minItems 1
   * @maxItems 65535
   */
  tags: TagValue[];
}
