import { ErrorCode, Limits, NodeType } from '@tagway/schemas';
import { type Fault, isFault } from '@tagway/sdk';
import { checkLicensed, checkNodeCount } from '../access/license.ts';
import { meantSettings } from '../access/secrets.ts';
import type { Params, Plugin, TagBody } from '../model.ts';
import { checkLength, checkLengths, firstTwice } from '../names.ts';
import type { CheckedNode } from '../nodes/node-factory.ts';
import { checkApp, checkedSettings, pluginNamed, requirePlugin } from '../nodes/plugins.ts';
import type { State } from '../records/state.ts';
import { Refusal, type Sentence, sentence } from '../system/sentence.ts';
import { checkGroupBody } from '../tags/groups.ts';
import { problemsOfTags } from '../tags/row-checks.ts';
import { checkBatch } from '../tags/tag-batch.ts';
import { type CheckedTemplate, checkTemplate, type TemplateBody } from '../templates/template-drafts.ts';
import type { ConfigurationDraft } from './configuration-draft.ts';
import type { GroupDraft, NodeDraft, SubscriptionDraft } from './drafts.ts';

/** What subscriptions are checked against. */
export type KnownNode = Pick<CheckedNode, 'name' | 'plugin'> & {
  readonly groups: readonly Pick<GroupDraft, 'name'>[];
};

/** `mustBeDrivers`: every plugin is one of drivers. */
export async function checkNodes(
  state: State,
  drafts: readonly NodeDraft[],
  mustBeDrivers = false,
): Promise<CheckedNode[]> {
  const names = new Set<string>();
  const checked: CheckedNode[] = [];
  for (const draft of drafts) {
    const { name, groups } = draft;
    if (name === '')
      throw new Refusal(
        ErrorCode.NODE_NAME_EMPTY,
        sentence`The name of the node at index ${checked.length} is empty.`,
      );
    checkLengths(name);
    checkLength(draft.plugin, Limits.pluginName, ErrorCode.PLUGIN_NAME_TOO_LONG, sentence`plugin`);
    if (names.has(name)) throw new Refusal(ErrorCode.BODY_INVALID, nodeTwice(name));
    names.add(name);
    const plugin = pluginNamed(state, draft.plugin);
    if (mustBeDrivers && plugin.nodeType !== NodeType.DRIVER)
      throw new Refusal(
        ErrorCode.PLUGIN_TYPE_UNSUPPORTED,
        sentence`The plugin "${plugin.name}" is not of drivers.`,
      );
    checkLicensed(state, plugin);
    requirePlugin(plugin);
    await checkGroups(state, name, plugin, groups);
    const params = meantParams(state, draft, plugin);
    const beginning = sentence`Settings of the node "${name}": `;
    const settings = params && (await checkedSettings(state, plugin, params, beginning));
    checked.push({ ...draft, params, plugin, settings });
  }
  return checked;
}

/** A mask stands for the secret of the node of this name, unless that node is of another plugin. */
export function meantParams(
  state: State,
  { name, params }: Pick<NodeDraft, 'name' | 'params'>,
  plugin: Plugin,
): Params | undefined {
  const before = state.nodes.get(name);
  const stored = before?.plugin.id === plugin.id ? before.params : undefined;
  return params && meantSettings(plugin, params, name, stored);
}

async function checkGroups(
  state: State,
  node: string,
  plugin: Plugin,
  groups: readonly GroupDraft[],
): Promise<void> {
  if (groups.length > 0 && plugin.nodeType !== NodeType.DRIVER)
    throw new Refusal(ErrorCode.GROUP_NOT_ALLOWED, sentence`The node "${node}" is an app and has no groups.`);
  const names = new Set<string>();
  for (const group of groups) {
    const { name, tags } = group;
    checkLengths(node, name);
    checkGroupBody(group);
    if (names.has(name)) throw new Refusal(ErrorCode.GROUP_EXISTS, groupTwice(node, name));
    names.add(name);
    const { error, message } = await checkBatch(state, plugin, tags);
    const place = placeOf(node, name);
    if (error !== 0) throw new Refusal(error, sentence`A tag ${place} is refused. ${message ?? ''}`);
    const twice = tagTwice(tags, place);
    if (twice !== undefined) throw twice;
  }
}

/** Throws when two nodes, two groups of a node, two tags of a group, two subscriptions or two templates are of one name. */
export function checkDistinct({ nodes, subscriptions, templates = [] }: ConfigurationDraft): void {
  const node = firstTwice(nodes.map(({ name }) => name));
  if (node !== undefined) throw new Refusal(ErrorCode.BODY_INVALID, nodeTwice(node));
  for (const { name, groups } of nodes) {
    const group = firstTwice(groups.map((one) => one.name));
    if (group !== undefined) throw new Refusal(ErrorCode.GROUP_EXISTS, groupTwice(name, group));
    for (const one of groups) {
      const twice = tagTwice(one.tags, placeOf(name, one.name));
      if (twice !== undefined) throw twice;
    }
  }
  checkSubscribedOnce(subscriptions);
  checkTemplatesOnce(templates);
}

function checkSubscribedOnce(subscriptions: readonly SubscriptionDraft[]): void {
  const twice = firstTwice(subscriptions.map(subscriptionKey));
  if (twice !== undefined)
    throw new Refusal(ErrorCode.BODY_INVALID, sentence`The subscription ${twice} is there twice.`);
}

function checkTemplatesOnce(bodies: readonly TemplateBody[]): void {
  const twice = firstTwice(bodies.map(({ name }) => name));
  if (twice !== undefined)
    throw new Refusal(ErrorCode.TEMPLATE_EXISTS, sentence`The template "${twice}" is there twice.`);
}

/** Throws when a subscription names what is not there, or two are the same; the apps are asked about each. */
export async function checkSubscriptions(
  state: State,
  nodes: readonly KnownNode[],
  subscriptions: readonly SubscriptionDraft[],
): Promise<void> {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  for (const { app: name, driver, group, params } of subscriptions) {
    const app = byName.get(name);
    if (app === undefined) throw new Refusal(ErrorCode.NODE_NOT_FOUND, sentence`There is no node "${name}".`);
    checkApp(app);
    if (byName.get(driver)?.groups.every((one) => one.name !== group) ?? true)
      throw new Refusal(ErrorCode.GROUP_NOT_FOUND, sentence`The node "${driver}" has no group "${group}".`);
    await state.ports.runtime.checkSubscription(app.plugin, { driver, group, params });
  }
  checkSubscribedOnce(subscriptions);
}

/** Names a subscription. */
export function subscriptionKey({ app, driver, group }: Omit<SubscriptionDraft, 'params'>): string {
  return JSON.stringify([app, driver, group]);
}

export async function checkTemplates(
  state: State,
  bodies: readonly TemplateBody[],
): Promise<CheckedTemplate[]> {
  checkTemplatesOnce(bodies);
  const checked: CheckedTemplate[] = [];
  for (const body of bodies) checked.push(await checkTemplate(state, body));
  return checked;
}

/**
 * All that is wrong with a configuration of `all` nodes, as far as it does not follow from one another. `fresh` is what plugins are asked
 * about; its subscriptions may be to and of `known` nodes, too.
 */
export async function problemsOf(
  state: State,
  all: readonly NodeDraft[],
  { nodes, subscriptions, templates = [] }: ConfigurationDraft,
  known: readonly KnownNode[],
): Promise<Fault[]> {
  const faults: Fault[] = [];
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    await work().catch((error: unknown) => {
      if (!isFault(error)) throw error;
      faults.push(error);
    });
  };
  const good: KnownNode[] = [];
  for (const draft of nodes) {
    const groups = draft.groups.map((group) => ({ ...group, tags: [] }));
    await attempt(async () => void good.push(...(await checkNodes(state, [{ ...draft, groups }]))));
    faults.push(...(await faultsOfTags(state, draft)));
  }
  await attempt(async () => checkNodeCount(state, all.length));
  await attempt(async () => state.links.checkCircles(all));
  const twice = firstTwice(nodes.map(({ name }) => name));
  if (twice !== undefined) faults.push(new Refusal(ErrorCode.BODY_INVALID, nodeTwice(twice)));
  const given = new Set(nodes.map(({ name }) => name));
  const isBad = (name: string): boolean => given.has(name) && good.every((node) => node.name !== name);
  for (const one of subscriptions)
    if (!isBad(one.app) && !isBad(one.driver))
      await attempt(() => checkSubscriptions(state, [...known, ...good], [one]));
  for (const body of templates)
    await attempt(async () => {
      await checkTemplates(state, [body]);
    });
  return faults;
}

/** All that is wrong with the tags of a node that is to be imported. */
async function faultsOfTags(state: State, { name, plugin: pluginName, groups }: NodeDraft): Promise<Fault[]> {
  const plugin = state.ports.plugins.byName(pluginName);
  if (plugin?.nodeType !== NodeType.DRIVER || plugin.absent === true) return [];
  const faults: Fault[] = [];
  for (const { name: group, tags } of groups) {
    const place = placeOf(name, group);
    for (const { index, error, message } of await problemsOfTags(state, plugin, tags))
      faults.push(new Refusal(error, sentence`A tag ${place} is refused (tags[${index}]). ${message}`));
    const twice = tagTwice(tags, place);
    if (twice !== undefined) faults.push(twice);
  }
  return faults;
}

function placeOf(node: string, group: string): Sentence {
  return sentence`of the group "${group}" of "${node}"`;
}

function nodeTwice(name: string): Sentence {
  return sentence`The node "${name}" is there twice.`;
}

function groupTwice(node: string, group: string): Sentence {
  return sentence`The node "${node}" has the group "${group}" twice.`;
}

function tagTwice(tags: readonly TagBody[], place: Sentence): Fault | undefined {
  const twice = firstTwice(tags.map(({ name }) => name));
  return twice === undefined
    ? undefined
    : new Refusal(ErrorCode.TAG_NAME_CONFLICT, sentence`The tag "${twice}" ${place} is there twice.`);
}
