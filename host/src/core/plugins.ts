import { ErrorCode, PluginKind, type Profile } from '@tagway/schemas';
import { compileSettings, type SettingsResult } from '@tagway/schemas/validate';
import { Fault } from '@tagway/sdk';
import type { Params, Plugin } from './model.ts';
import type { PatternTest, Runtime } from './ports.ts';

/** What a text of a setting was found to have to fit. */
interface SettingTest extends PatternTest {
  readonly setting: string;
}

type SettingsCheck = (params: unknown) => { readonly result: SettingsResult; readonly tests: SettingTest[] };

const compiled = new WeakMap<Plugin, SettingsCheck>();

/** What is needed to check settings. */
export interface SettingsPorts {
  readonly profile: Pick<Profile, 'settingDefaults'>;
  readonly runtime: Pick<Runtime, 'tryPatterns'>;
}

/**
 * The settings that `params` stand for, with the defaults of the profile and of the schema filled in, or what is wrong with them. The
 * patterns of a plugin that does not come with the gateway are tried apart, and one that takes too long refuses the settings.
 */
export async function settingsOf(
  plugin: Plugin,
  params: Params,
  { profile: { settingDefaults }, runtime }: SettingsPorts,
): Promise<SettingsResult> {
  const { properties = {} } = plugin.settingsSchema as { readonly properties?: object };
  const defaults = Object.entries(settingDefaults).filter(([name]) => Object.hasOwn(properties, name));
  const { result, tests } = checkOf(plugin)({ ...Object.fromEntries(defaults), ...params });
  if ('message' in result || tests.length === 0) return result;
  const verdicts = await runtime.tryPatterns(plugin, tests);
  const problems = tests.map(({ setting, patterns: [pattern = ''] }, index) => {
    switch (verdicts[index]) {
      case 'fits':
        return undefined;
      case 'differs':
        return `The field ${setting} does not match the pattern ${pattern}.`;
      case 'untried':
        return `The field ${setting} was not checked.`;
      default:
        return `The pattern ${pattern} that the plugin "${plugin.name}" has for the setting "${setting}" takes too long with this value and is of no use; tell the plugin's author.`;
    }
  });
  const said = [...new Set(problems.filter((problem) => problem !== undefined))];
  return said.length === 0 ? result : { message: said.join(' ') };
}

function checkOf(plugin: Plugin): SettingsCheck {
  let check = compiled.get(plugin);
  if (check === undefined) {
    const isOurs = plugin.kind !== PluginKind.CUSTOM;
    let tests: SettingTest[] = [];
    const settle = isOurs
      ? compileSettings(plugin.settingsSchema)
      : compileSettings(plugin.settingsSchema, (pattern, text, setting) => {
          tests.push({ patterns: [pattern], text, setting });
          return true;
        });
    check = (params) => {
      tests = [];
      return { result: settle(params), tests };
    };
    compiled.set(plugin, check);
  }
  return check;
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
