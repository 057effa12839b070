/** Generated from schemas/api/*.json by generate.ts: change those. */

/**
 * The states A to I of ISA-18.2, in this order.
 */
export type AlarmState =
  | 'normal'
  | 'unacknowledged'
  | 'acknowledged'
  | 'returned'
  | 'latched'
  | 'latched acknowledged'
  | 'shelved'
  | 'suppressed'
  | 'out of service';
export type AlarmPriority = 'low' | 'medium' | 'high';
/**
 * What a transition came of: the condition of the alarm, a command, the end of the time of a shelf, or a suppression by design that began or ended. A comment leaves the state as it is.
 */
export type AlarmCause =
  | 'condition'
  | 'acknowledge'
  | 'reset'
  | 'shelve'
  | 'unshelve'
  | 'end of shelf'
  | 'suppression'
  | 'out of service'
  | 'in service'
  | 'comment';
/**
 * In order, up to the first that failed. A step that the way to the device does not have, such as a handshake, passes; a plugin that does not distinguish its steps has connect alone.
 */
export type TrialSteps = {
  step: 'resolve' | 'connect' | 'handshake' | 'answer' | 'read' | 'login' | 'rights' | 'write';
  ok: boolean;
  /**
   * Milliseconds. Steps that cannot be distinguished are counted with one of them.
   */
  ms: number;
  /**
   * Of a step that failed.
   */
  error?: number;
  /**
   * Why it failed.
   */
  message?: string;
  sentence?: SentenceRecord;
  /**
   * What was read, without scaling and byte order.
   */
  value?: unknown;
}[];
/**
 * Megabytes of disk that the values of the last day may take at most. Absent in a body or reply: 0, which keeps no history.
 */
export type GroupHistory = number;
/**
 * What apps get of a reading. change: the tags that changed; always: all tags; default, as when it is absent: tags with SUBSCRIBE or a deadband that changed, and all others.
 */
export type GroupReport = 'default' | 'change' | 'always';
/**
 * Least milliseconds between two reports to apps. 0 is none.
 */
export type MinInterval = number;
/**
 * Milliseconds after which apps get all tags at the latest, without a change too. 0 is none.
 */
export type MaxInterval = number;
/**
 * The oldest first, all lists of a reply to the same time; null where nothing was known.
 */
export type TrendPoints = (number | null)[];
/**
 * The oldest first, all lists of a reply to the same time; null where nothing was known.
 */
export type TrendPoints1 = (number | null)[];
/**
 * The oldest first, all lists of a reply to the same time; null where nothing was known.
 */
export type TrendPoints2 = (number | null)[];
/**
 * The oldest first, all lists of a reply to the same time; null where nothing was known.
 */
export type TrendPoints3 = (number | null)[];
/**
 * The oldest first, all lists of a reply to the same time; null where nothing was known.
 */
export type TrendPoints4 = (number | null)[];
/**
 * The oldest first, all lists of a reply to the same time; null where nothing was known.
 */
export type TrendPoints5 = (number | null)[];
/**
 * The oldest first, all lists of a reply to the same time; null where nothing was known.
 */
export type TrendPoints6 = (number | null)[];
/**
 * The oldest first, all lists of a reply to the same time; null where nothing was known.
 */
export type TrendPoints7 = (number | null)[];
/**
 * The oldest first, all lists of a reply to the same time; null where nothing was known.
 */
export type TrendPoints8 = (number | null)[];
/**
 * The oldest first, all lists of a reply to the same time; null where nothing was known.
 */
export type TrendPoints9 = (number | null)[];
/**
 * The oldest first, all lists of a reply to the same time; null where nothing was known.
 */
export type TrendPoints10 = (number | null)[];
/**
 * The oldest first, all lists of a reply to the same time; null where nothing was known.
 */
export type TrendPoints11 = (number | null)[];
/**
 * References to tags that are to be read.
 *
 * @maxItems 20000
 *
 * Items: node/group/tag, as in an address.
 */
export type ReferenceTexts = string[];
/**
 * References to tags that are to be written.
 *
 * @maxItems 20000
 *
 * Items: node/group/tag, as in an address.
 */
export type ReferenceTexts1 = string[];
/**
 * @maxItems 20000
 *
 * Items: node/group/tag, as in an address.
 */
export type ReferenceTexts2 = string[];
/**
 * Of those that lead to no such tag.
 */
export type ReferenceProblems = {
  /**
   * Place in the list of the request.
   */
  index: number;
  /**
   * Why, as a part of a sentence.
   */
  message: string;
  sentence?: SentenceRecord;
}[];
/**
 * What the operator wants of a node: 0 idle, 1 init (it has no settings yet), 2 ready, 3 running, 4 stopped.
 */
export type NodeRunning = 0 | 1 | 2 | 3 | 4;
/**
 * The state of one node, both flat and as a list of one.
 */
export type StateReply = NodeStateRecord & StatesReply;
export type SchemaReply = {
  tag_regex: { type: number; regex: string; examples?: string[] }[];
  group_interval: number;
} & Record<string, unknown>;
/**
 * What one may do, each more than the one before: read; write tags, start and stop nodes; configure; manage users, tokens and the license and download logs.
 */
export type Role = 'viewer' | 'operator' | 'engineer' | 'admin';

/**
 * Every definition of schemas/api by its name.
 */
export interface ApiTypes {
  AlarmState: AlarmState;
  AlarmPriority: AlarmPriority;
  AlarmCause: AlarmCause;
  AlarmsQuery: AlarmsQuery;
  AlarmsReply: AlarmsReply;
  AlarmJournalQuery: AlarmJournalQuery;
  AlarmJournalReply: AlarmJournalReply;
  AlarmFrequencyQuery: AlarmFrequencyQuery;
  AlarmFrequencyReply: AlarmFrequencyReply;
  AlarmFrequency: AlarmFrequency;
  AlarmTransition: AlarmTransition;
  AuditQuery: AuditQuery;
  AuditReply: AuditReply;
  AuditRecord: AuditRecord;
  GivenGroup: GivenGroup;
  NodeProfile: NodeProfile;
  ProfileParameters: ProfileParameters;
  ProfileQuery: ProfileQuery;
  ProfilePluginRecord: ProfilePluginRecord;
  ProfileRecord: ProfileRecord;
  ProfilesReply: ProfilesReply;
  ProfileReply: ProfileReply;
  InstallProfileBody: InstallProfileBody;
  InstallProfileReply: InstallProfileReply;
  DeleteProfileBody: DeleteProfileBody;
  CheckProfileBody: CheckProfileBody;
  ProfileProblem: ProfileProblem;
  CheckProfileReply: CheckProfileReply;
  TestProfileBody: TestProfileBody;
  ProfileValue: ProfileValue;
  ProfileNote: ProfileNote;
  TestProfileReply: TestProfileReply;
  ProfileNodeBody: ProfileNodeBody;
  ProfileNotesReply: ProfileNotesReply;
  NodeProfileQuery: NodeProfileQuery;
  NodeProfileReply: NodeProfileReply;
  ProfilePlanBody: ProfilePlanBody;
  ProfileDecision: ProfileDecision;
  ProfileUpdateBody: ProfileUpdateBody;
  ProfileChange: ProfileChange;
  ProfilePlanReply: ProfilePlanReply;
  ProfileSearchQuery: ProfileSearchQuery;
  RegistryProfile: RegistryProfile;
  ProfileSearchReply: ProfileSearchReply;
  ProfilePackageBody: ProfilePackageBody;
  ProfilePackageReply: ProfilePackageReply;
  DirectorySearchQuery: DirectorySearchQuery;
  DirectorySearchReply: DirectorySearchReply;
  FoundPackage: FoundPackage;
  DirectoryPackageQuery: DirectoryPackageQuery;
  PackageReply: PackageReply;
  PackageVersion: PackageVersion;
  PackageConflict: PackageConflict;
  PackageCaution: PackageCaution;
  DirectoryJobBody: DirectoryJobBody;
  DirectoryJobQuery: DirectoryJobQuery;
  DirectoryJobReply: DirectoryJobReply;
  DirectoryJob: DirectoryJob;
  PackageContent: PackageContent;
  OutdatedQuery: OutdatedQuery;
  OutdatedProfile: OutdatedProfile;
  OutdatedReply: OutdatedReply;
  Outdated: Outdated;
  PluginOrigin: PluginOrigin;
  TrustRenewal: TrustRenewal;
  TrustRenewalReply: TrustRenewalReply;
  Registries: Registries;
  RegistriesReply: RegistriesReply;
  Registry: Registry;
  FleetGateways: FleetGateways;
  FleetGateway: FleetGateway;
  FleetReply: FleetReply;
  FleetMember: FleetMember;
  FleetNode: FleetNode;
  GroupHistory: GroupHistory;
  GroupReport: GroupReport;
  MinInterval: MinInterval;
  MaxInterval: MaxInterval;
  GroupPace: GroupPace;
  AddGroupBody: AddGroupBody;
  DeleteGroupBody: DeleteGroupBody;
  UpdateGroupBody: UpdateGroupBody;
  GroupsQuery: GroupsQuery;
  GroupRecord: GroupRecord;
  GroupsReply: GroupsReply;
  DriverGroupRecord: DriverGroupRecord;
  AllGroupsReply: AllGroupsReply;
  HistoryQuery: HistoryQuery;
  HistoryReply: HistoryReply;
  LiveDemand: LiveDemand;
  LiveBody: LiveBody;
  TrendsQuery: TrendsQuery;
  TrendPoints: TrendPoints;
  TrendsReply: TrendsReply;
  NodeTrend: NodeTrend;
  SearchQuery: SearchQuery;
  SearchReply: SearchReply;
  NameSeparator: NameSeparator;
  ReferencesBody: ReferencesBody;
  ReferenceTexts: ReferenceTexts2;
  ReferencesReply: ReferencesReply;
  ReferenceProblems: ReferenceProblems;
  LiveChangeBody: LiveChangeBody;
  Params: Params;
  GivenParams: GivenParams;
  AddNodeBody: AddNodeBody;
  DeleteNodeBody: DeleteNodeBody;
  RenameNodeBody: RenameNodeBody;
  CloneNodeBody: CloneNodeBody;
  NodesQuery: NodesQuery;
  NodesReply: NodesReply;
  NodeTestBody: NodeTestBody;
  TrialSteps: TrialSteps;
  NodeTestReply: NodeTestReply;
  NodeClientsQuery: NodeClientsQuery;
  NodeClientRecord: NodeClientRecord;
  NodeClientsReply: NodeClientsReply;
  NodeListenerRecord: NodeListenerRecord;
  NodeListenersReply: NodeListenersReply;
  NodeCertificatesQuery: NodeCertificatesQuery;
  NodeCertificateRecord: NodeCertificateRecord;
  NodeCertificatesReply: NodeCertificatesReply;
  NodeCertificateBody: NodeCertificateBody;
  SettingBody: SettingBody;
  SettingQuery: SettingQuery;
  SettingReply: SettingReply;
  ControlBody: ControlBody;
  StateQuery: StateQuery;
  NodeRunning: NodeRunning;
  NodeStateRecord: NodeStateRecord;
  StatesReply: StatesReply;
  FlatStateReply: FlatStateReply;
  StateReply: StateReply;
  LicenseBody: LicenseBody;
  LicenseReply: LicenseReply;
  NoLicenseReply: NoLicenseReply;
  HardwareTokenReply: HardwareTokenReply;
  LogQuery: LogQuery;
  LogReply: LogReply;
  LogFilesReply: LogFilesReply;
  LogFileQuery: LogFileQuery;
  LogLevelBody: LogLevelBody;
  FilesQuery: FilesQuery;
  FilesReply: FilesReply;
  MetricsQuery: MetricsQuery;
  LibraryBody: LibraryBody;
  LibraryReply: LibraryReply;
  RemovePluginBody: RemovePluginBody;
  PluginsQuery: PluginsQuery;
  PluginProjectQuery: PluginProjectQuery;
  PluginDebugBody: PluginDebugBody;
  PluginPermissionBody: PluginPermissionBody;
  PluginRecord: PluginRecord;
  PluginsReply: PluginsReply;
  SettingsSchemaQuery: SettingsSchemaQuery;
  SchemaQuery: SchemaQuery;
  Descriptor: Descriptor;
  SchemaReply: SchemaReply;
  ReadBody: ReadBody;
  ReadReply: ReadReply;
  PaginateBody: PaginateBody;
  PaginateReply: PaginateReply;
  TestReadBody: TestReadBody;
  TestReadReply: TestReadReply;
  ScanBody: ScanBody;
  ScanReply: ScanReply;
  ErrorReply: ErrorReply;
  SentenceRecord: SentenceRecord;
  StaleReply: StaleReply;
  EmptyReply: EmptyReply;
  LoginBody: LoginBody;
  LoginReply: LoginReply;
  PasswordBody: PasswordBody;
  SignInSettings: SignInSettings;
  RoleOfValue: RoleOfValue;
  LdapSettings: LdapSettings;
  OidcSettings: OidcSettings;
  SignInReply: SignInReply;
  BeginSignInBody: BeginSignInBody;
  BeginSignInReply: BeginSignInReply;
  FinishSignInBody: FinishSignInBody;
  FinishSignInReply: FinishSignInReply;
  TestSignInBody: TestSignInBody;
  TestSignInReply: TestSignInReply;
  SnapshotRecord: SnapshotRecord;
  SnapshotsReply: SnapshotsReply;
  MakeSnapshotBody: MakeSnapshotBody;
  RestoreSnapshotBody: RestoreSnapshotBody;
  PlanSnapshotReply: PlanSnapshotReply;
  RestoreSnapshotReply: RestoreSnapshotReply;
  SubscribeBody: SubscribeBody;
  GroupToSubscribe: GroupToSubscribe;
  SubscribeManyBody: SubscribeManyBody;
  UpdateSubscriptionBody: UpdateSubscriptionBody;
  UnsubscribeBody: UnsubscribeBody;
  PreviewReply: PreviewReply;
  SubscriptionsQuery: SubscriptionsQuery;
  SubscriptionsReply: SubscriptionsReply;
  SubscribableQuery: SubscribableQuery;
  SubscribableReply: SubscribableReply;
  TagInput: TagInput;
  TagsBody: TagsBody;
  PlanTagsBody: PlanTagsBody;
  TagRow: TagRow;
  PlanTagsReply: PlanTagsReply;
  TagProblem: TagProblem;
  TagsBatchReply: TagsBatchReply;
  DeleteTagsBody: DeleteTagsBody;
  TagsQuery: TagsQuery;
  TagRecord: TagRecord;
  TagsReply: TagsReply;
  GroupsWithTagsBody: GroupsWithTagsBody;
  GroupWithTags: GroupWithTags;
  RenameTagBody: RenameTagBody;
  TemplateGroupInput: TemplateGroupInput;
  AddTemplateBody: AddTemplateBody;
  TemplateQuery: TemplateQuery;
  TemplatesReply: TemplatesReply;
  TemplateReply: TemplateReply;
  TemplateInstance: TemplateInstance;
  TemplateInstancesBody: TemplateInstancesBody;
  AddTemplateGroupBody: AddTemplateGroupBody;
  DeleteTemplateGroupBody: DeleteTemplateGroupBody;
  UpdateTemplateGroupBody: UpdateTemplateGroupBody;
  TemplateGroupsQuery: TemplateGroupsQuery;
  TemplateTagsBody: TemplateTagsBody;
  DeleteTemplateTagsBody: DeleteTemplateTagsBody;
  TemplateTagsQuery: TemplateTagsQuery;
  AddTokenBody: AddTokenBody;
  AddTokenReply: AddTokenReply;
  TokensReply: TokensReply;
  TokenRecord: TokenRecord;
  DeleteTokenBody: DeleteTokenBody;
  BeginTraceBody: BeginTraceBody;
  EndTraceBody: EndTraceBody;
  TraceQuery: TraceQuery;
  TraceFileQuery: TraceFileQuery;
  TraceReply: TraceReply;
  TraceFrame: TraceFrame;
  TraceSubscription: TraceSubscription;
  ConfigBody: ConfigBody;
  ConfigSubscription: ConfigSubscription;
  ConfigReply: ConfigReply;
  PlanConfigReply: PlanConfigReply;
  ConfigDifference: ConfigDifference;
  ChangeCounts: ChangeCounts;
  DriversQuery: DriversQuery;
  ConfigQuery: ConfigQuery;
  DriversBody: DriversBody;
  DriversReply: DriversReply;
  UsersReply: UsersReply;
  Role: Role;
  AddUserBody: AddUserBody;
  UpdateUserBody: UpdateUserBody;
  DeleteUserBody: DeleteUserBody;
  VersionReply: VersionReply;
  StatusReply: StatusReply;
  SourceStatus: SourceStatus;
  PairStatus: PairStatus;
  PairSwitchBody: PairSwitchBody;
  PairSwitchReply: PairSwitchReply;
  TagValue: TagValue;
  WriteBody: WriteBody;
  WriteTagsBody: WriteTagsBody;
  WriteGroupsBody: WriteGroupsBody;
}
export interface AlarmsQuery {
  /**
   * Alarms of this node alone; absent or empty: all.
   */
  node?: string;
  /**
   * Alarms of this priority alone; absent or empty: all.
   */
  priority?: '' | 'low' | 'medium' | 'high';
  /**
   * Alarms in this state alone; absent or empty: all.
   */
  state?:
    | ''
    | 'unacknowledged'
    | 'acknowledged'
    | 'returned'
    | 'latched'
    | 'latched acknowledged'
    | 'shelved'
    | 'suppressed'
    | 'out of service';
  /**
   * From 0 on. Default 0.
   */
  page?: string;
  /**
   * 1 to 1000 alarms. Default 100.
   */
  page_size?: string;
}
export interface AlarmsReply {
  /**
   * Of each alarm that is not normal its latest transition: those that want an acknowledgement first, then by priority, the newest first.
   */
  alarms: AlarmTransition[];
  page_count: number;
  /**
   * How many alarms of the gateway are in each state, by its name; states without an alarm are left out, and so is normal.
   */
  counts: {
    [k: string]: number;
  };
  /**
   * How many times an alarm became unacknowledged within the last hour, in steps of ten seconds.
   */
  last_hour: number;
  /**
   * The same of the last ten minutes.
   */
  last_ten_minutes: number;
  /**
   * More than 10 within ten minutes began a flood, which ends below 5.
   */
  flood: boolean;
}
export interface AlarmTransition {
  /**
   * Counts the transitions of the node from 1 on, without a gap.
   */
  sequence: number;
  /**
   * Only of the oldest of a node that is left: how many were deleted before it, because the journal has a bound.
   */
  gone?: number;
  /**
   * When it was by the samples, in milliseconds since the epoch.
   */
  time: number;
  /**
   * When it was recorded by the clock of the gateway, in milliseconds since the epoch.
   */
  recorded: number;
  node: string;
  group: string;
  /**
   * The tag that defines the alarm.
   */
  tag: string;
  from: AlarmState;
  to: AlarmState;
  cause: AlarmCause;
  /**
   * What the condition was about, at that time; absent when it was not known.
   */
  value?: number | boolean | string;
  /**
   * Absent when the condition has none.
   */
  limit?: number;
  priority: AlarmPriority;
  /**
   * What has happened; empty when the alarm has no text.
   */
  text: string;
  /**
   * Who gave the command: a user, or an app.
   */
  user?: string;
  /**
   * Which of the two.
   */
  kind?: 'user' | 'app';
  /**
   * What was written with the command.
   */
  comment?: string;
  /**
   * Of a shelved alarm: when its shelf ends at the latest, in milliseconds since the epoch.
   */
  until?: number;
  /**
   * Whether the shelf ends when the condition returns to normal.
   */
  once?: boolean;
}
export interface AlarmJournalQuery {
  /**
   * Seconds since the epoch; absent or empty: from the beginning.
   */
  since?: string;
  /**
   * Seconds since the epoch; transitions of this second are not meant. Absent or empty: to the end.
   */
  until?: string;
  /**
   * Transitions of this node alone; absent or empty: all.
   */
  node?: string;
  /**
   * Of this group alone; absent or empty: all.
   */
  group?: string;
  /**
   * Of this tag alone; absent or empty: all.
   */
  tag?: string;
  /**
   * Of alarms of this priority alone; absent or empty: all.
   */
  priority?: '' | 'low' | 'medium' | 'high';
  /**
   * Transitions into this state alone; absent or empty: all.
   */
  state?: string;
  /**
   * From 0 on. Default 0.
   */
  page?: string;
  /**
   * 1 to 1000 transitions. Default 100.
   */
  page_size?: string;
}
export interface AlarmJournalReply {
  /**
   * Newest first: by when they were recorded, those of one node in their order.
   */
  transitions: AlarmTransition[];
  page_count: number;
}
export interface AlarmFrequencyQuery {
  /**
   * Seconds since the epoch; absent or empty: from the beginning.
   */
  since?: string;
  /**
   * Seconds since the epoch; alarms of this second are not meant. Absent or empty: to the end.
   */
  until?: string;
  /**
   * Alarms of this node alone; absent or empty: all.
   */
  node?: string;
  /**
   * Alarms that had this priority alone; absent or empty: all.
   */
  priority?: '' | 'low' | 'medium' | 'high';
  /**
   * How many alarms at most, 1 to 1000. Default 10.
   */
  count?: string;
}
export interface AlarmFrequencyReply {
  /**
   * Those that were there most often first.
   */
  alarms: AlarmFrequency[];
  /**
   * How many times any alarm was there, those that are not listed included.
   */
  total: number;
}
export interface AlarmFrequency {
  node: string;
  /**
   * As it was called last.
   */
  group: string;
  /**
   * As it was called last.
   */
  tag: string;
  priority: AlarmPriority;
  /**
   * How many times the alarm was announced: it became unacknowledged, or active where nobody has to acknowledge it.
   */
  count: number;
  /**
   * When it was last, by the clock of the gateway, in milliseconds since the epoch.
   */
  last: number;
}
export interface AuditQuery {
  /**
   * Seconds since the epoch; absent or empty: from the beginning.
   */
  since?: string;
  /**
   * Seconds since the epoch; entries of this second are not meant. Absent or empty: to the end.
   */
  until?: string;
  /**
   * Entries of this user, token, issuer or app alone; absent or empty: all.
   */
  user?: string;
  /**
   * Entries about this node alone; absent or empty: all.
   */
  node?: string;
  /**
   * A part of the entry; absent or empty: all.
   */
  text?: string;
  /**
   * From 0 on. Default 0.
   */
  page?: string;
  /**
   * 1 to 1000 entries. Default 100.
   */
  page_size?: string;
}
export interface AuditReply {
  /**
   * Newest first.
   */
  entries: AuditRecord[];
  page_count: number;
}
export interface AuditRecord {
  /**
   * Milliseconds since the epoch.
   */
  time: number;
  /**
   * Who; empty when nobody knows.
   */
  user: string;
  /**
   * A user, the token of a machine, an issuer whose token names no user, an app that passed a write on, somebody with access to the data folder, or nobody who is known.
   */
  kind: 'user' | 'token' | 'issuer' | 'app' | 'folder' | 'nobody';
  /**
   * Who vouched for the user, where the gateway did not.
   */
  issuer?: string;
  /**
   * The address that the request came from.
   */
  from?: string;
  endpoint?: string;
  node?: string;
  /**
   * What was done or tried.
   */
  text: string;
  /**
   * What changed, without secrets, as it was.
   */
  before?: {};
  /**
   * What changed, without secrets, as it is.
   */
  after?: {};
  /**
   * The code that was answered; 0 is success.
   */
  error: number;
  /**
   * The status that was answered.
   */
  status?: number;
}
/**
 * A group as a profile gave it.
 */
export interface GivenGroup {
  name: string;
  /**
   * Milliseconds.
   */
  interval: number;
  /**
   * @maxItems 2000
   */
  tags: TagInput[];
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
   * INT8 1, UINT8 2, INT16 3, UINT16 4, INT32 5, UINT32 6, INT64 7, UINT64 8, FLOAT 9, DOUBLE 10, BIT 11, BOOL 12, STRING 13, BYTES 14; also 16, 17, 18 for UINT16, UINT32, UINT64.
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
   * Factor from device to shown values; 0 and null are none.
   */
  decimal?: number | null;
  /**
   * Added after the factor.
   */
  bias?: number;
  description?: string;
  /**
   * How far the shown value has to move from the one that apps got last until they get it again: a number, or a percentage of the span such as "2%". 0 is none.
   */
  deadband?: number | string;
  /**
   * Unit of the shown value, best as a UCUM code.
   */
  unit?: string;
  /**
   * Lower end of the span of the shown value; with high.
   */
  low?: number;
  /**
   * Upper end of the span of the shown value; with low.
   */
  high?: number;
  /**
   * Of a static tag, and of no other.
   */
  value?: number | bigint | string | boolean | number[];
}
/**
 * Of a node that was made of a device profile: which one, and what it was given, so that an update knows what people have changed.
 */
export interface NodeProfile {
  id: string;
  version: string;
  /**
   * Of a registry, if it came from one.
   */
  package?: string;
  parameters: ProfileParameters;
  settings: Params;
  /**
   * @maxItems 128
   */
  groups: GivenGroup[];
}
/**
 * Whole numbers by the names of the profile's parameters, such as the unit of a device.
 */
export interface ProfileParameters {
  [k: string]: number;
}
/**
 * Settings of a node or of a subscription; the plugin gives them their meaning.
 */
export interface Params {
  [k: string]: unknown;
}
export interface ProfileQuery {
  /**
   * The id of a profile; absent: all of them.
   */
  profile?: string;
}
export interface ProfilePluginRecord {
  id: string;
  /**
   * Of a plugin that is installed.
   */
  name?: string;
  installed: boolean;
}
export interface ProfileRecord {
  id: string;
  version: string;
  name: string;
  maker?: string;
  description: string;
  description_zh?: string;
  devices: string[];
  firmware?: string;
  document: {
    title: string;
    url?: string;
  };
  /**
   * With which device somebody has tried it. Absent: it was not tried with a device.
   */
  tried?: string;
  plugins: ProfilePluginRecord[];
  /**
   * Of its groups.
   */
  tags: number;
  /**
   * The device says itself what it has.
   */
  discovers: boolean;
  /**
   * It comes with the gateway.
   */
  system: boolean;
  /**
   * Of a registry, if it came from one.
   */
  package?: string;
  registry?: string;
}
export interface ProfilesReply {
  profiles: ProfileRecord[];
}
export interface ProfileReply {
  profile: ProfileRecord;
  notes: string[];
  parameters: {
    name: string;
    title: string;
    title_zh?: string;
    minimum: number;
    maximum: number;
    default?: number;
  }[];
  /**
   * The plugins that are installed, in the order of the profile, with the settings that it asks for and those that are left to ask.
   */
  choices: {
    /**
     * The plugin's name.
     */
    plugin: string;
    id: string;
    params: Params;
    ask: string[];
  }[];
  groups: {
    name: string;
    interval: number;
    tags: TagRecord[];
  }[];
  /**
   * Of a device that says itself what it has: the models that the profile knows.
   */
  models?: {
    id: number;
    name: string;
    points: number;
  }[];
  readme?: string;
  license?: string;
  /**
   * A data URL.
   */
  picture?: string;
  /**
   * Nodes that were made of it.
   */
  nodes: string[];
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
   * Absent: none.
   */
  deadband?: number | string;
  /**
   * Absent: none.
   */
  unit?: string;
  /**
   * Absent: none.
   */
  low?: number;
  /**
   * Absent: none.
   */
  high?: number;
  /**
   * Of a static tag.
   */
  value?: unknown;
}
export interface InstallProfileBody {
  /**
   * Base64 of the archive of a profile, or of a profile.json alone.
   */
  file: string;
  /**
   * Base64 of an Ed25519 signature over the file.
   */
  signature?: string;
}
export interface InstallProfileReply {
  error: 0;
  /**
   * Its id.
   */
  profile: string;
  version: string;
}
export interface DeleteProfileBody {
  profile: string;
}
export interface CheckProfileBody {
  /**
   * A profile.json.
   */
  profile: {
    [k: string]: unknown;
  };
}
export interface ProfileProblem {
  error: number;
  message: string;
  sentence?: SentenceRecord;
}
/**
 * What the sentence of a message is made of, so that a client can say it in another language. It is there only for a request whose header Accept-Language begins with another language than English, and where the sentence is the gateway's own.
 */
export interface SentenceRecord {
  /**
   * The English text with places for the values, {0} for the first. It is the same for all values.
   */
  text: string;
  /**
   * Names and numbers, or parts that are sentences themselves.
   */
  values: (string | number | SentenceRecord)[];
}
export interface CheckProfileReply {
  error: 0;
  problems: ProfileProblem[];
  plugins: {
    id: string;
    plugin: string;
    groups: {
      name: string;
      tags: number;
      /**
       * Of one reading of the group; absent where the plugin cannot say.
       */
      requests?: number;
    }[];
  }[];
}
export interface TestProfileBody {
  profile: string;
  /**
   * The name of one of its plugins; absent: the first that is installed.
   */
  plugin?: string;
  params: Params;
  parameters?: ProfileParameters;
}
export interface ProfileValue {
  group: string;
  tag: string;
  address: string;
  unit?: string;
  /**
   * As the node will show it.
   */
  value?: unknown;
  error?: number;
  message?: string;
  sentence?: SentenceRecord;
}
export interface ProfileNote {
  message: string;
  sentence?: SentenceRecord;
}
export interface TestProfileReply {
  steps: TrialSteps;
  /**
   * What the node will have.
   */
  groups: {
    name: string;
    interval: number;
    tags: number;
  }[];
  /**
   * Of the first tags.
   */
  values: ProfileValue[];
  /**
   * What was passed over of what the device has.
   */
  notes: ProfileNote[];
}
export interface ProfileNodeBody {
  profile: string;
  /**
   * The name of the new node.
   */
  node: string;
  /**
   * The name of one of its plugins; absent: the first that is installed.
   */
  plugin?: string;
  params: Params;
  parameters?: ProfileParameters;
}
export interface ProfileNotesReply {
  error: 0;
  /**
   * What was passed over of what the device has.
   */
  notes: ProfileNote[];
}
export interface NodeProfileQuery {
  node: string;
}
export interface NodeProfileReply {
  node: string;
  profile?: NodeProfile;
  /**
   * The version of the profile that is installed; absent where it is not.
   */
  newest?: string;
}
export interface ProfilePlanBody {
  node: string;
}
export interface ProfileDecision {
  group?: string;
  tag?: string;
  setting?: string;
  /**
   * Which side counts.
   */
  take: 'profile' | 'node';
}
export interface ProfileUpdateBody {
  node: string;
  /**
   * One for each change of the kinds remove and conflict.
   *
   * @maxItems 4000
   */
  decisions?: ProfileDecision[];
}
export interface ProfileChange {
  /**
   * add: the profile brings it. change: the profile alone has changed it. kept: people alone have changed or deleted it, so that it stays. remove: the profile has it no more, and it goes only if that is decided. conflict: both have changed it, and somebody decides.
   */
  kind: 'add' | 'change' | 'kept' | 'remove' | 'conflict';
  group?: string;
  tag?: string;
  setting?: string;
  fields?: {
    field: string;
    /**
     * As the profile gave it; absent where it did not.
     */
    before?: unknown;
    /**
     * As the node has it.
     */
    now?: unknown;
    /**
     * As the profile gives it now.
     */
    next?: unknown;
  }[];
  /**
   * The same as a sentence.
   */
  message: string;
  sentence?: SentenceRecord;
}
export interface ProfilePlanReply {
  error: 0;
  /**
   * The version that the node has.
   */
  from: string;
  /**
   * The version that is installed.
   */
  to: string;
  changes: ProfileChange[];
  /**
   * What was passed over of what the device has.
   */
  notes: ProfileNote[];
  /**
   * Of the configuration before the update, which takes all of it back.
   */
  snapshot?: string;
}
export interface ProfileSearchQuery {
  /**
   * Words; absent: all profiles.
   */
  text?: string;
}
/**
 * A device profile in a registry, as that says it.
 */
export interface RegistryProfile {
  package: string;
  registry: string;
  version: string;
  /**
   * The id of the profile.
   */
  profile: string;
  description: string;
  publisher?: string;
  /**
   * Ids of the plugins that it is for, if none of them is installed.
   */
  missing: string[];
}
export interface ProfileSearchReply {
  packages: RegistryProfile[];
}
export interface ProfilePackageBody {
  package: string;
  /**
   * Absent: the newest release.
   */
  version?: string;
  /**
   * Id of the profile from elsewhere whose place it may take.
   */
  replaces?: string;
  /**
   * What has changed since the installed version and is as it should be.
   */
  accepts?: 'publisher'[];
}
export interface ProfilePackageReply {
  error: 0;
  profile: string;
  version: string;
  /**
   * Ids of the plugins that it is for, if none of them is installed: each is installed by itself, with a confirmation of its own.
   */
  missing: string[];
}
export interface DirectorySearchQuery {
  /**
   * Words; absent or empty: all plugins.
   */
  text?: string;
  /**
   * From 0 on. Default 0.
   */
  page?: string;
  /**
   * 1 to 50 packages. Default 20.
   */
  page_size?: string;
  /**
   * Versions before a release count, too.
   */
  prerelease?: 'true' | 'false';
}
export interface DirectorySearchReply {
  packages: FoundPackage[];
  /**
   * Packages that were found on all pages.
   */
  total: number;
  page_count: number;
  /**
   * Sentences about registries that do not search or did not answer, and about results that were cut.
   */
  notices: {
    message: string;
    sentence?: SentenceRecord;
  }[];
}
/**
 * Texts are what the registry says, without control characters, and cut.
 */
export interface FoundPackage {
  /**
   * Its name in the registry, such as @acme/tagway-meter.
   */
  package: string;
  /**
   * Address of the registry.
   */
  registry: string;
  /**
   * The newest one that fits, or where none fits the newest one.
   */
  version: string;
  /**
   * Id of the plugin, as the author says.
   */
  plugin?: string;
  /**
   * Name of the plugin, as the author says.
   */
  name?: string;
  kind?: 'driver' | 'app';
  description: string;
  author?: string;
  /**
   * Who put this version into the registry.
   */
  publisher?: string;
  /**
   * When this version was published, in milliseconds since the epoch.
   */
  time?: number;
  /**
   * It carries native modules, as the author says.
   */
  native?: boolean;
  fits: boolean;
  /**
   * Why no version fits this gateway.
   */
  reason?: string;
  /**
   * A signature by a known key of the registry was verified.
   */
  signed: boolean;
  /**
   * An attestation of where and from which sources it was built was verified.
   */
  attested: boolean;
  /**
   * The repository of these sources, as the attestation has it.
   */
  attested_repository?: string;
  /**
   * The version that is installed from this package, if one is.
   */
  installed?: string;
  /**
   * Of what is installed or was found, another one whose name this one's can be taken for.
   */
  looks_like?: string;
  sentence?: SentenceRecord;
}
export interface DirectoryPackageQuery {
  package: string;
  /**
   * Default: the newest one that fits.
   */
  version?: string;
  /**
   * Versions before a release count, too.
   */
  prerelease?: 'true' | 'false';
}
export interface PackageReply {
  package: FoundPackage;
  /**
   * An address of http or https.
   */
  homepage?: string;
  /**
   * An address of http or https, as the author says.
   */
  repository?: string;
  license?: string;
  /**
   * What the plugin uses, as the author says: network, serial, native. Nothing holds it to that.
   */
  uses?: string[];
  /**
   * The newest first, a hundred at most.
   */
  versions: PackageVersion[];
  conflict?: PackageConflict;
  cautions: PackageCaution[];
}
export interface PackageVersion {
  version: string;
  /**
   * Milliseconds since the epoch.
   */
  time?: number;
  publisher?: string;
  /**
   * Range of SDK versions, as the author says.
   */
  sdk?: string;
  fits: boolean;
  /**
   * Why it does not fit this gateway.
   */
  reason?: string;
  /**
   * What the author says against it.
   */
  deprecated?: string;
  prerelease: boolean;
  /**
   * The registry says so. What is shown in `package` was verified.
   */
  signed: boolean;
  /**
   * As `signed`.
   */
  attested: boolean;
  /**
   * Bytes when unpacked, as the registry says.
   */
  size?: number;
  sentence?: SentenceRecord;
}
/**
 * A plugin of the same id that is installed from elsewhere.
 */
export interface PackageConflict {
  /**
   * Id of the installed plugin; sent as `replaces`, it lets the package take its place.
   */
  plugin: string;
  /**
   * Where the installed one came from.
   */
  message: string;
  sentence?: SentenceRecord;
}
export interface PackageCaution {
  /**
   * Of an update: another publisher than that of the installed version, other sources, or no attestation where that has one. Of a new plugin: a name that can be taken for an installed one.
   */
  kind: 'publisher' | 'repository' | 'attestation' | 'name';
  message: string;
  sentence?: SentenceRecord;
}
export interface DirectoryJobBody {
  /**
   * look: fetches and checks the archive and shows what is in it. install: does that and installs it. update: installs the newest version that fits from where the installed one came.
   */
  action: 'look' | 'install' | 'update';
  /**
   * Of look and install.
   */
  package?: string;
  /**
   * Of update: name or id of the installed plugin.
   */
  plugin?: string;
  /**
   * Default: the newest one that fits.
   */
  version?: string;
  /**
   * Versions before a release count, too.
   */
  prerelease?: boolean;
  /**
   * Id of the installed plugin from elsewhere whose place the package may take, with its nodes and their secrets.
   */
  replaces?: string;
  /**
   * The cautions that were read and are no reason against it.
   */
  accepts?: ('publisher' | 'repository' | 'attestation' | 'name')[];
}
export interface DirectoryJobQuery {
  job: string;
}
export interface DirectoryJobReply {
  /**
   * What to ask for its progress with.
   */
  job: string;
}
/**
 * `conflict`: of one that failed with 9026. `cautions`: of one that failed with 9027. `content`: of a look that is done.
 */
export interface DirectoryJob {
  job: string;
  action: 'look' | 'install' | 'update';
  package: string;
  /**
   * Absent until it is known.
   */
  version?: string;
  /**
   * The last three are for good. What installs is cancelled no more.
   */
  state: 'waiting' | 'asking' | 'fetching' | 'checking' | 'installing' | 'done' | 'failed' | 'cancelled';
  /**
   * Bytes of the archive.
   */
  received: number;
  /**
   * Bytes of the archive; absent where the registry does not say.
   */
  size?: number;
  /**
   * Of one that failed: the code of what went wrong.
   */
  code?: number;
  /**
   * Of one that failed: what happened and what to do. Of one that is done: what it did.
   */
  message?: string;
  sentence?: SentenceRecord;
  conflict?: PackageConflict;
  /**
   * Of one that failed with 9027.
   */
  cautions?: PackageCaution[];
  content?: PackageContent;
}
/**
 * What is in the archive, which was checked; none of its code ran.
 */
export interface PackageContent {
  version: string;
  /**
   * Of the archive, in base64.
   */
  sha512: string;
  /**
   * Bytes of the archive.
   */
  size: number;
  /**
   * Id.
   */
  plugin: string;
  name: string;
  kind: 'driver' | 'app';
  description: string;
  description_zh: string;
  sdk: string;
  /**
   * Markdown without control characters. Show it with HTML off and links of http and https only.
   */
  readme?: string;
  /**
   * Its CHANGELOG.md, as the readme.
   */
  changes?: string;
  /**
   * The JSON Schema of the settings, as `GET /schema/settings` gives it.
   */
  settings: {};
  /**
   * A signature by a known key of the registry was verified.
   */
  signed: boolean;
  /**
   * The repository of the sources that it was built from, of an attestation that was verified; absent where there is none.
   */
  attested_repository?: string;
  /**
   * A signature in the package was verified with a key in trusted/.
   */
  signed_by_author: boolean;
}
export interface OutdatedQuery {
  /**
   * true: the registries are asked now. Otherwise the reply is what the last look found, and nothing is asked.
   */
  look?: 'true' | 'false';
  prerelease?: 'true' | 'false';
}
export interface OutdatedProfile {
  /**
   * Id.
   */
  profile: string;
  name: string;
  package: string;
  registry: string;
  installed: string;
  /**
   * The newest version, which is newer than the installed one.
   */
  newest?: string;
  /**
   * Why nothing is known.
   */
  message?: string;
  sentence?: SentenceRecord;
}
export interface OutdatedReply {
  /**
   * When it was looked, in milliseconds since the epoch; absent: never since the start.
   */
  time?: number;
  /**
   * Plugins from registries that have a newer version, or of which that could not be found out.
   */
  plugins: Outdated[];
  /**
   * Device profiles from registries that have a newer version, or of which that could not be found out.
   */
  profiles: OutdatedProfile[];
}
export interface Outdated {
  /**
   * Id.
   */
  plugin: string;
  name: string;
  package: string;
  registry: string;
  installed: string;
  /**
   * The newest version that fits, if it is newer.
   */
  fitting?: string;
  /**
   * The newest version.
   */
  newest?: string;
  /**
   * Why the newest does not fit, or why nothing is known.
   */
  message?: string;
  cautions: PackageCaution[];
  sentence?: SentenceRecord;
}
/**
 * Where an installed plugin came from.
 */
export interface PluginOrigin {
  registry: string;
  package: string;
  version: string;
  /**
   * Of the archive, in base64.
   */
  sha512: string;
  publisher?: string;
  /**
   * Of the sources: of the attestation, or as the author said.
   */
  repository?: string;
  /**
   * The repository is that of an attestation, which was verified.
   */
  attested?: boolean;
}
/**
 * Renewal of the keys of registries and of the trust root of attestations from a repository of The Update Framework. What is renewed takes the place of what comes with the gateway, where a registry has no keys and no trust root of its own.
 */
export interface TrustRenewal {
  /**
   * Once a day. At first it is off: nothing is sent.
   */
  enabled: boolean;
  /**
   * Address of the repository, or of a mirror of it. Default: the one that npm's library asks, which is that of sigstore.
   */
  url?: string;
  /**
   * The text of the root.json that vouches for the repository. Default: that of sigstore, which comes with the gateway. What was renewed by another root does not hold.
   */
  root?: string;
}
export interface TrustRenewalReply {
  /**
   * Once a day. At first it is off: nothing is sent.
   */
  enabled: boolean;
  /**
   * Address of the repository, or of a mirror of it. Default: the one that npm's library asks, which is that of sigstore.
   */
  url?: string;
  /**
   * The text of the root.json that vouches for the repository. Default: that of sigstore, which comes with the gateway. What was renewed by another root does not hold.
   */
  root?: string;
  /**
   * When it was renewed last, in milliseconds since the epoch. Absent: never.
   */
  time?: number;
  /**
   * Why the last renewal failed. What was there before holds.
   */
  message?: string;
  sentence?: SentenceRecord;
}
export interface Registries {
  /**
   * A name is asked of the registry of its scope, or of the one without a scope, and of no other one.
   *
   * @maxItems 50
   */
  registries: Registry[];
  /**
   * Hours between two looks for newer versions of what came from registries. 0: none, and nothing is asked of a registry by itself. Absent: as it is; at first 0.
   */
  look_every?: number;
  trust_renewal?: TrustRenewal1;
}
export interface Registry {
  /**
   * Such as @acme; absent or empty: names of all other scopes and without one.
   */
  scope?: string;
  /**
   * Of http or https. file:///path: the folder of a mirror on the machine of the gateway. One that ends in /tagway-mirror.json: the index of a mirror at a web server.
   */
  url: string;
  /**
   * Words that are searched for are sent to it. Default: true without a scope, false with one.
   */
  search?: boolean;
  /**
   * Secret.
   */
  token?: string;
  user?: string;
  /**
   * Secret.
   */
  password?: string;
  /**
   * Certificate of the client, PEM.
   */
  cert?: string;
  /**
   * Its key, PEM. Secret.
   */
  key?: string;
  /**
   * Certificates of the authorities that sign those of the registry, PEM. Default: those of the system.
   */
  ca?: string;
  /**
   * Address of the proxy that leads to it, with its user and password where it asks for them. Secret.
   */
  proxy?: string;
  /**
   * Other origins, such as https://files.example:8443, from which archives may come and to which redirects may lead, also where these are addresses of private networks. Credentials are not sent there.
   *
   * @maxItems 20
   */
  origins?: string[];
  /**
   * Packages without a signature by a known key of the registry are refused.
   */
  require_signature?: boolean;
  /**
   * Packages without an attestation of the sources that they were built from are refused.
   */
  require_attestation?: boolean;
  /**
   * The authorities and logs of attestations, as JSON: the text of a trusted_root.json of sigstore. Default: the one that npm's registry uses, which comes with the gateway.
   */
  trust_root?: string;
  /**
   * Public keys with which the registry signs packages, PEM, ECDSA. Default: those of npm's registry, which come with the gateway.
   *
   * @maxItems 20
   */
  keys?: string[];
}
/**
 * Renewal of the keys of registries and of the trust root of attestations from a repository of The Update Framework. What is renewed takes the place of what comes with the gateway, where a registry has no keys and no trust root of its own.
 */
export interface TrustRenewal1 {
  /**
   * Once a day. At first it is off: nothing is sent.
   */
  enabled: boolean;
  /**
   * Address of the repository, or of a mirror of it. Default: the one that npm's library asks, which is that of sigstore.
   */
  url?: string;
  /**
   * The text of the root.json that vouches for the repository. Default: that of sigstore, which comes with the gateway. What was renewed by another root does not hold.
   */
  root?: string;
}
export interface RegistriesReply {
  registries: Registry[];
  /**
   * Those of the file npmrc in the data folder, or the default one, where the list has none of the same scope.
   */
  file: Registry[];
  /**
   * Hours between two looks for newer versions; 0: none.
   */
  look_every: number;
  trust_renewal: TrustRenewalReply;
}
export interface FleetGateways {
  /**
   * The gateways that are asked, and no others.
   *
   * @maxItems 500
   */
  gateways: FleetGateway[];
}
export interface FleetGateway {
  /**
   * What it is called here. No other gateway of the list has this name.
   */
  name: string;
  /**
   * Where its page is, such as https://gateway.example:7000 or https://proxy.example/north/.
   */
  url: string;
  /**
   * The token of a machine with the role viewer, made at that gateway. It is sent to this address alone.
   */
  token: string;
  /**
   * Certificates of the authorities that sign the certificate of the gateway, or that certificate itself, in PEM. Absent or empty: the authorities of the system.
   */
  ca?: string;
}
export interface FleetReply {
  /**
   * Those that do not answer first, then by the health of their nodes, the worst first, then by name.
   */
  gateways: FleetMember[];
}
/**
 * What a gateway of the list said of itself, not longer than a few seconds ago.
 */
export interface FleetMember {
  name: string;
  url: string;
  /**
   * unreachable: it does not answer, or not as it should. down and degraded: that of its worst node. stopped: no node runs. standby: it is the standby of a pair, whose nodes run at the active gateway. waiting: it was asked for the first time and has not answered yet.
   */
  health: 'unreachable' | 'down' | 'degraded' | 'good' | 'stopped' | 'standby' | 'waiting';
  /**
   * Of one that is unreachable: a code of the error table.
   */
  error?: number;
  /**
   * Why it is unreachable.
   */
  message?: string;
  sentence?: SentenceRecord;
  /**
   * Since when it answers, or does not, as far as this gateway knows: milliseconds since the epoch. Absent while it is waited for.
   */
  since?: number;
  version?: string;
  /**
   * How many of its nodes are in which health. Absent where it is unreachable, or a standby.
   */
  nodes?: {
    down: number;
    degraded: number;
    good: number;
    stopped: number;
  };
  /**
   * At most five of its nodes that are down or degraded, the worst first.
   */
  worst: FleetNode[];
  /**
   * How many of its alarms want an acknowledgement. Absent where it knows no alarms.
   */
  alarms?: number;
  /**
   * The pair that it belongs to, and its role there.
   */
  pair?: {
    id: string;
    role: 'active' | 'standby';
  };
  /**
   * Which configuration it has, where it is pulled from a source.
   */
  source?: {
    /**
     * What is applied; empty before the first one.
     */
    commit: string;
    /**
     * The first line of the commit.
     */
    subject?: string;
    /**
     * In milliseconds since the epoch.
     */
    applied_at?: number;
    /**
     * In how many things it is not as the source says.
     */
    drift: number;
    /**
     * Why what is in the source now is not applied.
     */
    problem?: string;
  };
}
export interface FleetNode {
  node: string;
  health: 'down' | 'degraded';
  /**
   * Why its tags failed last, as its gateway says it.
   */
  message?: string;
  /**
   * The code that belongs to the message.
   */
  error?: number;
  /**
   * Since when, in milliseconds since the epoch.
   */
  since?: number;
  /**
   * How many of its tags are in error.
   */
  tags_in_error: number;
  /**
   * How many of its groups cannot keep their interval.
   */
  slow_groups: number;
}
/**
 * When apps get reports of a group.
 */
export interface GroupPace {
  report?: GroupReport;
  min_interval?: MinInterval;
  max_interval?: MaxInterval;
}
export interface AddGroupBody {
  node: string;
  name?: string;
  /**
   * The older spelling of name.
   */
  group?: string;
  /**
   * Milliseconds, 100 at least.
   */
  interval: number;
  history?: GroupHistory;
  report?: GroupReport;
  min_interval?: MinInterval;
  max_interval?: MaxInterval;
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
  /**
   * Megabytes of disk that the values of the last day may take at most; 0 removes what is kept. Absent: as it is.
   */
  history?: number;
  report?: GroupReport;
  min_interval?: MinInterval;
  max_interval?: MaxInterval;
}
export interface GroupsQuery {
  /**
   * Absent or empty: the groups of all drivers.
   */
  node?: string;
  /**
   * A part of the group's name.
   */
  group?: string;
}
export interface GroupRecord {
  name: string;
  /**
   * Milliseconds.
   */
  interval: number;
  history?: GroupHistory;
  report?: GroupReport;
  min_interval?: MinInterval;
  max_interval?: MaxInterval;
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
  history?: GroupHistory;
  report?: GroupReport;
  min_interval?: MinInterval;
  max_interval?: MaxInterval;
  tag_count: number;
}
export interface AllGroupsReply {
  groups: DriverGroupRecord[];
}
export interface HistoryQuery {
  node: string;
  group: string;
  tag: string;
  /**
   * Milliseconds since the epoch. Absent: a day before to.
   */
  from?: string;
  /**
   * Milliseconds since the epoch, included. Absent: now.
   */
  to?: string;
  /**
   * The range in this many parts of equal length, 2000 at most, with the smallest, the largest and the mean value of each. Absent: every value.
   */
  buckets?: string;
  /**
   * Most values of a reply without buckets, 50000 at most. Absent: 10000.
   */
  limit?: string;
}
/**
 * Entry i of each list belongs to times[i]. Times are milliseconds since the epoch.
 */
export interface HistoryReply {
  from: number;
  to: number;
  /**
   * The time of the oldest value of the group that is kept. Absent: none is.
   */
  oldest?: number;
  /**
   * Why values of now are not stored, in a sentence. Absent: they are.
   */
  problem?: string;
  /**
   * The latest before the range, which holds at its begin. Absent: none is known.
   */
  before?: {
    time: number;
    /**
     * null: an error.
     */
    value: number | null;
    /**
     * Absent: none.
     */
    error?: number;
  };
  /**
   * Of the values, or when each bucket begins.
   */
  times: number[];
  /**
   * Without buckets: every value; BOOL as 0 or 1; null where there is an error.
   */
  values?: (number | null)[];
  /**
   * With buckets: the smallest value of each; null where it has none.
   */
  min?: (number | null)[];
  /**
   * With buckets: the largest value of each.
   */
  max?: (number | null)[];
  /**
   * With buckets: the arithmetic mean of the values of each.
   */
  mean?: (number | null)[];
  /**
   * With buckets: how many values each has.
   */
  count?: number[];
  /**
   * The error of each, or the latest of a bucket; 0: none; 9041: nothing is known from here to the next value. Absent: there is none.
   */
  errors?: number[];
  /**
   * Flags of the quality of each, or of some value of a bucket; 0: good. Absent: all are good.
   */
  qualities?: number[];
  /**
   * The time of the first value that is left out because of the limit. Absent: the range is whole.
   */
  next?: number;
}
export interface LiveDemand {
  node: string;
  group: string;
  /**
   * Names; absent: all tags of the group.
   */
  tags?: string[];
}
/**
 * Events: hello {stream, beat, time}; states {states, gone} with the records of GET /api/v2/node/state that changed; values {node, group, time, tags} with the records of POST /api/v2/read that changed; group {node, group, error, message, active} where there is no such group, or where values are not told because this gateway is the standby of a pair; beat {time}; end {error, message} before the gateway ends the stream. The first states and the first values of a group are whole and carry full: true.
 */
export interface LiveBody {
  /**
   * Tell the states of all nodes; default false.
   */
  states?: boolean;
  /**
   * Groups whose values to tell; default none.
   *
   * @maxItems 1000
   */
  values?: LiveDemand[];
}
export interface TrendsQuery {
  /**
   * Absent or empty: all nodes, without the cycles of their groups.
   */
  node?: string;
}
export interface TrendsReply {
  /**
   * Milliseconds from point to point.
   */
  step: number;
  gateway: {
    values: TrendPoints1;
    errors: TrendPoints2;
    kept: TrendPoints3;
    cpu: TrendPoints4;
    memory: TrendPoints5;
  };
  /**
   * What the gateway is called among others.
   */
  name: string;
  nodes: NodeTrend[];
}
export interface NodeTrend {
  node: string;
  plugin: string;
  /**
   * 1 driver, 2 app.
   */
  type: 1 | 2;
  values: TrendPoints6;
  errors: TrendPoints7;
  rtt: TrendPoints8;
  sent: TrendPoints9;
  received: TrendPoints10;
  /**
   * Of a driver.
   */
  groups: {
    name: string;
    /**
     * Milliseconds.
     */
    interval: number;
    tags: number;
    cycle?: TrendPoints11;
  }[];
  /**
   * Of an app: the groups that it subscribes to.
   */
  flows: {
    driver: string;
    group: string;
  }[];
}
export interface SearchQuery {
  /**
   * Words that are all in the names of node, group and tag, the address or the description, in any case and order.
   */
  text: string;
}
export interface SearchReply {
  /**
   * Tags that were looked at.
   */
  searched: number;
  /**
   * Tags that have the words; the first twenty of them follow.
   */
  found: number;
  /**
   * Those whose own name begins with the text first, then those whose name holds it.
   */
  tags: {
    node: string;
    group: string;
    name: string;
    /**
     * As in GET /api/v2/tags.
     */
    type: number;
    address: string;
    description: string;
  }[];
}
export interface NameSeparator {
  /**
   * Where the page cuts names of nodes, groups and tags to make a tree of the tags; empty: nowhere.
   */
  separator: string;
}
export interface ReferencesBody {
  read?: ReferenceTexts;
  write?: ReferenceTexts1;
}
export interface ReferencesReply {
  read: ReferenceProblems;
  write: ReferenceProblems;
}
export interface LiveChangeBody {
  /**
   * As the event hello named it.
   */
  stream: string;
  /**
   * @maxItems 1000
   */
  values: LiveDemand[];
}
/**
 * Settings of a node; null is refused with NODE_SETTING_INVALID.
 */
export interface GivenParams {
  [k: string]: unknown;
}
export interface AddNodeBody {
  name: string;
  /**
   * The plugin's name.
   */
  plugin: string;
  params?: GivenParams;
}
export interface DeleteNodeBody {
  name: string;
}
export interface RenameNodeBody {
  name: string;
  new_name?: string;
  /**
   * An older form has it in the place of new_name. It was never served and is refused.
   */
  id?: number;
}
export interface CloneNodeBody {
  /**
   * The node that is copied.
   */
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
  /**
   * A part of the node's name or of that of one of its groups.
   */
  group?: string;
}
export interface NodesReply {
  nodes: {
    name: string;
    plugin: string;
  }[];
}
export interface NodeTestBody {
  /**
   * The plugin's name.
   */
  plugin: string;
  params: Params;
  /**
   * The node that the settings are for, if there is one: where a secret is the mask, the one that it has is meant.
   */
  node?: string;
  /**
   * A tag to read.
   */
  tag?: {
    address: string;
    /**
     * As in TagInput.
     */
    type: number;
    /**
     * Default: 1, to read.
     */
    attribute?: number;
  };
}
export interface NodeTestReply {
  steps: TrialSteps;
}
export interface NodeClientsQuery {
  node: string;
}
/**
 * A client that is connected to a node that serves.
 */
export interface NodeClientRecord {
  /**
   * What it calls itself, or else its address.
   */
  name: string;
  address: string;
  /**
   * Milliseconds since the epoch.
   */
  since: number;
  /**
   * Absent: nobody logged in.
   */
  user?: string;
  /**
   * Where it is connected. Absent where the protocol has one place alone.
   */
  endpoint?: string;
  /**
   * How the connection is secured, in the words of the protocol. Absent: it is not.
   */
  security?: string;
  /**
   * Absent where the protocol has none.
   */
  subscriptions?: number;
  /**
   * Values that are reported to it. Absent where the protocol has no subscriptions.
   */
  items?: number;
}
export interface NodeClientsReply {
  clients: NodeClientRecord[];
}
/**
 * A place at which a node takes connections.
 */
export interface NodeListenerRecord {
  node: string;
  /**
   * 0.0.0.0 is every address of the machine.
   */
  host: string;
  port: number;
  protocol: string;
  /**
   * Other machines reach it.
   */
  remote: boolean;
  /**
   * Nobody is served whose connection is not encrypted.
   */
  encrypted: boolean;
  /**
   * Addresses, certificates or passwords decide who is served. False: everybody is.
   */
  restricted: boolean;
  /**
   * Some of those who are served may write to devices.
   */
  writes: boolean;
}
export interface NodeListenersReply {
  listeners: NodeListenerRecord[];
}
export interface NodeCertificatesQuery {
  node: string;
}
/**
 * A certificate that a node shows to others, or that others have shown to it.
 */
export interface NodeCertificateRecord {
  /**
   * By which it is moved.
   */
  id: string;
  /**
   * own: the node shows it to others. Others are trusted, or were rejected and wait for somebody to trust them.
   */
  state: 'own' | 'trusted' | 'rejected';
  /**
   * Whose it is.
   */
  of: 'node' | 'client' | 'server' | 'user';
  subject: string;
  issuer: string;
  /**
   * Thumbprint: hexadecimal digits with colons.
   */
  sha1: string;
  /**
   * Thumbprint: hexadecimal digits with colons.
   */
  sha256: string;
  /**
   * Since when it is valid, in milliseconds since the epoch.
   */
  from: number;
  /**
   * Until when it is valid, in milliseconds since the epoch.
   */
  until: number;
  /**
   * Who trusts it trusts every certificate that it has signed.
   */
  authority: boolean;
  /**
   * The certificate as DER, in base64.
   */
  content: string;
}
export interface NodeCertificatesReply {
  certificates: NodeCertificateRecord[];
}
export interface NodeCertificateBody {
  node: string;
  /**
   * Of the certificate, as the list shows it.
   */
  id: string;
  to: 'trusted' | 'rejected' | 'deleted';
}
export interface SettingBody {
  node: string;
  params: GivenParams;
}
export interface SettingQuery {
  node: string;
  /**
   * true: shows secrets in clear, which needs the role engineer; else each is ********.
   */
  secrets?: 'true' | 'false';
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
  running: NodeRunning;
  /**
   * 0 disconnected, 1 connecting, 2 connected.
   */
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
  /**
   * Of a driver: polls of this run that were left out. Absent: none.
   */
  missed_ticks?: number;
  /**
   * Of a driver: groups that cannot keep their interval now, because to read them takes longer. Absent: none.
   */
  slow_groups?: {
    group: string;
    /**
     * Milliseconds.
     */
    interval: number;
    /**
     * Milliseconds of the latest reading.
     */
    takes: number;
  }[];
  /**
   * Samples of this run that did not get on: the app was too slow, or what a driver pushed was too much. Absent: none.
   */
  dropped_samples?: number;
  /**
   * Changes that were in those samples, where these are of tags that are reported on change. Absent: none.
   */
  dropped_events?: number;
  /**
   * Of a driver: why tags failed last in this run. It stays when they are well again. Absent: none failed.
   */
  last_error?: {
    /**
     * Of the error table.
     */
    code: number;
    /**
     * The reason in one sentence.
     */
    text: string;
    /**
     * Since when without a break, in milliseconds since the epoch.
     */
    since: number;
  };
  /**
   * Of a driver: how many tags have which error now, by code. Absent: none has one.
   */
  tags_in_error?: {
    [k: string]: number;
  };
  /**
   * Of an app: messages that wait to be sent. Absent: none.
   */
  cached_msgs?: number;
  /**
   * Of an app: messages of this run that were lost. Absent: none.
   */
  dropped_msgs_total?: number;
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
  /**
   * The gateway was started with --safe and runs no node. Absent: it was not.
   */
  safe?: true;
}
/**
 * The state of one node for clients of the existing family of gateways.
 */
export interface FlatStateReply {
  running: NodeRunning;
  /**
   * 0 disconnected, 1 connected.
   */
  link: 0 | 1;
  /**
   * Milliseconds.
   */
  rtt: number;
  log_level: 'debug' | 'info' | 'notice' | 'warn' | 'error' | 'fatal';
  sub_group_count?: number;
  neuron_core: 'debug' | 'info' | 'notice' | 'warn' | 'error' | 'fatal';
  /**
   * The gateway was started with --safe and runs no node. Absent: it was not.
   */
  safe?: true;
}
export interface LicenseBody {
  /**
   * An X.509 certificate in PEM.
   */
  license: string;
}
export interface LicenseReply {
  error: number;
  /**
   * Such as trial or retail.
   */
  license_type: string;
  /**
   * Whether it is within its time.
   */
  valid: boolean;
  /**
   * YYYY-MM-DD HH:MM:SS, UTC.
   */
  valid_since: string;
  /**
   * YYYY-MM-DD HH:MM:SS, UTC.
   */
  valid_until: string;
  /**
   * Drivers and apps.
   */
  max_nodes: number;
  /**
   * Tags of each node.
   */
  max_node_tags: number;
  used_nodes: number;
  /**
   * Tags of all nodes.
   */
  used_tags: number;
  /**
   * Names of the plugins that may be used; empty when all may.
   */
  enabled_plugins: string[];
  /**
   * Identifies this machine.
   */
  hardware_token: string;
  /**
   * To whom the license is given.
   */
  object: string;
  email_address: string;
}
/**
 * There is no license; its issuer needs to know the machine.
 */
export interface NoLicenseReply {
  error: number;
  /**
   * Why, in a sentence.
   */
  message: string;
  sentence?: SentenceRecord;
  hardware_token: string;
}
export interface HardwareTokenReply {
  token: string;
}
export interface LogQuery {
  /**
   * Seconds since the epoch.
   */
  since: string;
  /**
   * Seconds since the epoch; lines of this second are not meant.
   */
  until: string;
  /**
   * The lowest level that is wanted; absent: all.
   */
  level?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | '';
  /**
   * Lines of this node alone, or of "gateway"; absent or empty: all.
   */
  node?: string;
  /**
   * A part of the line; absent or empty: all.
   */
  text?: string;
  /**
   * From 0 on.
   */
  page: string;
  /**
   * 200 to 10000 lines.
   */
  page_size: string;
}
export interface LogReply {
  error: number;
  /**
   * Lines, oldest first.
   */
  rows: string[];
  page_count: number;
}
export interface LogFilesReply {
  /**
   * The newest first.
   */
  files: {
    /**
     * The name for GET /api/v2/log/file.
     */
    file: string;
    /**
     * Bytes.
     */
    size: number;
  }[];
}
export interface LogFileQuery {
  /**
   * Such as tagway.log.
   */
  name: string;
}
export interface LogLevelBody {
  node?: string;
  /**
   * debug, info, notice, warn, error or fatal.
   */
  level?: string;
  /**
   * Whether the gateway's own level changes; without a node it cannot be false. Default true.
   */
  core?: boolean;
}
export interface FilesQuery {
  /**
   * Absolute path of a folder.
   */
  dir_path: string;
}
export interface FilesReply {
  files: {
    name: string;
    /**
     * Bytes.
     */
    size: number;
    /**
     * Such as Wed Jan  4 02:38:12 2023, local time.
     */
    ctime: string;
    mtime: string;
  }[];
}
export interface MetricsQuery {
  /**
   * Absent: all.
   */
  category?: 'global' | 'driver' | 'app' | '';
  /**
   * One node; not with the category global.
   */
  node?: string;
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
  sentence?: SentenceRecord;
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
export interface PluginProjectQuery {
  kind: 'driver' | 'app';
  /**
   * Id of the new plugin: up to 63 lower-case letters, digits and hyphens.
   */
  name: string;
}
export interface PluginDebugBody {
  /**
   * The plugin's name.
   */
  plugin: string;
  /**
   * Port of 127.0.0.1 to which a debugger attaches, until the gateway ends; 0: none any more.
   */
  port: number;
}
export interface PluginPermissionBody {
  /**
   * The plugin's name.
   */
  plugin: string;
  /**
   * Whether it may have names and passwords of users of the gateway checked, for clients that log in.
   */
  logins: boolean;
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
  /**
   * Bytes of UTF-8 of the longest address of a tag; absent where it is 127.
   */
  address_limit?: number;
  /**
   * Addresses of its tags, or settings of an app, refer to tags of other nodes: tag("node/group/tag"). Absent where they do not.
   */
  inputs?: true;
  /**
   * Of a plugin that asks for it: whether an admin has allowed it to have logins checked.
   */
  logins?: boolean;
  /**
   * Its nodes can list the clients that are connected to them. Absent where they cannot.
   */
  clients?: true;
  /**
   * Its nodes have certificates to trust, to reject and to delete. Absent where they have none.
   */
  certificates?: true;
  origin?: PluginOrigin;
}
export interface PluginsReply {
  plugins: PluginRecord[];
}
export interface SettingsSchemaQuery {
  /**
   * Its name or its id.
   */
  plugin: string;
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
  /**
   * Source time and quality of the values, where the driver knows them; default false.
   */
  meta?: boolean;
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
    /**
     * Why there is an error.
     */
    message?: string;
    /**
     * With meta: when the value arose at its source, in milliseconds since the epoch.
     */
    timestamp?: number;
    /**
     * With meta: flags; 0 is good, 1 uncertain, 2 stale, 4 substituted, 8 blocked, 16 overflow, 32 time invalid, 64 alarm, 128 overridden, 256 out of service; from 65536 on those of the protocol.
     */
    quality?: number;
    /**
     * With meta: since when the value or the error is the same, in milliseconds since the epoch; absent where that is not known.
     */
    since?: number;
    /**
     * With meta: it may have been the same before, when the gateway did not look yet.
     */
    at_least?: true;
  }[];
  /**
   * When the values were read, in milliseconds since the epoch.
   */
  timestamp: number;
}
export interface PaginateBody {
  node: string;
  group: string;
  /**
   * Read the device now; default false, the latest values.
   */
  sync?: boolean;
  /**
   * Source time and quality of the values, where the driver knows them; default false.
   */
  meta?: boolean;
  query?: {
    /**
     * A part of the tag's name.
     */
    name?: string;
    /**
     * A part of the tag's description.
     */
    description?: string;
    /**
     * From 1 on; absent or 0: all tags on one page.
     */
    currentPage?: number;
    /**
     * Tags of a page; absent or 0: all.
     */
    pageSize?: number;
    /**
     * Only tags that carry an error.
     */
    isError?: boolean;
  };
}
export interface PaginateReply {
  meta: {
    currentPage: number;
    pageSize: number;
    /**
     * The tags that fit the query, on all pages.
     */
    total: number;
  };
  /**
   * When the values were read, in milliseconds since the epoch.
   */
  timestamp?: number;
  items: {
    name: string;
    type: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14;
    address: string;
    attribute: number;
    description: string;
    precision: number;
    decimal: number;
    bias: number;
    value?: number | boolean | string | unknown[];
    error?: number;
    /**
     * Why there is an error.
     */
    message?: string;
    /**
     * With meta: when the value arose at its source, in milliseconds since the epoch.
     */
    timestamp?: number;
    /**
     * With meta: flags; 0 is good, 1 uncertain, 2 stale, 4 substituted, 8 blocked, 16 overflow, 32 time invalid, 64 alarm, 128 overridden, 256 out of service; from 65536 on those of the protocol.
     */
    quality?: number;
    /**
     * With meta: since when the value or the error is the same, in milliseconds since the epoch; absent where that is not known.
     */
    since?: number;
    /**
     * With meta: it may have been the same before, when the gateway did not look yet.
     */
    at_least?: true;
  }[];
}
/**
 * A tag that need not exist, as its group need not.
 */
export interface TestReadBody {
  driver: string;
  group: string;
  tag: string;
  address: string;
  attribute: number;
  /**
   * A data type, or 16, 17, 18 for UINT16, UINT32, UINT64.
   */
  type: number;
  /**
   * Not applied, nor are decimal and bias.
   */
  precision?: number;
  /**
   * A spelling of precision that is in use.
   */
  precison?: number;
  decimal: number;
  bias: number;
}
export interface TestReadReply {
  value: number | boolean | string | unknown[];
}
export interface ScanBody {
  node: string;
  /**
   * The place to list: the id of an entry of an earlier reply; default empty, the top.
   */
  id?: string;
  /**
   * The ctx of the page before; default empty, the first page.
   */
  ctx?: string;
  /**
   * The load_index of the page before; default 0, the first page.
   */
  load_index?: number;
}
export interface ScanReply {
  error: number;
  /**
   * Entries on all pages together.
   */
  total: number;
  /**
   * Data type of the place itself; 0 when it holds no value.
   */
  type: number;
  /**
   * The place itself holds an array.
   */
  is_array: boolean;
  ctx: string;
  /**
   * Where the next page begins.
   */
  load_index: number;
  /**
   * This is the last page.
   */
  completed: boolean;
  tags: {
    name: string;
    /**
     * The address of a tag, and the place to list next.
     */
    id: string;
    /**
     * 1 when a tag may have this address.
     */
    tag: 0 | 1;
    /**
     * Data type of such a tag, otherwise 0.
     */
    type: number;
    /**
     * The device's own text about it, where it has one.
     */
    description?: string;
    /**
     * The unit of its values, where the device has one.
     */
    unit?: string;
  }[];
}
/**
 * The reply of every failed call, and of calls that only change something: 0 is success.
 */
export interface ErrorReply {
  error: number;
  /**
   * Why it failed, in a sentence; absent at success.
   */
  message?: string;
  sentence?: SentenceRecord;
  /**
   * With 9002: the URL at which the active gateway of the pair answers; absent while nobody knows of one.
   */
  active?: string;
}
/**
 * The reply of a call with If-Match that was refused, because what it was to change has been changed since.
 */
export interface StaleReply {
  error: 9001;
  message: string;
  sentence?: SentenceRecord;
  /**
   * What is there now, as the GET of it answers; null when it is gone.
   */
  current: {} | null;
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
/**
 * A member that is absent is not used.
 */
export interface SignInSettings {
  ldap?: LdapSettings;
  oidc?: OidcSettings;
}
export interface LdapSettings {
  /**
   * Such as ldaps://dc.example. With ldap:// the connection is changed to TLS (StartTLS) before anything else.
   */
  url: string;
  /**
   * Certificates of the authorities that sign the certificate of the server, in PEM. Absent or empty: the authorities of the system.
   */
  ca?: string;
  /**
   * As whom a user binds, with {name} for the name, such as uid={name},ou=people,dc=example,dc=org, or {name}@example.org. Absent: the user is looked for below base.
   */
  user_dn?: string;
  /**
   * Where users are looked for.
   */
  base?: string;
  /**
   * The attribute that holds the name of a user. Absent: uid.
   */
  user_attribute?: string;
  /**
   * As whom users are looked for. Absent: anonymously.
   */
  bind_dn?: string;
  /**
   * Its password.
   */
  bind_password?: string;
  /**
   * Where groups are looked for that have the user as member, uniqueMember or memberUid. Absent: the groups are those of the attribute memberOf of the user.
   */
  group_base?: string;
  /**
   * The role of the members of each group. A user with several has the highest, and one without a role is refused.
   *
   * @maxItems 200
   */
  roles: RoleOfValue[];
}
export interface RoleOfValue {
  /**
   * Of LDAP: the name (DN) of a group, or its cn alone. Of OpenID Connect: a value of the claim.
   */
  value: string;
  role: 'viewer' | 'operator' | 'engineer' | 'admin';
}
export interface OidcSettings {
  /**
   * The address of the provider, exactly as its tokens name it in iss.
   */
  issuer: string;
  /**
   * What the page calls the provider. Absent: its host.
   */
  label?: string;
  /**
   * The name of the gateway at the provider.
   */
  client_id: string;
  /**
   * Absent: the gateway is a public client, which PKCE protects.
   */
  client_secret?: string;
  /**
   * To whom tokens of the provider are made out that are taken as bearer tokens. Absent: client_id.
   */
  audience?: string;
  /**
   * What is asked for at the login. Absent: openid profile.
   */
  scopes?: string;
  /**
   * The claim with the name of the user. Absent: preferred_username, and without it client_id, azp or sub.
   */
  user_claim?: string;
  /**
   * The claim with the groups or roles of the user, with . before a member of a claim, such as realm_access.roles. Absent: roles.
   */
  role_claim?: string;
  /**
   * The role of each value of the claim. A user with several has the highest, and one without a role is refused.
   *
   * @maxItems 200
   */
  roles: RoleOfValue[];
  /**
   * Where the page of the gateway is opened, such as https://gateway.example:7000/. These addresses are registered at the provider as those that it may lead back to. Empty: the provider is not offered on the page.
   *
   * @maxItems 20
   */
  pages?: string[];
  /**
   * Certificates of the authorities that sign the certificate of the provider, in PEM. Absent or empty: the authorities of the system.
   */
  ca?: string;
  /**
   * Seconds by which the clocks may differ. Absent: 30.
   */
  clock_skew?: number;
}
export interface SignInReply {
  /**
   * Names and passwords of a directory are taken, too.
   */
  ldap: boolean;
  /**
   * What the provider is called that the page can lead to. Absent: there is none.
   */
  oidc?: string;
}
export interface BeginSignInBody {
  /**
   * The address of the page, without what follows its path.
   */
  page: string;
}
export interface BeginSignInReply {
  /**
   * Where the browser goes.
   */
  url: string;
  /**
   * Ends the sign-in, once and within ten minutes. It stays in this browser.
   */
  ticket: string;
}
export interface FinishSignInBody {
  /**
   * Of the reply of the beginning.
   */
  ticket: string;
  /**
   * What follows the path of the address that the provider has led back to: ?code=…&state=….
   */
  answer: string;
}
export interface FinishSignInReply {
  /**
   * A bearer token.
   */
  token: string;
  user: string;
  /**
   * Where the session at the provider is ended, if it says so.
   */
  logout?: string;
}
/**
 * What is to be tried, of ldap and oidc one. Masks stand for the secrets that are stored for the same address.
 */
export interface TestSignInBody {
  ldap?: LdapSettings;
  oidc?: OidcSettings;
  /**
   * Of LDAP: a user who is signed in for the test.
   */
  name?: string;
  /**
   * The password of this user.
   */
  pass?: string;
}
export interface TestSignInReply {
  /**
   * The user, as the directory calls it.
   */
  user?: string;
  /**
   * The groups of the user, at most 100.
   */
  groups?: string[];
  /**
   * Absent: the user has none and would be refused.
   */
  role?: 'viewer' | 'operator' | 'engineer' | 'admin';
  /**
   * Of OpenID Connect: how many keys the provider has.
   */
  keys?: number;
}
export interface SnapshotRecord {
  id: string;
  /**
   * Milliseconds since the epoch.
   */
  time: number;
  /**
   * Before what it was made: an import, POST /tags/apply with more than one change in a group, an upgrade of a plugin, the restore of another snapshot, an update of a node by its device profile; or because somebody asked for it.
   */
  reason: 'import' | 'tags' | 'upgrade' | 'restore' | 'request' | 'profile';
  /**
   * Bytes.
   */
  size: number;
}
export interface SnapshotsReply {
  snapshots: SnapshotRecord[];
}
/**
 * Empty, as there is nothing to say.
 */
export interface MakeSnapshotBody {}
export interface RestoreSnapshotBody {
  id: string;
}
export interface PlanSnapshotReply {
  error: 0;
  nodes: ChangeCounts;
  groups: ChangeCounts;
  tags: ChangeCounts;
  subscriptions: ChangeCounts;
  templates: ChangeCounts;
  /**
   * The first thousand, kind by kind.
   */
  differences: ConfigDifference[];
  /**
   * Sentences about what no restore brings back. What this one would leave out is in warnings.
   */
  not_restored: string[];
}
export interface ChangeCounts {
  add: number;
  update: number;
  unchanged: number;
  remove: number;
}
export interface ConfigDifference {
  kind: 'nodes' | 'groups' | 'tags' | 'subscriptions' | 'templates';
  change: 'add' | 'update' | 'remove';
  /**
   * Names, such as those of a driver, its group and the tag.
   */
  path: string[];
  /**
   * What is different.
   */
  fields?: string[];
}
export interface RestoreSnapshotReply {
  error: 0;
  /**
   * Sentences about what no restore brings back. What this one has left out is in warnings.
   */
  not_restored: string[];
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
export interface PreviewReply {
  /**
   * Of the sample, in milliseconds since 1970.
   */
  time: number;
  /**
   * None where nothing would be sent for this sample.
   */
  messages: {
    /**
     * Where it goes.
     */
    topic: string;
    payload: string;
  }[];
}
export interface SubscriptionsQuery {
  app: string;
  /**
   * A part of the driver's name.
   */
  driver?: string;
  /**
   * A part of the group's name.
   */
  group?: string;
}
export interface SubscriptionsReply {
  groups: GroupToSubscribe[];
}
export interface SubscribableQuery {
  app: string;
  /**
   * A part of a driver's or of a group's name.
   */
  name?: string;
}
export interface SubscribableReply {
  drivers: {
    name: string;
    groups: {
      name: string;
      subscribed: boolean;
    }[];
  }[];
}
export interface TagsBody {
  node: string;
  group: string;
  /**
   * @maxItems 65535
   */
  tags: TagInput[];
}
export interface PlanTagsBody {
  node: string;
  group: string;
  /**
   * Milliseconds, of a group that does not exist yet.
   */
  interval?: number;
  /**
   * @maxItems 65535
   */
  tags: TagRow[];
  /**
   * Names of tags of the group to remove.
   *
   * @maxItems 65535
   */
  remove?: string[];
  /**
   * merge, the default, adds tags that are not there and updates the others; add and update refuse the others; replace also removes the tags of these groups that no row names.
   */
  mode?: 'merge' | 'add' | 'update' | 'replace';
}
/**
 * A tag as in TagInput. Whatever its members are, the row is taken: what is wrong with them is among the problems of the reply.
 */
export interface TagRow {
  /**
   * The tag's group where it is another than that of the request.
   */
  group?: unknown;
  /**
   * Milliseconds, of a group that does not exist yet.
   */
  interval?: unknown;
  /**
   * Of a group that does not exist yet, as in GroupPace.
   */
  report?: unknown;
  /**
   * Of a group that does not exist yet, as in GroupPace.
   */
  min_interval?: unknown;
  /**
   * Of a group that does not exist yet, as in GroupPace.
   */
  max_interval?: unknown;
  name?: unknown;
  /**
   * What the tag is called from now on; its place and its latest value stay.
   */
  new_name?: unknown;
  address?: unknown;
  attribute?: unknown;
  type?: unknown;
  precision?: unknown;
  /**
   * A spelling of precision that is in use.
   */
  precison?: unknown;
  decimal?: unknown;
  bias?: unknown;
  description?: unknown;
  deadband?: unknown;
  unit?: unknown;
  low?: unknown;
  high?: unknown;
  /**
   * Of a static tag, and of no other.
   */
  value?: unknown;
}
export interface PlanTagsReply {
  error: number;
  message?: string;
  sentence?: SentenceRecord;
  /**
   * How many tags are new.
   */
  add: number;
  /**
   * How many change.
   */
  update: number;
  /**
   * How many are there already, just so.
   */
  unchanged: number;
  /**
   * How many go.
   */
  remove: number;
  /**
   * One for each of the tags of the request.
   */
  rows: ('add' | 'update' | 'unchanged' | 'refused')[];
  problems: TagProblem[];
}
export interface TagProblem {
  /**
   * Place among the tags or, where the field is remove, among the names to remove.
   */
  index: number;
  /**
   * The tag's name, as far as it has one.
   */
  name: string;
  /**
   * What is wrong of the row: group, interval, report, min_interval, max_interval, name, new_name, address, attribute, type, precision, decimal, bias, description, deadband, unit, low, high or value; remove for a name to remove. Absent where it is the row as a whole.
   */
  field?: string;
  /**
   * What the field has; absent where it has nothing.
   */
  value?: unknown;
  error: number;
  message: string;
  sentence?: SentenceRecord;
}
export interface TagsBatchReply {
  /**
   * How many tags were added or updated: the place of the first bad one.
   */
  index: number;
  error: number;
  /**
   * Why that one is bad.
   */
  message?: string;
  sentence?: SentenceRecord;
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
export interface TagsReply {
  tags: TagRecord[];
}
export interface GroupsWithTagsBody {
  node: string;
  /**
   * @maxItems 65535
   */
  groups: GroupWithTags[];
}
export interface GroupWithTags {
  group: string;
  /**
   * Milliseconds, of a group that does not exist yet.
   */
  interval: number;
  /**
   * @maxItems 65535
   */
  tags: TagInput[];
}
export interface RenameTagBody {
  node: string;
  group: string;
  old_name: string;
  new_name: string;
}
export interface TemplateGroupInput {
  name: string;
  /**
   * Milliseconds.
   */
  interval: number;
  history?: GroupHistory;
  report?: GroupReport;
  min_interval?: MinInterval;
  max_interval?: MaxInterval;
  /**
   * @maxItems 65535
   */
  tags: TagInput[];
}
export interface AddTemplateBody {
  name: string;
  /**
   * The name of a driver's plugin.
   */
  plugin: string;
  /**
   * @maxItems 65535
   */
  groups: TemplateGroupInput[];
}
export interface TemplateQuery {
  /**
   * The template's name; absent: all templates.
   */
  name?: string;
}
export interface TemplatesReply {
  templates: {
    name: string;
    plugin: string;
  }[];
}
export interface TemplateReply {
  name: string;
  plugin: string;
  groups: {
    name: string;
    /**
     * Milliseconds.
     */
    interval: number;
    history?: GroupHistory;
    report?: GroupReport;
    min_interval?: MinInterval;
    max_interval?: MaxInterval;
    tags: TagRecord[];
  }[];
}
export interface TemplateInstance {
  /**
   * The template's name.
   */
  name: string;
  /**
   * The name of the new node.
   */
  node: string;
}
export interface TemplateInstancesBody {
  /**
   * @maxItems 65535
   */
  nodes: TemplateInstance[];
}
export interface AddTemplateGroupBody {
  template: string;
  group: string;
  /**
   * Milliseconds.
   */
  interval: number;
  history?: GroupHistory;
  report?: GroupReport;
  min_interval?: MinInterval;
  max_interval?: MaxInterval;
}
export interface DeleteTemplateGroupBody {
  template: string;
  group: string;
}
export interface UpdateTemplateGroupBody {
  template: string;
  group: string;
  new_name?: string;
  /**
   * Milliseconds.
   */
  interval?: number;
  /**
   * Megabytes of disk that the values of the last day may take at most. Absent: as it is.
   */
  history?: number;
  report?: GroupReport;
  min_interval?: MinInterval;
  max_interval?: MaxInterval;
}
export interface TemplateGroupsQuery {
  /**
   * The template's name.
   */
  name: string;
}
export interface TemplateTagsBody {
  template: string;
  group: string;
  /**
   * @maxItems 65535
   */
  tags: TagInput[];
}
export interface DeleteTemplateTagsBody {
  template: string;
  group: string;
  /**
   * @minItems 1
   * @maxItems 65535
   */
  tags: string[];
}
export interface TemplateTagsQuery {
  template: string;
  group: string;
  /**
   * A part of the tag's name.
   */
  name?: string;
}
export interface AddTokenBody {
  /**
   * What the audit calls the machine.
   */
  name: string;
  role: Role;
  /**
   * From now until the token ends. Default 365, at most five years.
   */
  days?: number;
}
export interface AddTokenReply {
  /**
   * The bearer token. It is shown here and never again.
   */
  token: string;
  /**
   * Milliseconds since the epoch.
   */
  expires: number;
}
export interface TokensReply {
  tokens: TokenRecord[];
}
export interface TokenRecord {
  name: string;
  role: Role;
  /**
   * Milliseconds since the epoch.
   */
  created: number;
  /**
   * Milliseconds since the epoch.
   */
  expires: number;
  /**
   * Milliseconds since the epoch. Absent: not since the gateway was started.
   */
  last_used?: number;
}
export interface DeleteTokenBody {
  name: string;
}
export interface BeginTraceBody {
  /**
   * A node that runs: of a driver the frames are traced, of an app its messages.
   */
  node: string;
  /**
   * After which the trace ends; default 60.
   */
  seconds?: number;
  /**
   * Frames of this unit, station or meter alone, as the driver names it in the trace; absent: of all.
   */
  unit?: string;
  /**
   * The group of the tag; of an app, the group whose values the messages have.
   */
  group?: string;
  /**
   * Frames about this tag alone, where the driver can tell them; absent: about anything.
   */
  tag?: string;
  /**
   * Of an app: the driver of the group. Messages with values of this group alone; absent: all.
   */
  driver?: string;
}
export interface EndTraceBody {
  node: string;
}
export interface TraceQuery {
  node: string;
  /**
   * Shows the frames with a higher number; default 0, all of them.
   */
  after?: string;
}
export interface TraceFileQuery {
  node: string;
}
export interface TraceReply {
  node: string;
  /**
   * Milliseconds since the epoch.
   */
  begun: number;
  /**
   * When it ends or was to end, in milliseconds since the epoch.
   */
  until: number;
  /**
   * Why it has ended: its time was over, its limits of frames or bytes were reached, somebody ended it, or nobody looked at it any more. Absent: it goes on.
   */
  end?: 'time' | 'full' | 'asked' | 'left';
  unit?: string;
  driver?: string;
  group?: string;
  tag?: string;
  /**
   * Frames so far.
   */
  total: number;
  /**
   * Bytes of these frames.
   */
  bytes: number;
  /**
   * Of an app: what became of the messages of each subscription since the trace began, as far as there were any.
   */
  subscriptions?: TraceSubscription[];
  /**
   * At most 500 of them; ask again with after for those that follow.
   */
  frames: TraceFrame[];
}
export interface TraceSubscription {
  /**
   * Absent together with group: messages of no subscription, or of one that is not known.
   */
  driver?: string;
  group?: string;
  /**
   * Messages that the server has.
   */
  messages: number;
  /**
   * Bytes that they carried.
   */
  bytes: number;
  /**
   * How often a message failed; one that is sent again may fail again.
   */
  failures: number;
  /**
   * The latest failure.
   */
  failure?: {
    /**
     * Milliseconds since the epoch.
     */
    time: number;
    topic: string;
    text: string;
  };
}
export interface TraceFrame {
  /**
   * Counts from 1.
   */
  number: number;
  /**
   * Milliseconds since the epoch, with microseconds.
   */
  time: number;
  direction: 'sent' | 'received';
  /**
   * The device or the server: host and port, or a serial port.
   */
  peer: string;
  /**
   * Another number is another connection.
   */
  connection: number;
  /**
   * The unit, station or meter; absent where the protocol has none, or the driver does not tell.
   */
  unit?: string;
  /**
   * Bytes of the frame, or of what the message carries.
   */
  size: number;
  /**
   * The first 65000 bytes of it.
   */
  hex: string;
  /**
   * What it means, where that is known: at most 1000 characters.
   */
  text?: string;
  /**
   * Of a message of an app: where it went or came from, such as an MQTT topic, a table, or a topic with a key.
   */
  topic?: string;
  /**
   * Of a message of an app: the driver whose values it has; absent where it has none, or it waited on disk.
   */
  driver?: string;
  /**
   * The group of that driver.
   */
  group?: string;
  /**
   * Of a message of an app: why the server does not have it. Absent: it has it.
   */
  failure?: string;
}
/**
 * A whole configuration, which takes the place of the one that is there.
 */
export interface ConfigBody {
  nodes: {
    name: string;
    /**
     * The plugin's name.
     */
    plugin: string;
    /**
     * As in node states; 4 leaves a node with settings stopped, anything else starts it.
     */
    running?: 0 | 1 | 2 | 3 | 4;
    profile?: NodeProfile;
  }[];
  groups: {
    driver?: string;
    /**
     * Another spelling of driver.
     */
    node?: string;
    group?: string;
    /**
     * Another spelling of group.
     */
    name?: string;
    /**
     * Milliseconds.
     */
    interval: number;
    history?: GroupHistory;
    report?: GroupReport;
    min_interval?: MinInterval;
    max_interval?: MaxInterval;
    /**
     * As an export has it; it is not looked at.
     */
    tag_count?: number;
  }[];
  tags: {
    driver?: string;
    /**
     * Another spelling of driver.
     */
    node?: string;
    group?: string;
    /**
     * Another spelling of group.
     */
    name?: string;
    tags: TagInput[];
  }[];
  subscriptions: ConfigSubscription[];
  settings: SettingBody[];
  /**
   * All templates there are to be afterwards. Absent: those that are there stay.
   */
  templates?: AddTemplateBody[];
}
/**
 * A subscription of an app, or all groups that it subscribes to.
 */
export interface ConfigSubscription {
  app: string;
  driver?: string;
  group?: string;
  params?: Params;
  groups?: GroupToSubscribe[];
}
export interface ConfigReply {
  nodes: {
    name: string;
    plugin: string;
    running: NodeRunning;
    profile?: NodeProfile;
  }[];
  groups: DriverGroupRecord[];
  tags: {
    driver: string;
    group: string;
    tags: TagRecord[];
  }[];
  subscriptions: ConfigSubscription[];
  settings: SettingReply[];
  templates: TemplateReply[];
}
export interface PlanConfigReply {
  error: 0;
  nodes: ChangeCounts;
  groups: ChangeCounts;
  tags: ChangeCounts;
  subscriptions: ChangeCounts;
  templates: ChangeCounts;
  /**
   * The first thousand, kind by kind.
   */
  differences: ConfigDifference[];
  /**
   * All for which the import would be refused; none: it would be done.
   */
  problems: {
    error: number;
    message: string;
    sentence?: SentenceRecord;
  }[];
}
export interface DriversQuery {
  /**
   * Names of drivers with commas between them; absent: all.
   */
  name?: string;
  /**
   * true: shows secrets in clear, which needs the role engineer; else each is ********.
   */
  secrets?: 'true' | 'false';
}
export interface ConfigQuery {
  /**
   * true: shows secrets in clear, which needs the role engineer; else each is ********.
   */
  secrets?: 'true' | 'false';
}
/**
 * Drivers, each of which takes the place of the one of its name if there is one.
 */
export interface DriversBody {
  nodes: {
    name: string;
    /**
     * The plugin's name.
     */
    plugin: string;
    params?: Params;
    groups?: {
      group?: string;
      /**
       * Another spelling of group.
       */
      name?: string;
      /**
       * Milliseconds.
       */
      interval: number;
      history?: GroupHistory;
      report?: GroupReport;
      min_interval?: MinInterval;
      max_interval?: MaxInterval;
      tags?: TagInput[];
    }[];
    profile?: NodeProfile;
  }[];
}
export interface DriversReply {
  nodes: {
    name: string;
    plugin: string;
    params?: Params;
    groups: {
      group: string;
      /**
       * Milliseconds.
       */
      interval: number;
      history?: GroupHistory;
      report?: GroupReport;
      min_interval?: MinInterval;
      max_interval?: MaxInterval;
      tags: TagRecord[];
    }[];
    profile?: NodeProfile;
  }[];
}
export interface UsersReply {
  /**
   * An admin sees all users, others see themselves.
   */
  users: {
    name: string;
    role?: Role;
  }[];
  /**
   * Who asks: a user, a token of a machine, or the issuer of a token that names no user.
   */
  self?: {
    kind: 'user' | 'token' | 'issuer';
    name: string;
    role: Role;
    /**
     * Of a user who is kept elsewhere: ldap, or the address of the provider. Absent: the gateway keeps the user.
     */
    issuer?: string;
  };
}
export interface AddUserBody {
  /**
   * 4 to 32 bytes.
   */
  name: string;
  /**
   * 4 to 64 bytes.
   */
  password: string;
  /**
   * What one may do, each more than the one before: read; write tags, start and stop nodes; configure; manage users, tokens and the license and download logs.
   */
  role?: 'viewer' | 'operator' | 'engineer' | 'admin';
}
export interface UpdateUserBody {
  name: string;
  /**
   * 4 to 64 bytes.
   */
  new_password?: string;
  /**
   * What one may do, each more than the one before: read; write tags, start and stop nodes; configure; manage users, tokens and the license and download logs.
   */
  role?: 'viewer' | 'operator' | 'engineer' | 'admin';
}
export interface DeleteUserBody {
  name: string;
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
export interface StatusReply {
  status: 'loading' | 'ready';
  pair?: PairStatus;
  /**
   * How many other gateways this one shows in its view of the fleet. Absent: none.
   */
  fleet?: number;
  source?: SourceStatus;
}
/**
 * How the pair is that this gateway belongs to, as it sees it. Only a gateway that was started with --pair has it.
 */
export interface PairStatus {
  /**
   * What both gateways call the pair: --pair-id.
   */
  id: string;
  /**
   * Of this gateway.
   */
  role: 'active' | 'standby';
  /**
   * Of this gateway.
   */
  name: string;
  /**
   * Where clients reach this gateway.
   */
  url: string;
  /**
   * Name of the active gateway; null when there is none, or nobody can tell.
   */
  holder: string | null;
  /**
   * Where clients reach the active gateway.
   */
  holder_url: string | null;
  /**
   * Milliseconds since the active gateway renewed its lease, as far as this one knows; null when it never saw one.
   */
  lease_age_ms: number | null;
  /**
   * What this gateway has yet to take over of the configuration; null while it cannot tell.
   */
  replication_lag: {
    /**
     * Changes.
     */
    entries: number;
    /**
     * Milliseconds for which it has been behind.
     */
    ms: number;
  } | null;
  /**
   * The majority of etcd's members answers.
   */
  reachable: boolean;
  /**
   * Why etcd does not answer, or answers and does not do what this gateway asks, as with a full database.
   */
  etcd_problem: string | null;
  /**
   * A hand-over is under way: this gateway takes no changes any more.
   */
  handing_over: boolean;
  /**
   * When another gateway became the active one last; null when this gateway knows of none.
   */
  last_switch: {
    /**
     * Milliseconds since the epoch.
     */
    time: number;
    from: string;
    to: string;
    reason: string;
  } | null;
  /**
   * The gateways of the pair that are there, this one among them.
   */
  members: {
    name: string;
    url: string;
    /**
     * It could become the active one, or is.
     */
    ready: boolean;
    version: string;
  }[];
}
/**
 * Where the configuration is pulled from. Only a gateway that was started with --config-source has it.
 */
export interface SourceStatus {
  /**
   * Without what is secret.
   */
  url: string;
  /**
   * What is applied: the id of a commit, or the hash of the files of a folder; null before the first one.
   */
  commit: string | null;
  /**
   * When it was applied, in milliseconds since the epoch.
   */
  applied_at?: number;
  /**
   * When the commit was made, in milliseconds since the epoch.
   */
  committed_at?: number;
  /**
   * Of the commit.
   */
  author?: string;
  /**
   * The first line of the commit.
   */
  subject?: string;
  /**
   * When the source was last there and good, in milliseconds since the epoch.
   */
  looked_at?: number;
  /**
   * What somebody has changed by hand.
   */
  drift: {
    /**
     * What is done about it: nothing, a warning in the log, or it is put back.
     */
    mode: 'keep' | 'report' | 'revert';
    /**
     * In how many things the gateway is not as the source says; null while that is not known.
     */
    differences: number | null;
    /**
     * In milliseconds since the epoch.
     */
    since?: number;
  };
  /**
   * Changes by hand of what the source has are refused with CONFIG_MANAGED.
   */
  locked: boolean;
  /**
   * Why what is in the source now is not applied.
   */
  problem: {
    message: string;
    /**
     * What is wrong, where the source itself is there.
     */
    commit?: string;
    /**
     * In milliseconds since the epoch.
     */
    since: number;
  } | null;
}
export interface PairSwitchBody {
  /**
   * Why, for the log of both gateways.
   */
  reason?: string;
}
export interface PairSwitchReply {
  error: 0;
  /**
   * Name of the gateway that takes over.
   */
  to: string;
  /**
   * Where it answers.
   */
  url: string;
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
export interface WriteGroupsBody {
  node: string;
  /**
   * @minItems 1
   * @maxItems 65535
   */
  groups: {
    group: string;
    /**
     * @minItems 1
     * @maxItems 65535
     */
    tags: TagValue[];
  }[];
}
