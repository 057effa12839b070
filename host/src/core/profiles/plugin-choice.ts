import { ErrorCode, NodeType, type Profile, type ProfilePlugin } from '@tagway/schemas';
import type { Params, Plugin } from '../model.ts';
import { requirePlugin } from '../nodes/plugins.ts';
import type { Plugins } from '../ports/ports.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** A driver that is installed, and what a profile says of it. */
export interface PluginChoice {
  readonly plugin: Plugin;
  readonly entry: ProfilePlugin;
}

/** The drivers of a profile that are installed, in the order of the profile. */
export function choicesOf({ plugins: entries }: Pick<Profile, 'plugins'>, plugins: Plugins): PluginChoice[] {
  return entries.flatMap((entry) => {
    const plugin = plugins.byId(entry.id);
    return plugin?.nodeType === NodeType.DRIVER ? [{ plugin, entry }] : [];
  });
}

/** The driver of this name, or the first that is installed. Throws PROFILE_PLUGIN_MISSING, or PARAM_INVALID for one that it is not for. */
export function chosen(profile: Profile, plugins: Plugins, name: string | undefined): PluginChoice {
  const choices = choicesOf(profile, plugins);
  const wanted = name === undefined ? undefined : plugins.byName(name);
  const choice = name === undefined ? choices[0] : choices.find(({ plugin }) => plugin === wanted);
  if (choice !== undefined) {
    requirePlugin(choice.plugin);
    return choice;
  }
  const ids = profile.plugins.map(({ id }) => id).join(', ');
  if (name !== undefined && wanted !== undefined)
    throw new Refusal(
      ErrorCode.PARAM_INVALID,
      sentence`The device profile "${profile.name}" is not for the plugin "${wanted.name}"; it is for ${ids}.`,
    );
  throw new Refusal(
    ErrorCode.PROFILE_PLUGIN_MISSING,
    sentence`No plugin that the device profile "${profile.name}" is for is installed. Install one of these and try again: ${ids}.`,
  );
}

interface Part {
  readonly properties?: Readonly<Record<string, { readonly default?: unknown; readonly const?: unknown }>>;
  readonly required?: readonly string[];
}

interface Schema extends Part {
  readonly allOf?: readonly { readonly if: Part; readonly then?: Part }[];
}

/** What a form proposes for settings that are required: their defaults, where `params` have no value. */
export function withProposals({ settingsSchema }: Plugin, params: Params): Params {
  const { allOf = [], ...top } = settingsSchema as Schema;
  const complete: Record<string, unknown> = { ...params };
  const add = ({ properties = {}, required = [] }: Part): void => {
    for (const name of required)
      if (!Object.hasOwn(complete, name) && properties[name]?.default !== undefined)
        complete[name] = properties[name].default;
  };
  add(top);
  for (const { if: when, then } of allOf)
    if (
      then !== undefined &&
      Object.entries(when.properties ?? {}).every(([name, { const: value }]) => complete[name] === value)
    )
      add(then);
  return complete;
}

/** The settings of a node: what is given goes before the profile, and that before what a form proposes. */
export function settingsOf({ plugin, entry }: PluginChoice, given: Params): Params {
  return withProposals(plugin, { ...entry.settings, ...given });
}

/** The settings that a profile and the plugin propose, and the names of those that somebody has to give or may want to. */
export function settingsLeft(choice: PluginChoice): {
  readonly params: Params;
  readonly ask: readonly string[];
} {
  const { plugin, entry } = choice;
  const params = settingsOf(choice, {});
  const needed = requiredIn(plugin, params).filter((name) => !Object.hasOwn(params, name));
  return { params, ask: [...new Set([...needed, ...(entry.ask ?? [])])] };
}

/** Names of the settings that are required with these values of the others. */
function requiredIn({ settingsSchema }: Plugin, params: Params): string[] {
  const { required = [], allOf = [] } = settingsSchema as Schema;
  const more = allOf.filter(({ if: when }) =>
    Object.entries(when.properties ?? {}).every(([name, { const: value }]) => params[name] === value),
  );
  return [...required, ...more.flatMap(({ then }) => then?.required ?? [])];
}
