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
  warn(ctx, unknownMembersOf(definition, body, mostWarnings), 'is not known and was not looked at');
}

/** Takes note of settings that a plugin does not know. `place` is where the body has them. */
export function warnOfSettings(
  ctx: Context,
  plugin: Plugin | undefined,
  params: object | undefined,
  place = 'params',
): void {
  if (plugin === undefined || plugin.absent || params === undefined) return;
  const names = unknownSettingsOf(plugin.settingsSchema, params).map((name) => `${place}.${name}`);
  warn(ctx, names, `is no setting of the plugin "${plugin.name}" and has no effect`);
}

/** Takes note of what whoever asked must know, however many warnings there are. */
export function warnAlways(ctx: Context, sentence: string): void {
  ((ctx.state as Warned).warnings ??= []).push(sentence);
}

function warn(ctx: Context, members: readonly string[], predicate: string): void {
  if (members.length === 0) return;
  const state = ctx.state as Warned;
  const warnings = (state.warnings ??= []);
  for (const member of members.slice(0, Math.max(0, mostWarnings - warnings.length)))
    warnings.push(`The field ${member} ${predicate}.`);
}
