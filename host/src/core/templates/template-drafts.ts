import { ErrorCode, Limits, NodeType } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { checkGroupBody } from '../tags/groups.ts';
import type { Plugin, Template, TemplateGroup } from '../model.ts';
import { checkLength, checkTemplateLengths, firstTwice } from '../names.ts';
import { Pacer } from '../system/pacer.ts';
import { type Entry, groupEntries, groupKeys, keys, templateRecord } from '../records/records.ts';
import { pluginNamed } from '../nodes/plugins.ts';
import type { State } from '../records/state.ts';
import { additions, type BatchResult, checkBatch, checkNames } from '../tags/tag-batch.ts';
import { checkTag, longestAddress } from '../tags/tag-check.ts';
import type { GroupDraft } from '../transfer/drafts.ts';
import { Refusal, sentence } from '../system/sentence.ts';
import { paceOf } from '../tags/group-pace.ts';

/** A template as clients send it. */
export interface TemplateBody {
  readonly name: string;
  /** Name of the plugin. */
  readonly plugin: string;
  readonly groups: readonly GroupDraft[];
}

/** A template that may be made, as long as nothing of its name is there. */
export interface CheckedTemplate {
  readonly body: TemplateBody;
  readonly plugin: Plugin;
}

/** Rejects with the code of the first thing that is wrong, PLUGIN_NOT_FOUND and TEMPLATES_UNSUPPORTED among them. */
export async function checkTemplate(state: State, body: TemplateBody): Promise<CheckedTemplate> {
  await checkBody(state, body);
  const plugin = driverPlugin(state, body.plugin);
  checkDistinct(body);
  const checked = await checkBatch(
    state,
    plugin,
    body.groups.flatMap(({ tags }) => tags),
  );
  if (checked.error !== 0) throw refused(checked);
  return { body, plugin };
}

/** Makes a template that the gateway does not have yet. Throws when two tags of a group have one name. */
export async function makeTemplate(state: State, { body, plugin }: CheckedTemplate): Promise<Template> {
  const template: Template = {
    id: state.newId(),
    name: body.name,
    plugin: plugin.id,
    pluginName: plugin.name,
    groups: new Map(),
  };
  for (const { name, interval, history = 0, pace, tags } of body.groups) {
    const batch = await additions(state, undefined, tags, { index: tags.length, error: 0 }, unlinked);
    if (batch.error !== 0) throw refused(batch);
    const group: TemplateGroup = {
      id: state.newId(),
      template,
      name,
      interval,
      history,
      pace: paceOf(pace ?? {}),
      tags: new Map(batch.tags.map((tag) => [tag.name, tag])),
    };
    template.groups.set(name, group);
  }
  return template;
}

/** The records of a template, its groups and their tags. */
export function* templateEntries(template: Template): Generator<Entry> {
  yield [keys.template(template.id), templateRecord(template)];
  for (const group of template.groups.values()) yield* groupEntries(group);
}

/** Keys of these records. */
export function* templateKeys(template: Template): Generator<string> {
  yield keys.template(template.id);
  for (const group of template.groups.values()) yield* groupKeys(group);
}

/** What a template refers to need not be there yet. */
const unlinked = (): undefined => undefined;

function driverPlugin(state: State, name: string): Plugin {
  const plugin = pluginNamed(state, name, ErrorCode.PLUGIN_NOT_FOUND);
  if (plugin.nodeType !== NodeType.DRIVER) {
    throw new Refusal(
      ErrorCode.TEMPLATES_UNSUPPORTED,
      sentence`The plugin "${name}" is an app's; templates are for drivers.`,
    );
  }
  return plugin;
}

async function checkBody(state: State, { name, plugin, groups }: TemplateBody): Promise<void> {
  const pace = new Pacer();
  const longest = longestAddress(state.ports.dialect, state.ports.plugins.byName(plugin));
  checkTemplateLengths(name);
  checkLength(plugin, Limits.pluginName, ErrorCode.PLUGIN_NAME_TOO_LONG, sentence`plugin`);
  for (const group of groups) {
    checkTemplateLengths(name, group.name);
    checkGroupBody(group);
    checkNames(group.tags);
    for (const tag of group.tags) {
      if (pace.isDue) await pace.rest();
      const fault = checkTag(tag, longest);
      if (fault !== undefined) throw fault;
    }
  }
}

function checkDistinct({ groups }: TemplateBody): void {
  const twice = firstTwice(groups.map(({ name }) => name));
  if (twice !== undefined)
    throw new Refusal(ErrorCode.GROUP_EXISTS, sentence`The template has the group "${twice}" twice.`);
}

function refused({ error, message }: BatchResult): Fault {
  return message === undefined ? new Fault(error) : new Refusal(error, message);
}
