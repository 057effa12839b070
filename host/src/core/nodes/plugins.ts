import { type Dialect, ErrorCode, NodeType, PluginKind } from '@tagway/schemas';
import { compileSettings, type SettingsResult } from '@tagway/schemas/validate';
import { isFault } from '@tagway/sdk';
import { tryPatterns } from '@tagway/sdk/internal';
import type { Node, Params, Plugin } from '../model.ts';
import type { State } from '../records/state.ts';
import { getOrMake } from '../system/get-or-make.ts';
import { refuse } from '../system/refuse.ts';
import { reasonOf, Refusal, sentence, type Sentence } from '../system/sentence.ts';

type SettingsCheck = (params: Params) => SettingsResult;

const compiled = new WeakMap<Plugin, SettingsCheck>();

/** The plugin that a client names. Throws LIBRARY_NOT_FOUND, or the code of the endpoint for it. */
export function pluginNamed(
  { ports }: State,
  name: string,
  code: number = ErrorCode.LIBRARY_NOT_FOUND,
): Plugin {
  return ports.plugins.byName(name) ?? refuse(code, sentence`There is no plugin "${name}".`);
}

/** Throws NODE_NOT_SUBSCRIBABLE for a driver. */
export function checkApp({ name, plugin }: Pick<Node, 'name' | 'plugin'>): void {
  if (plugin.nodeType !== NodeType.APP)
    refuse(ErrorCode.NODE_NOT_SUBSCRIBABLE, sentence`The node "${name}" is a driver and cannot subscribe.`);
}

/** Throws BUSY when the gateway has another version of the plugin by now, which may refuse what this one has accepted. */
export function checkCurrent({ ports }: State, plugin: Plugin): void {
  if (ports.plugins.byId(plugin.id) === plugin) return;
  throw new Refusal(
    ErrorCode.BUSY,
    sentence`The plugin "${plugin.name}" was upgraded or removed at this moment. Try again.`,
  );
}

/** The settings that the schema of a plugin and the plugin itself accept. Rejects with NODE_SETTING_INVALID. */
export async function checkedSettings(
  { ports }: State,
  plugin: Plugin,
  params: Params,
  beginning: Sentence | string = '',
): Promise<Params> {
  const result = settingsOf(plugin, params, ports.dialect);
  if ('message' in result)
    throw new Refusal(ErrorCode.NODE_SETTING_INVALID, sentence`${beginning}${result.message}`);
  await ports.runtime.checkSettings(plugin, result.settings).catch((error: unknown) => {
    if (beginning === '' || !isFault(error)) throw error;
    throw new Refusal(error.code, sentence`${beginning}${reasonOf(error)}`);
  });
  return result.settings;
}

/** The settings that `params` stand for, with the defaults of the dialect and of the schema filled in, or what is wrong with them. */
export function settingsOf(
  plugin: Plugin,
  params: Params,
  { settingDefaults }: Pick<Dialect, 'settingDefaults'>,
): SettingsResult {
  const { properties = {} } = plugin.settingsSchema as { readonly properties?: object };
  const defaults = Object.entries(settingDefaults).filter(([name]) => Object.hasOwn(properties, name));
  return getOrMake(compiled, plugin, () => checkOf(plugin))({ ...Object.fromEntries(defaults), ...params });
}

/** A pattern of a plugin that users added may never end: it is interrupted, and the settings are refused. */
function checkOf({ kind, name, settingsSchema }: Plugin): SettingsCheck {
  if (kind !== PluginKind.CUSTOM) return compileSettings(settingsSchema);
  let message: string | undefined;
  const check = compileSettings(settingsSchema, (pattern, text, setting) => {
    // One pattern took too long: no others are tried, because they may, too.
    if (message !== undefined) return true;
    const [verdict] = tryPatterns([{ patterns: [pattern], text }]);
    if (verdict !== 'fits' && verdict !== 'differs')
      message = `The value of the setting "${setting}" cannot be checked: the pattern that the plugin "${name}" has for it takes too long. Tell the plugin's author.`;
    return verdict === 'fits';
  });
  return (params) => {
    message = undefined;
    const result = check(params);
    return message === undefined ? result : { message };
  };
}

/** Throws LIBRARY_OPEN_FAILED for the stand-in of a plugin whose library is missing. */
export function requirePlugin(plugin: Plugin): void {
  if (plugin.absent) {
    throw new Refusal(
      ErrorCode.LIBRARY_OPEN_FAILED,
      sentence`The library of the plugin "${plugin.name}" is missing or does not load; see the log of the gateway's start.`,
    );
  }
}
