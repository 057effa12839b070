import type { Fault } from '@tagway/sdk';
import { checkNodeCount } from '../access/license.ts';
import type { Launches } from '../nodes/launches.ts';
import type { Condition, State } from '../records/state.ts';
import { takeEffect } from './alignment-effects.ts';
import { type Checked, entriesOf, keysOf, stepsOf } from './alignment-steps.ts';
import { type Differences, differencesFrom } from './comparison.ts';
import type { ConfigurationDraft } from './configuration-draft.ts';
import {
  checkDistinct,
  checkNodes,
  checkSubscriptions,
  checkTemplates,
  type KnownNode,
  problemsOf,
} from './draft-checks.ts';
import type { NodeDraft } from './drafts.ts';

/** Makes the configuration what a draft says, in one step, and leaves alone what is so already. See `Transfer.align`. */
export async function align(
  state: State,
  launches: Launches,
  wanted: ConfigurationDraft,
  condition?: Condition,
): Promise<void> {
  checkDistinct(wanted);
  const checked = await check(state, wanted, await differencesFrom(state, wanted));
  const { outcome } = await state.change(async () => {
    const differences = await differencesFrom(state, wanted);
    if (isNothing(differences)) return { outcome: undefined };
    checkNodeCount(state, wanted.nodes.length);
    state.links.checkCircles(wanted.nodes);
    const steps = await stepsOf(state, differences, checked);
    await state.ports.snapshots.make('import');
    await state.commit({ set: entriesOf(steps), delete: keysOf(steps) });
    return { outcome: takeEffect(state, launches, steps) };
  }, condition);
  await outcome;
}

/** Every reason for which `align` would refuse a draft, as far as they do not follow from one another. */
export async function alignmentProblems(state: State, wanted: ConfigurationDraft): Promise<Fault[]> {
  checkDistinct(wanted);
  const differences = await differencesFrom(state, wanted);
  const { nodes, ...rest } = freshOf(differences);
  return problemsOf(state, wanted.nodes, { nodes, ...rest }, knownNodes(state, wanted, nodes));
}

/** What plugins have to be asked about: drafts with only those groups and tags that are new or change. */
function freshOf({
  changed,
  added,
  resubscribed,
  subscribed,
  addedTemplates,
}: Differences): ConfigurationDraft & { readonly originals: readonly NodeDraft[] } {
  return {
    nodes: [
      ...added,
      ...changed.map(({ draft, params, groups }) => ({
        ...draft,
        params,
        groups: groups.map((group) => ({
          ...group.draft,
          tags: [...group.changed.map(([, body]) => body), ...group.added],
        })),
      })),
    ],
    originals: [...added, ...changed.map(({ draft }) => draft)],
    subscriptions: [...subscribed, ...resubscribed.map(([, draft]) => draft)],
    templates: addedTemplates,
  };
}

/** All nodes of a draft whose plugins are known, with all their groups, apart from those of `fresh`. */
function knownNodes(state: State, { nodes }: ConfigurationDraft, fresh: readonly NodeDraft[]): KnownNode[] {
  const without = new Set(fresh.filter(({ name }) => !state.nodes.has(name)).map(({ name }) => name));
  return nodes.flatMap(({ name, plugin, groups }) => {
    const known = without.has(name)
      ? undefined
      : (state.ports.plugins.byName(plugin) ?? state.nodes.get(name)?.plugin);
    return known === undefined ? [] : [{ name, plugin: known, groups }];
  });
}

async function check(state: State, wanted: ConfigurationDraft, differences: Differences): Promise<Checked> {
  const { nodes, originals, subscriptions, templates = [] } = freshOf(differences);
  const checked = await checkNodes(state, nodes);
  const all = new Map(checked.map((node): [string, KnownNode] => [node.name, node]));
  for (const node of knownNodes(state, wanted, [])) all.set(node.name, node);
  await checkSubscriptions(state, [...all.values()], subscriptions);
  const checkedTemplates = await checkTemplates(state, templates);
  return {
    nodes: new Map(originals.map((draft, at) => [draft, checked[at]!])),
    tags: new Set(nodes.flatMap(({ groups }) => groups.flatMap(({ tags }) => tags))),
    subscriptions: new Set(subscriptions),
    templates: new Map(templates.map((body, at) => [body, checkedTemplates[at]!])),
  };
}

function isNothing(differences: Differences): boolean {
  return Object.values(differences).every((list: readonly unknown[]) => list.length === 0);
}
