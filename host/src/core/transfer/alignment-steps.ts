import { isDeepStrictEqual } from 'node:util';
import { ErrorCode, RunningState } from '@tagway/schemas';
import { tagLimit } from '../access/license.ts';
import type { Group, Node, Subscription, Tag, TagBody, Template } from '../model.ts';
import { type CheckedNode, makeNodes } from '../nodes/node-factory.ts';
import {
  type Entry,
  groupEntries,
  groupEntry,
  groupKeys,
  keys,
  nodeRecord,
  subscriptionRecord,
  tagEntry,
  tagKey,
  tagOf,
} from '../records/records.ts';
import type { State } from '../records/state.ts';
import { Pacer } from '../system/pacer.ts';
import { Refusal, sentence } from '../system/sentence.ts';
import { newGroup } from '../tags/group-owners.ts';
import { paceOf } from '../tags/group-pace.ts';
import {
  type CheckedTemplate,
  makeTemplate,
  templateEntries,
  templateKeys,
} from '../templates/template-drafts.ts';
import { type Differences, type GroupChange, isSameHead, type NodeChange } from './comparison.ts';
import type { NodeDraft } from './drafts.ts';
import { nodeEntries, nodeKeys } from './replacement.ts';

/** What of a draft plugins have been asked about. */
export interface Checked {
  readonly nodes: ReadonlyMap<NodeDraft, CheckedNode>;
  readonly tags: ReadonlySet<TagBody>;
  readonly subscriptions: ReadonlySet<object>;
  readonly templates: ReadonlyMap<object, CheckedTemplate>;
}

/** A node that stays, as it is to be. */
export interface NodeStep {
  readonly change: NodeChange;
  readonly next: Pick<Node, 'running' | 'params' | 'settings' | 'profile'>;
  readonly groups: readonly GroupStep[];
}

/** A group that is new or changes. */
interface GroupStep {
  readonly change: GroupChange;
  readonly group: Group;
  /** Tags that take the place of others, and those that are new. */
  readonly changed: readonly Tag[];
  readonly added: readonly Tag[];
}

/** All that is to be stored and then done. */
export interface Steps extends Pick<Differences, 'removed' | 'unsubscribed' | 'removedTemplates'> {
  readonly nodes: readonly NodeStep[];
  readonly fresh: readonly Node[];
  readonly resubscribed: readonly Subscription[];
  readonly subscribed: readonly Subscription[];
  readonly templates: readonly Template[];
}

/** Throws BUSY when something changed after the plugins were asked, so that there is more to ask them. */
function checkStill<T>(found: T | undefined): T {
  if (found !== undefined && found !== false) return found;
  throw new Refusal(
    ErrorCode.BUSY,
    sentence`Somebody else has changed the configuration at this moment, so nothing was changed. Try again.`,
  );
}

/** What a draft asks for, as objects. Called under the lock of changes. Throws BUSY, or LICENSE_MAX_TAGS. */
export async function stepsOf(state: State, differences: Differences, checked: Checked): Promise<Steps> {
  const pacer = new Pacer();
  const fresh = await makeNodes(
    state,
    differences.added.map((draft) => checkStill(checked.nodes.get(draft))),
  );
  const nodes: NodeStep[] = [];
  for (const change of differences.changed) nodes.push(await nodeStep(state, change, checked, pacer));
  const made = new Map(fresh.map((node) => [node.name, node]));
  const nodeOf = (name: string): Node | undefined => made.get(name) ?? state.nodes.get(name);
  const groupOf = (driver: string, group: string): Group | undefined => {
    const node = nodeOf(driver);
    const step = nodes.find(({ change }) => change.node === node);
    return step?.groups.find((one) => one.group.name === group)?.group ?? node?.groups.get(group);
  };
  const templates: Template[] = [];
  for (const body of differences.addedTemplates)
    templates.push(await makeTemplate(state, checkStill(checked.templates.get(body))));
  return {
    ...differences,
    nodes,
    fresh,
    templates,
    resubscribed: differences.resubscribed.map(([before, draft]) => {
      checkStill(checked.subscriptions.has(draft));
      return { ...before, params: draft.params };
    }),
    subscribed: differences.subscribed.map((draft) => {
      checkStill(checked.subscriptions.has(draft));
      const app = checkStill(nodeOf(draft.app));
      return {
        id: state.newId(),
        app,
        group: checkStill(groupOf(draft.driver, draft.group)),
        params: draft.params,
      };
    }),
  };
}

async function nodeStep(state: State, change: NodeChange, checked: Checked, pacer: Pacer): Promise<NodeStep> {
  const { node, draft, params } = change;
  const { settings, params: meant } = checkStill(checked.nodes.get(draft));
  if (!isDeepStrictEqual(params, meant)) checkStill(undefined);
  checkRoom(state, node, draft);
  const groups: GroupStep[] = [];
  for (const one of change.groups) groups.push(await groupStep(state, node, one, checked, pacer));
  const isSet = params !== undefined;
  return {
    change,
    groups,
    next: {
      running: runningOf(node, draft, isSet),
      params: isSet ? params : node.params,
      settings: isSet ? settings : node.settings,
      profile: draft.profile,
    },
  };
}

/** What the operator wants from now on. A node that its plugin refused stays so until it gets other settings. */
function runningOf({ running, params }: Node, { isStopped }: NodeDraft, isSet: boolean): RunningState {
  if (!isSet && params === undefined) return running;
  if (isStopped) return RunningState.STOPPED;
  return isSet || running === RunningState.STOPPED ? RunningState.RUNNING : running;
}

/** What is there already runs on, also where a license allows less by now. */
function checkRoom(state: State, { groups }: Node, draft: NodeDraft): void {
  const count = (all: Iterable<{ readonly tags: Iterable<unknown> | ReadonlyMap<string, Tag> }>): number =>
    Array.from(all).reduce(
      (sum, { tags }) => sum + ('size' in tags ? tags.size : Array.from(tags).length),
      0,
    );
  const most = Math.max(tagLimit(state), count(groups.values()));
  if (count(draft.groups) > most)
    throw new Refusal(
      ErrorCode.LICENSE_MAX_TAGS,
      sentence`The license allows ${tagLimit(state)} tags for each node.`,
    );
}

async function groupStep(
  state: State,
  node: Node,
  change: GroupChange,
  checked: Checked,
  pacer: Pacer,
): Promise<GroupStep> {
  const { draft, present } = change;
  const group = present ?? newGroup(state.newId(), node, draft);
  const changed: Tag[] = [];
  const added: Tag[] = [];
  for (const [before, body] of change.changed) {
    checkStill(checked.tags.has(body));
    changed.push(tagOf(before.id, body));
    if (pacer.isDue) await pacer.rest();
  }
  for (const body of change.added) {
    checkStill(checked.tags.has(body));
    added.push(tagOf(state.newId(), body));
    if (pacer.isDue) await pacer.rest();
  }
  if (present === undefined) for (const tag of added) group.tags.set(tag.name, tag);
  return { change, group, changed, added };
}

/** The records that are stored. */
export function* entriesOf(steps: Steps): Generator<Entry> {
  for (const { change, next, groups } of steps.nodes) {
    const { node } = change;
    yield [keys.node(node.id), nodeRecord({ ...node, ...next })];
    for (const step of groups) yield* groupStepEntries(step);
  }
  for (const node of steps.fresh) yield* nodeEntries(node);
  for (const subscription of [...steps.resubscribed, ...steps.subscribed])
    yield [keys.subscription(subscription.id), subscriptionRecord(subscription)];
  for (const template of steps.templates) yield* templateEntries(template);
}

function* groupStepEntries({ change, group, changed, added }: GroupStep): Generator<Entry> {
  const { draft, present } = change;
  if (present === undefined) {
    yield* groupEntries(group);
    return;
  }
  if (!isSameHead(present, draft)) yield groupEntry({ ...present, ...headOf(draft) });
  for (const tag of changed) yield tagEntry(group, tag);
  for (const tag of added) yield tagEntry(group, tag);
}

/** What a group is as its draft has it, apart from its tags. */
export function headOf({
  interval,
  history = 0,
  pace = {},
}: GroupChange['draft']): Pick<Group, 'interval' | 'history' | 'pace'> {
  return { interval, history, pace: paceOf(pace) };
}

/** Keys of the records that are deleted. */
export function* keysOf({ removed, nodes, unsubscribed, removedTemplates }: Steps): Generator<string> {
  for (const node of removed) yield* nodeKeys(node);
  for (const { change, groups } of nodes) {
    for (const group of change.removed) {
      yield* groupKeys(group);
      for (const { id } of group.subscriptions.values()) yield keys.subscription(id);
    }
    for (const { group, change: one } of groups) for (const { id } of one.removed) yield tagKey(group, id);
  }
  for (const { id } of unsubscribed) yield keys.subscription(id);
  for (const template of removedTemplates) yield* templateKeys(template);
}
