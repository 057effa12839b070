import { ErrorCode, RunningState, type ConfigBody, type DriversBody } from '@tagway/schemas';
import type { Fault } from '@tagway/sdk';
import type { Gateway } from '../../core/gateway.ts';
import type { TagBody } from '../../core/model.ts';
import type { Condition } from '../../core/records/state.ts';
import type { ConfigurationDraft } from '../../core/transfer/configuration-draft.ts';
import type { TemplateBody } from '../../core/templates/template-drafts.ts';
import type { GroupDraft, NodeDraft } from '../../core/transfer/drafts.ts';
import { driverNameOf, groupNameOf, routesOf, withoutUnknownPlugins } from './import-filter.ts';
import { checkParams } from '../body/params.ts';
import { nodeProfileOf } from '../body/node-profile.ts';
import { tagBodies } from '../body/tag-body.ts';
import { templateOf } from '../endpoints/templates.ts';
import { lookAlikes } from '../../core/nodes/look-alikes.ts';
import { settingWarnings } from '../warnings.ts';
import { refuse } from '../../core/system/refuse.ts';
import { sentence } from '../../core/system/sentence.ts';
import { paceMembers } from '../../core/tags/group-pace.ts';

/** Called with warnings about an import, which do not make it fail. */
export interface ImportNotes {
  /** A sentence about a node or a template that is left out. */
  leftOut(sentence: string): void;
  /** A sentence about a setting that a plugin does not know, or about a name that looks like another one. */
  unknown(sentence: string): void;
}

/**
 * Replaces the whole configuration by a body that fits its definition. Rejects, and nothing changes, when something is wrong or the
 * condition does not hold.
 */
export async function importConfig(
  { plugins, transfer }: Gateway,
  given: ConfigBody,
  notes: ImportNotes,
  condition?: Condition,
): Promise<void> {
  const { body, sentences } = withoutUnknownPlugins(given, (plugin) => plugins.byName(plugin) !== undefined);
  for (const sentence of sentences) notes.leftOut(sentence);
  await noteOddities(plugins, { nodes: body.nodes, settings: given.settings }, notes);
  const { nodes, subscriptions, templates } = await draftOf(body);
  await transfer.replaceAll(nodes, subscriptions, templates, 'import', condition);
}

/** Everything that is wrong with a configuration. Throws when it is so wrong that the rest cannot be checked. */
export async function checkConfig(
  { plugins, transfer }: Gateway,
  given: ConfigBody,
  notes: ImportNotes,
): Promise<readonly Fault[]> {
  const { body, sentences } = withoutUnknownPlugins(given, (plugin) => plugins.byName(plugin) !== undefined);
  for (const sentence of sentences) notes.leftOut(sentence);
  const { nodes, subscriptions, templates } = await draftOf(body);
  return transfer.problems(nodes, subscriptions, templates);
}

/**
 * Makes the configuration what a body says and leaves alone what is so already. Rejects, and nothing changes, when something is wrong, an
 * unknown plugin too, or the condition does not hold.
 */
export async function alignConfig(
  { plugins, transfer }: Gateway,
  body: ConfigBody,
  notes: Pick<ImportNotes, 'unknown'>,
  condition?: Condition,
): Promise<void> {
  await noteOddities(plugins, body, notes);
  await transfer.align(await draftOf(body), condition);
}

/** Everything for which `alignConfig` would refuse a body. Throws when it is so wrong that the rest cannot be checked. */
export async function checkAlignment(
  { plugins, transfer }: Gateway,
  body: ConfigBody,
  notes: Pick<ImportNotes, 'unknown'>,
): Promise<readonly Fault[]> {
  await noteOddities(plugins, body, notes);
  return transfer.alignmentProblems(await draftOf(body));
}

async function draftOf(body: ConfigBody): Promise<ConfigurationDraft> {
  const subscriptions = routesOf(body);
  for (const { params } of subscriptions) checkParams(params);
  return { nodes: await nodesOf(body), subscriptions, templates: await templatesOf(body) };
}

/** Names settings that plugins do not know, and names that look like others. */
async function noteOddities(
  plugins: Gateway['plugins'],
  { nodes, settings }: Pick<ConfigBody, 'nodes' | 'settings'>,
  notes: Pick<ImportNotes, 'unknown'>,
): Promise<void> {
  const pluginOf = new Map(nodes.map(({ name, plugin }) => [name, plugin]));
  for (const [index, { node, params }] of settings.entries()) {
    const plugin = plugins.byName(pluginOf.get(node) ?? '');
    for (const sentence of settingWarnings(plugin, params, `settings[${index}].params`, node))
      notes.unknown(sentence);
  }
  for (const sentence of await lookAlikes(nodes.map(({ name }) => name))) notes.unknown(sentence);
}

/** Adds drivers, or replaces those of the same names. Rejects, and nothing changes, when something is wrong with one. */
export async function importDrivers(
  { nodes, plugins, transfer }: Gateway,
  body: DriversBody,
  notes: ImportNotes,
): Promise<void> {
  for (const [index, { name, plugin, params }] of body.nodes.entries()) {
    const path = `nodes[${index}].params`;
    for (const sentence of settingWarnings(plugins.byName(plugin), params, path, name))
      notes.unknown(sentence);
  }
  const given = body.nodes.map(({ name }) => name);
  const others = nodes.all().flatMap(({ name }) => (given.includes(name) ? [] : [name]));
  for (const sentence of await lookAlikes(given, others)) notes.unknown(sentence);
  const drivers: NodeDraft[] = [];
  for (const node of body.nodes) drivers.push(await driverOf(node));
  await transfer.replaceDrivers(drivers);
}

async function driverOf(node: DriversBody['nodes'][number]): Promise<NodeDraft> {
  const { name, plugin, params, groups = [], profile } = node;
  checkParams(params);
  const drafts: GroupDraft[] = [];
  for (const one of groups) {
    const { group, name: other = '', interval, history, tags = [] } = one;
    drafts.push({
      name: group ?? other,
      interval,
      history,
      pace: paceMembers(one),
      tags: await tagBodies(tags),
    });
  }
  return {
    name,
    plugin,
    params,
    isStopped: false,
    groups: drafts,
    profile: profile && nodeProfileOf(profile),
  };
}

async function templatesOf({ templates }: ConfigBody): Promise<TemplateBody[] | undefined> {
  if (templates === undefined) return undefined;
  const bodies: TemplateBody[] = [];
  for (const template of templates) bodies.push(await templateOf(template));
  return bodies;
}

/** The nodes of a configuration with their groups, tags and settings, which are in lists of their own. */
async function nodesOf(body: ConfigBody): Promise<NodeDraft[]> {
  const groups = new Map<string, Map<string, Omit<GroupDraft, 'name'> & { readonly tags: TagBody[] }>>();
  for (const { name } of body.nodes) groups.set(name, new Map());
  const of = (driver: string) =>
    groups.get(driver) ?? refuse(ErrorCode.NODE_NOT_FOUND, sentence`There is no node "${driver}".`);

  for (const one of body.groups) {
    const driver = driverNameOf(one);
    const group = groupNameOf(one);
    const { interval, history } = one;
    const present = of(driver);
    if (present.has(group))
      refuse(ErrorCode.GROUP_EXISTS, sentence`The node "${driver}" has the group "${group}" twice.`);
    present.set(group, { interval, history, pace: paceMembers(one), tags: [] });
  }
  for (const one of body.tags) {
    const driver = driverNameOf(one);
    const group = groupNameOf(one);
    const present =
      of(driver).get(group) ??
      refuse(ErrorCode.GROUP_NOT_FOUND, sentence`The node "${driver}" has no group "${group}".`);
    for (const tag of await tagBodies(one.tags)) present.tags.push(tag);
  }
  const settings = new Map<string, object>();
  for (const { node, params } of body.settings) {
    of(node);
    checkParams(params);
    if (settings.has(node))
      refuse(ErrorCode.BODY_INVALID, sentence`The settings of the node "${node}" are there twice.`);
    settings.set(node, params);
  }
  return body.nodes.map(({ name, plugin, running, profile }) => ({
    name,
    plugin,
    isStopped: running === RunningState.STOPPED,
    params: settings.get(name) as NodeDraft['params'],
    profile: profile && nodeProfileOf(profile),
    groups: Array.from(of(name), ([group, rest]) => ({ name: group, ...rest })),
  }));
}
