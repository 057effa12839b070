import { isDeepStrictEqual } from 'node:util';
import { RunningState } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import type { Group, Node, Params, Subscription, Tag, TagBody, TagGroup, Template } from '../model.ts';
import { tagOf } from '../records/records.ts';
import type { State } from '../records/state.ts';
import { Pacer } from '../system/pacer.ts';
import { isSamePace, paceOf } from '../tags/group-pace.ts';
import { isSameTag } from '../tags/tag-batch.ts';
import type { TemplateBody } from '../templates/template-drafts.ts';
import { meantParams, subscriptionKey } from './draft-checks.ts';
import type { ConfigurationDraft } from './configuration-draft.ts';
import type { GroupDraft, NodeDraft, SubscriptionDraft } from './drafts.ts';

/** A group whose draft is not what is there. */
export interface GroupChange {
  readonly draft: GroupDraft;
  /** Undefined: the group is new. */
  readonly present: Group | undefined;
  readonly removed: readonly Tag[];
  readonly changed: readonly (readonly [before: Tag, now: TagBody])[];
  readonly added: readonly TagBody[];
}

/** A node whose draft is not what is there. */
export interface NodeChange {
  readonly node: Node;
  readonly draft: NodeDraft;
  /** Settings, with secrets; undefined where they stay as they are. */
  readonly params: Params | undefined;
  readonly groups: readonly GroupChange[];
  readonly removed: readonly Group[];
}

/** All of a draft that is not what is there. */
export interface Differences {
  readonly removed: readonly Node[];
  readonly changed: readonly NodeChange[];
  readonly added: readonly NodeDraft[];
  /** Without those of nodes and groups that are removed. */
  readonly unsubscribed: readonly Subscription[];
  readonly resubscribed: readonly (readonly [before: Subscription, now: SubscriptionDraft])[];
  readonly subscribed: readonly SubscriptionDraft[];
  readonly removedTemplates: readonly Template[];
  readonly addedTemplates: readonly TemplateBody[];
}

/** Compares a draft, whose names are distinct, with what is there. */
export async function differencesFrom(state: State, wanted: ConfigurationDraft): Promise<Differences> {
  const pacer = new Pacer();
  const kept = new Set<Node>();
  const gone = new Set<Group>();
  const changed: NodeChange[] = [];
  const added: NodeDraft[] = [];
  for (const draft of wanted.nodes) {
    const node = state.nodes.get(draft.name);
    if (node === undefined || !isSameKind(state, node, draft)) {
      added.push(draft);
      continue;
    }
    kept.add(node);
    const change = await changeOf(state, node, draft, pacer);
    for (const group of change?.removed ?? []) gone.add(group);
    if (change !== undefined) changed.push(change);
  }
  const removed = [...state.nodes.values()].filter((node) => !kept.has(node));
  const stays = ({ group }: Subscription): boolean => kept.has(group.node) && !gone.has(group);
  const present = new Map(
    [...kept].flatMap((app) =>
      [...app.subscriptions.values()]
        .filter(stays)
        .map((one) => [subscriptionKey({ app: app.name, ...placeOf(one) }), one] as const),
    ),
  );
  const resubscribed: (readonly [Subscription, SubscriptionDraft])[] = [];
  const subscribed: SubscriptionDraft[] = [];
  for (const draft of wanted.subscriptions) {
    const key = subscriptionKey(draft);
    const before = present.get(key);
    present.delete(key);
    if (before === undefined) subscribed.push(draft);
    else if (!isDeepStrictEqual(before.params, draft.params)) resubscribed.push([before, draft]);
  }
  return {
    removed,
    changed,
    added,
    resubscribed,
    subscribed,
    unsubscribed: [...present.values()],
    ...templateDifferences(state, wanted.templates),
  };
}

function placeOf({ group }: Subscription): { readonly driver: string; readonly group: string } {
  return { driver: group.node.name, group: group.name };
}

/** Settings cannot be taken from a node, so a draft without them is another node. */
function isSameKind(state: State, node: Node, { plugin, params }: NodeDraft): boolean {
  const isPlugin = node.plugin.name === plugin || state.ports.plugins.byName(plugin)?.id === node.plugin.id;
  return isPlugin && (params !== undefined || node.params === undefined);
}

async function changeOf(
  state: State,
  node: Node,
  draft: NodeDraft,
  pacer: Pacer,
): Promise<NodeChange | undefined> {
  const meant = meantOf(state, node, draft);
  const params = isDeepStrictEqual(meant, node.params) ? undefined : meant;
  const groups: GroupChange[] = [];
  for (const one of draft.groups) {
    const group = await groupChange(node.groups.get(one.name), one, pacer);
    if (group !== undefined) groups.push(group);
  }
  const names = new Set(draft.groups.map(({ name }) => name));
  const removed = [...node.groups.values()].filter(({ name }) => !names.has(name));
  const isSame =
    params === undefined &&
    groups.length + removed.length === 0 &&
    (draft.isStopped === (node.running === RunningState.STOPPED) || node.running === RunningState.INIT) &&
    isDeepStrictEqual(draft.profile, node.profile);
  return isSame ? undefined : { node, draft, params, groups, removed };
}

/** With the masks that stand for no secret, which the check of the draft refuses. */
function meantOf(state: State, { plugin, params }: Node, draft: NodeDraft): Params | undefined {
  // Nothing is known of secrets of a missing plugin: all that is shown of its settings are masks.
  if (plugin.absent === true) return params;
  try {
    return meantParams(state, draft, plugin);
  } catch (error) {
    if (!isFault(error)) throw error;
    return draft.params;
  }
}

async function groupChange(
  present: Group | undefined,
  draft: GroupDraft,
  pacer: Pacer,
): Promise<GroupChange | undefined> {
  if (present === undefined) return { draft, present, removed: [], changed: [], added: draft.tags };
  const left = new Map(present.tags);
  const changed: (readonly [Tag, TagBody])[] = [];
  const added: TagBody[] = [];
  for (const body of draft.tags) {
    if (pacer.isDue) await pacer.rest();
    const before = left.get(body.name);
    left.delete(body.name);
    if (before === undefined) added.push(body);
    else if (!isSameTag(tagOf(before.id, body), before)) changed.push([before, body]);
  }
  const isSame = left.size + changed.length + added.length === 0 && isSameHead(present, draft);
  return isSame ? undefined : { draft, present, removed: [...left.values()], changed, added };
}

/** Whether a group is as its draft, apart from its tags. */
export function isSameHead(present: TagGroup, { interval, history = 0, pace = {} }: GroupDraft): boolean {
  return (
    present.interval === interval && present.history === history && isSamePace(present.pace, paceOf(pace))
  );
}

function templateDifferences(
  state: State,
  wanted: readonly TemplateBody[] | undefined,
): Pick<Differences, 'removedTemplates' | 'addedTemplates'> {
  if (wanted === undefined) return { removedTemplates: [], addedTemplates: [] };
  const left = new Map(state.templates);
  const addedTemplates = wanted.filter((body) => {
    const present = left.get(body.name);
    if (present === undefined || !isSameTemplate(state, present, body)) return true;
    left.delete(body.name);
    return false;
  });
  return { removedTemplates: [...left.values()], addedTemplates };
}

function isSameTemplate(state: State, { plugin, pluginName, groups }: Template, body: TemplateBody): boolean {
  const isPlugin = pluginName === body.plugin || state.ports.plugins.byName(body.plugin)?.id === plugin;
  const present = [...groups.values()];
  return (
    isPlugin &&
    present.length === body.groups.length &&
    body.groups.every((draft, at) => {
      const group = present[at]!;
      const tags = [...group.tags.values()];
      return (
        group.name === draft.name &&
        isSameHead(group, draft) &&
        tags.length === draft.tags.length &&
        draft.tags.every(
          (tag, index) => tag.name === tags[index]!.name && isSameTag(tagOf(0, tag), tags[index]!),
        )
      );
    })
  );
}
