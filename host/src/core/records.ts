import type { NodeType, RunningState } from '@tagway/schemas';
import type { Group, Node, Params, Subscription, Tag, Template, TemplateGroup } from './model.ts';

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
  license: 'license',
};

function pad(id: number): string {
  return String(id).padStart(12, '0');
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
}

export interface GroupRecord {
  readonly node: number;
  readonly name: string;
  readonly interval: number;
}

/** Members that have their default value are left out. */
export type TagRecord = Pick<Tag, 'name' | 'address' | 'attribute' | 'type'> & Partial<Omit<Tag, 'id'>>;

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

export interface TemplateGroupRecord {
  readonly template: number;
  readonly name: string;
  readonly interval: number;
}

/** Of a user, who is named by the key. `hash` and `salt` are base64. */
export interface UserRecord {
  readonly hash: string;
  readonly salt: string;
}

export function nodeRecord({ name, plugin, running, params }: Omit<Node, 'id'>): NodeRecord {
  const record = { name, plugin: plugin.id, pluginName: plugin.name, type: plugin.nodeType, running };
  return params === undefined ? record : { ...record, params };
}

export function groupRecord({
  node,
  name,
  interval,
}: Pick<Group, 'node' | 'name' | 'interval'>): GroupRecord {
  return { node: node.id, name, interval };
}

export function tagRecord(tag: Tag): TagRecord {
  return {
    name: tag.name,
    address: tag.address,
    attribute: tag.attribute,
    type: tag.type,
    ...(tag.precision !== 0 && { precision: tag.precision }),
    ...(tag.decimal !== 0 && { decimal: tag.decimal }),
    ...(tag.bias !== 0 && { bias: tag.bias }),
    ...(tag.description !== '' && { description: tag.description }),
    ...(tag.value !== undefined && { value: tag.value }),
  };
}

/** The tag that a record, or a body of a request, stands for. */
export function tagOf(id: number, record: TagRecord): Tag {
  return {
    id,
    name: record.name,
    address: record.address,
    attribute: record.attribute,
    type: record.type,
    precision: record.precision ?? 0,
    decimal: record.decimal ?? 0,
    bias: record.bias ?? 0,
    description: record.description ?? '',
    ...(record.value !== undefined && { value: record.value }),
  };
}

export function templateRecord({ name, plugin, pluginName }: Template): TemplateRecord {
  return { name, plugin, pluginName };
}

export function templateGroupRecord({
  template,
  name,
  interval,
}: Pick<TemplateGroup, 'template' | 'name' | 'interval'>): TemplateGroupRecord {
  return { template: template.id, name, interval };
}

/** Key and record of a tag of a template. */
export function templateTagRecord(group: TemplateGroup, tag: Tag): [key: string, record: TagRecord] {
  return [keys.templateTag(group.id, tag.id), tagRecord(tag)];
}

export function subscriptionRecord({ app, group, params }: Omit<Subscription, 'id'>): SubscriptionRecord {
  return params === undefined ? { app: app.id, group: group.id } : { app: app.id, group: group.id, params };
}
