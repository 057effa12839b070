import { unknownMembersOf, unknownSettingsOf } from '@tagway/schemas/validate';
import type { ApiTypes } from '@tagway/schemas';
import type { Context } from 'koa';
import type { Plugin } from '../core/model.ts';

/** Most warnings of one reply. */
const mostWarnings = 20;

interface Warned {
  warnings?: string[];
}

/** The sentences about what was odd in a request and did not keep it from being done; undefined when nothing was. */
export function warningsOf(ctx: Context): readonly string[] | undefined {
  return (ctx.state as Warned).warnings;
}

/** Takes note of members of a body that mean nothing: a misspelt one must not pass in silence. */
export function warnOfMembers(ctx: Context, definition: keyof ApiTypes, body: unknown): void {
  for (const member of unknownMembersOf(definition, body, mostWarnings))
    warn(ctx, `The field ${member} is not known and was not looked at.`);
}

/** Takes note of settings that a plugin does not know. `place` is where the body has them. */
export function warnOfSettings(
  ctx: Context,
  plugin: Plugin | undefined,
  params: object | undefined,
  place = 'params',
): void {
  for (const sentence of settingWarnings(plugin, params, place)) warn(ctx, sentence);
}

/** Sentences about settings that a plugin does not know, in `place` of a body, of the node of this name where there are several. */
export function settingWarnings(
  plugin: Plugin | undefined,
  params: object | undefined,
  place: string,
  node?: string,
): string[] {
  if (plugin === undefined || plugin.absent || params === undefined) return [];
  const of = node === undefined ? '' : ` of the node "${node}"`;
  return unknownSettingsOf(plugin.settingsSchema, params).map(
    (name) =>
      `The field ${place}.${name}${of} is no setting of the plugin "${plugin.name}" and has no effect.`,
  );
}

/** Takes note of something odd, unless there is much of it already. */
export function warn(ctx: Context, sentence: string): void {
  const warnings = ((ctx.state as Warned).warnings ??= []);
  if (warnings.length < mostWarnings) warnings.push(sentence);
}

/** Takes note of what whoever asked must know, however many warnings there are. */
export function warnAlways(ctx: Context, sentence: string): void {
  ((ctx.state as Warned).warnings ??= []).push(sentence);
}
