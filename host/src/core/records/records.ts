import type {
  FleetGateway,
  NodeType,
  Registry,
  Role,
  RunningState,
  SignInSettings,
  TrustRenewal,
} from '@tagway/schemas';
import type { AnyGroup, Node, NodeProfile, Params, Subscription, Tag, TagBody, Template } from '../model.ts';
import type { AppliedSource } from '../ports/config-source.ts';
import { tagDefaults } from '../model.ts';
import type { GroupPace } from '@tagway/schemas';

/** The key of a stored record and what is stored under it. */
export type Entry = readonly [key: string, record: object];

/** Keys of stored records. Padded ids make the order of the keys the order of creation. */
export const keys = {
  /** The highest id ever given, so that ids do not repeat after a deletion and a restart. */
  sequence: 'sequence',
  node: (id: number) => `node/${pad(id)}`,
  group: (id: number) => `group/${pad(id)}`,
  tag: (group: number, id: number) => `tag/${pad(group)}/${pad(id)}`,
  subscription: (id: number) => `subscription/${pad(id)}`,
  template: (id: number) => `template/${pad(id)}`,
  templateGroup: (id: number) => `template-group/${pad(id)}`,
  templateTag: (group: number, id: number) => `template-tag/${pad(group)}/${pad(id)}`,
  user: (name: string) => `user/${name}`,
  machineToken: (name: string) => `machine-token/${name}`,
  pluginPermission: (plugin: string) => `plugin-permission/${plugin}`,
  license: 'license',
  registries: 'registries',
  nameSeparator: 'name-separator',
  fleet: 'fleet',
  signIn: 'sign-in',
  source: 'source',
  counter: (node: number, name: string) => `counter/${pad(node)}/${name}`,
  /** The letters keep numbers of transitions and tags at the end of the key from being taken for ids. */
  journal: (node: number, first: number) => `journal/${pad(node)}/t${pad(first)}`,
  alarm: (node: number, tag: number) => `alarm/${pad(node)}/t${pad(tag)}`,
  /** The letter keeps a number at the end of the key from being taken for an id. */
  text: (node: number, key: string) => `text/${pad(node)}/k${encodeURIComponent(key)}`,
};

/** To twelve digits, as `padStart` would, but with less garbage. */
function pad(id: number): string {
  return String(1e12 + id).slice(1);
}

export interface NodeRecord {
  readonly name: string;
  /** Id of the plugin. */
  readonly plugin: string;
  /** Name and type of the plugin are for a start at which its library is missing. */
  readonly pluginName: string;
  readonly type: NodeType;
  readonly running: RunningState;
  readonly params?: Params;
  readonly profile?: NodeProfile;
}

export interface GroupRecord extends Readonly<GroupPace> {
  readonly node: number;
  readonly name: string;
  readonly interval: number;
  /** Absent: 0. */
  readonly history?: number;
}

export interface SubscriptionRecord {
  readonly app: number;
  readonly group: number;
  readonly params?: Params;
}

export interface TemplateRecord {
  readonly name: string;
  /** Id of the plugin. */
  readonly plugin: string;
  readonly pluginName: string;
}

export interface TemplateGroupRecord extends Readonly<GroupPace> {
  readonly template: number;
  readonly name: string;
  readonly interval: number;
  /** Absent: 0. */
  readonly history?: number;
}

/** Of a user, who is named by the key. `hash` and `salt` are base64. */
export interface UserRecord {
  readonly hash: string;
  readonly salt: string;
  /** The password is the one that every new gateway has. */
  readonly isDefault?: true;
  /** Absent in records of before there were roles: the first user is an admin, others are engineers. */
  readonly role?: Role;
  /** Tokens of this user carry it: those from before a change of the password, or of an earlier user of this name, have another. */
  readonly generation?: string;
  /** The SHA-256 in base64 of the one token of an older generation that is still good: the one that changed the password. */
  readonly spared?: string;
}

/** Of a machine's token, which is named by the key. Times are milliseconds since the epoch. */
export interface MachineTokenRecord {
  /** The SHA-256 of the token in base64. */
  readonly hash: string;
  readonly role: Role;
  readonly created: number;
  readonly expires: number;
}

/** What an admin has allowed a plugin, whose id is in the key. */
export interface PluginPermissionRecord {
  /** It may have names and passwords of users checked. */
  readonly logins: boolean;
}

/** What the page cuts names at. */
export interface NameSeparatorRecord {
  readonly text: string;
}

/** The registries that an admin has set. */
export interface RegistriesRecord {
  readonly params: {
    readonly registries: readonly Registry[];
    /** Hours between two looks for newer versions; 0 and absent: none. */
    readonly look_every?: number;
    /** Absent: nothing is renewed. */
    readonly trust_renewal?: TrustRenewal;
  };
}

/** The gateways of the fleet that an admin has set. */
export interface FleetRecord {
  readonly params: { readonly gateways: readonly FleetGateway[] };
}

/** What was pulled last from a source and applied. */
export interface SourceRecord extends AppliedSource {
  /** Where it came from, and with which variables: another source begins anew. */
  readonly of: string;
  /** The nodes that its files say are stopped. */
  readonly stopped: readonly string[];
}

/** Where users are kept beside the gateway, as an admin has set it. */
export interface SignInRecord {
  readonly params: SignInSettings;
}

export function nodeRecord({ name, plugin, running, params, profile }: Omit<Node, 'id'>): NodeRecord {
  return {
    name,
    plugin: plugin.id,
    pluginName: plugin.name,
    type: plugin.nodeType,
    running,
    ...(params && { params }),
    ...(profile && { profile }),
  };
}

/** Members that have their default value are left out. */
export function tagRecord(tag: Tag): TagBody {
  const record: Record<string, unknown> = {};
  // Not with the entries of the tag, which cost as much as storing them.
  for (const name of Object.keys(tag) as (keyof Tag)[]) {
    const value = tag[name];
    if (name !== 'id' && value !== tagDefaults[name as keyof typeof tagDefaults]) record[name] = value;
  }
  return record as unknown as TagBody;
}

/** The tag that a record, or a body of a request, stands for. */
export function tagOf(id: number, body: TagBody): Tag {
  return {
    id,
    name: body.name,
    address: body.address,
    attribute: body.attribute,
    type: body.type,
    precision: body.precision ?? tagDefaults.precision,
    decimal: body.decimal ?? tagDefaults.decimal,
    bias: body.bias ?? tagDefaults.bias,
    description: body.description ?? tagDefaults.description,
    ...(body.deadband !== undefined && body.deadband !== 0 && { deadband: body.deadband }),
    ...(body.unit !== undefined && body.unit !== '' && { unit: body.unit }),
    ...(body.low !== undefined && { low: body.low }),
    ...(body.high !== undefined && { high: body.high }),
    ...(body.value !== undefined && { value: body.value }),
  };
}

export function templateRecord({ name, plugin, pluginName }: Template): TemplateRecord {
  return { name, plugin, pluginName };
}

export function subscriptionRecord({ app, group, params }: Omit<Subscription, 'id'>): SubscriptionRecord {
  return params === undefined ? { app: app.id, group: group.id } : { app: app.id, group: group.id, params };
}

/** The record of a group alone. */
export function groupEntry(group: AnyGroup): Entry {
  const { id, name, interval, history, pace } = group;
  const rest = { name, interval, ...(history > 0 && { history }), ...pace };
  if ('node' in group) return [keys.group(id), { node: group.node.id, ...rest } satisfies GroupRecord];
  return [keys.templateGroup(id), { template: group.template.id, ...rest } satisfies TemplateGroupRecord];
}

export function tagKey(group: AnyGroup, id: number): string {
  return 'node' in group ? keys.tag(group.id, id) : keys.templateTag(group.id, id);
}

export function tagEntry(group: AnyGroup, tag: Tag): Entry {
  return [tagKey(group, tag.id), tagRecord(tag)];
}

/** The records of tags of a group, made one by one as they are stored; that of a new group comes first. */
export function* tagEntries(group: AnyGroup, tags: Iterable<Tag>, isNew = false): Generator<Entry> {
  if (isNew) yield groupEntry(group);
  for (const tag of tags) yield tagEntry(group, tag);
}

/** The records of a group and of all its tags. */
export function groupEntries(group: AnyGroup): Generator<Entry> {
  return tagEntries(group, group.tags.values(), true);
}

/** Keys of these records. */
export function* groupKeys(group: AnyGroup): Generator<string> {
  yield 'node' in group ? keys.group(group.id) : keys.templateGroup(group.id);
  for (const { id } of group.tags.values()) yield tagKey(group, id);
}
