import { ErrorCode, RunningState } from '@tagway/schemas';
import { newGroup } from '../tags/group-owners.ts';
import { tagCount, tagLimit } from '../access/license.ts';
import type { Node, Params, Plugin } from '../model.ts';
import { Pacer } from '../system/pacer.ts';
import { tagOf } from '../records/records.ts';
import type { State } from '../records/state.ts';
import type { NodeDraft } from '../transfer/drafts.ts';
import { checkCurrent } from './plugins.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** A node that may be made. */
export interface CheckedNode extends Omit<NodeDraft, 'plugin'> {
  readonly plugin: Plugin;
  readonly settings: Params | undefined;
}

/** Makes nodes that the gateway does not have yet. Rejects with BUSY or LICENSE_MAX_TAGS. */
export async function makeNodes(state: State, checked: readonly CheckedNode[]): Promise<Node[]> {
  const pace = new Pacer();
  const made: Node[] = [];
  for (const node of checked) made.push(await makeNode(state, node, pace));
  return made;
}

export async function makeNode(
  state: State,
  { name, plugin, params, settings, isStopped, groups, profile }: CheckedNode,
  pace = new Pacer(),
): Promise<Node> {
  const started = isStopped ? RunningState.STOPPED : RunningState.RUNNING;
  checkCurrent(state, plugin);
  const node: Node = {
    id: state.newId(),
    name,
    plugin,
    params,
    settings,
    running: settings === undefined ? RunningState.INIT : started,
    groups: new Map(),
    subscriptions: new Map(),
    profile,
  };
  for (const draft of groups) {
    const group = newGroup(state.newId(), node, draft);
    for (const body of draft.tags) {
      group.tags.set(body.name, tagOf(state.newId(), body));
      if (pace.isDue) await pace.rest();
    }
    node.groups.set(group.name, group);
  }
  const limit = tagLimit(state);
  if (tagCount(node) > limit)
    throw new Refusal(ErrorCode.LICENSE_MAX_TAGS, sentence`The license allows ${limit} tags for each node.`);
  return node;
}
