import { unknownMembersOf, unknownSettingsOf } from '@tagway/schemas/validate';
import type { ApiTypes } from '@tagway/schemas';
import type { Plugin } from '../core/model.ts';
import { lookAlikes } from '../core/nodes/look-alikes.ts';
import type { Nodes } from '../core/nodes/nodes.ts';
import type { Context } from './request.ts';

/** Most warnings of one reply. */
const mostWarnings = 20;

/** Warns of unknown members of a body, such as misspelt ones. */
export function warnOfMembers(ctx: Context, definition: keyof ApiTypes, body: unknown): void {
  for (const member of unknownMembersOf(definition, body, mostWarnings))
    warn(ctx, `The field ${member} is not known and was not looked at.`);
}

/** Warns of settings that a plugin does not know. `path` is where the body has them. */
export function warnOfSettings(
  ctx: Context,
  plugin: Plugin | undefined,
  params: object | undefined,
  path = 'params',
): void {
  for (const sentence of settingWarnings(plugin, params, path)) warn(ctx, sentence);
}

/** Warns of names that nodes were just given and that look like those of others. */
export async function warnOfLooks(ctx: Context, nodes: Nodes, given: readonly string[]): Promise<void> {
  const others = nodes.all().flatMap(({ name }) => (given.includes(name) ? [] : [name]));
  for (const sentence of await lookAlikes(given, others)) warn(ctx, sentence);
}

/** Sentences about settings that a plugin does not know, at `path` of a body; `node` is named where a body has several nodes. */
export function settingWarnings(
  plugin: Plugin | undefined,
  params: object | undefined,
  path: string,
  node?: string,
): string[] {
  if (plugin === undefined || plugin.absent || params === undefined) return [];
  const of = node === undefined ? '' : ` of the node "${node}"`;
  return unknownSettingsOf(plugin.settingsSchema, params).map(
    (name) =>
      `The field ${path}.${name}${of} is no setting of the plugin "${plugin.name}" and has no effect.`,
  );
}

/** Adds a warning to the reply, unless it has many already. */
export function warn(ctx: Context, sentence: string): void {
  const warnings = (ctx.state.warnings ??= []);
  if (warnings.length < mostWarnings) warnings.push(sentence);
}

/** Adds a warning that the client must get, also when there are many already. */
export function warnAlways(ctx: Context, sentence: string): void {
  (ctx.state.warnings ??= []).push(sentence);
}
