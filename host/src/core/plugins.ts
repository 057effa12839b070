import { ErrorCode, type Profile } from '@tagway/schemas';
import { compileSettings } from '@tagway/schemas/validate';
import { Fault } from '@tagway/sdk';
import type { Params, Plugin } from './model.ts';

type SettingsCheck = ReturnType<typeof compileSettings>;

const compiled = new WeakMap<Plugin, SettingsCheck>();

/** The settings that `params` stand for, with the defaults of the profile and of the schema filled in, or what is wrong with them. */
export function settingsOf(
  plugin: Plugin,
  params: Params,
  { settingDefaults }: Pick<Profile, 'settingDefaults'>,
): ReturnType<SettingsCheck> {
  let check = compiled.get(plugin);
  if (check === undefined) {
    check = compileSettings(plugin.settingsSchema);
    compiled.set(plugin, check);
  }
  const { properties = {} } = plugin.settingsSchema as { readonly properties?: object };
  const defaults = Object.entries(settingDefaults).filter(([name]) => Object.hasOwn(properties, name));
  return check({ ...Object.fromEntries(defaults), ...params });
}

/** Throws LIBRARY_OPEN_FAILED for the stand-in of a plugin whose library is missing. */
export function requirePlugin(plugin: Plugin): void {
  if (plugin.absent) {
    throw new Fault(
      ErrorCode.LIBRARY_OPEN_FAILED,
      `The library of the plugin "${plugin.name}" is missing or does not load; see the log of the gateway's start.`,
    );
  }
}
