import { ErrorCode, isKnownUnit, type Profile } from '@tagway/schemas';
import { compileSettings, unknownSettingsOf } from '@tagway/schemas/validate';
import { isFault } from '@tagway/sdk';
import { mapSecrets } from '../access/secrets.ts';
import type { Params } from '../model.ts';
import { requirePlugin } from '../nodes/plugins.ts';
import type { State } from '../records/state.ts';
import { reasonOf, type Sentence, sentence } from '../system/sentence.ts';
import { checkGroupBody } from '../tags/groups.ts';
import { problemsOfTags } from '../tags/row-checks.ts';
import type { GroupDraft } from '../transfer/drafts.ts';
import { choicesOf, type PluginChoice, withProposals } from './plugin-choice.ts';
import { groupsOf, sampleParameters } from './profile-groups.ts';
import { sampleGroups } from './sample-models.ts';

/** Something that is wrong with a profile. */
export interface ProfileProblem {
  readonly error: number;
  readonly message: Sentence | string;
}

/** What one plugin says of a profile. */
export interface PluginFindings {
  readonly plugin: string;
  readonly name: string;
  /** Requests of one reading of each group; undefined when the plugin cannot say. */
  readonly groups: readonly {
    readonly name: string;
    readonly tags: number;
    readonly requests: number | undefined;
  }[];
}

export interface ProfileFindings {
  readonly problems: readonly ProfileProblem[];
  readonly plugins: readonly PluginFindings[];
}

/** What is wrong with a profile whose form is right: what each of its plugins refuses, and units that nobody knows. */
export async function examine(state: State, profile: Profile): Promise<ProfileFindings> {
  const choices = choicesOf(profile, state.ports.plugins);
  const problems: ProfileProblem[] = [];
  const add = (error: number, message: Sentence | string): void => void problems.push({ error, message });
  for (const { id } of profile.plugins)
    if (choices.every(({ plugin }) => plugin.id !== id))
      add(
        ErrorCode.PROFILE_PLUGIN_MISSING,
        sentence`The plugin "${id}" is not installed, so that nobody can say what it thinks of the addresses.`,
      );
  for (const unit of unknownUnits(profile))
    add(
      ErrorCode.TAG_UNIT_INVALID,
      sentence`Nobody knows the unit "${unit}": use the usual symbol, such as kWh, °C or %.`,
    );
  // Of a device that says itself what it has, one model of each stands for what may be found.
  const groups = [...groupsOf(profile, sampleParameters(profile)), ...sampleGroups(profile)];
  for (const group of groups) {
    try {
      checkGroupBody(group);
    } catch (error) {
      if (!isFault(error)) throw error;
      add(error.code, reasonOf(error));
    }
  }
  const plugins: PluginFindings[] = [];
  for (const choice of choices) plugins.push(await askPlugin(state, choice, groups, add));
  return { problems, plugins };
}

async function askPlugin(
  state: State,
  choice: PluginChoice,
  groups: readonly GroupDraft[],
  add: (error: number, message: Sentence | string) => void,
): Promise<PluginFindings> {
  const { plugin, entry } = choice;
  requirePlugin(plugin);
  checkSettings(choice, add);
  const settings = planSettings(choice);
  const found: PluginFindings['groups'][number][] = [];
  for (const { name, tags } of groups) {
    for (const { index, error, message } of await problemsOfTags(state, plugin, tags))
      add(
        error,
        sentence`The tag "${tags[index]?.name ?? ''}" of the group "${name}" is refused by the plugin "${plugin.name}". ${message}`,
      );
    const drafts = tags.map(({ name: tag, address, type, attribute }) => ({
      name: tag,
      address,
      type,
      attribute,
    }));
    const requests = await state.ports.runtime.countRequests(plugin, drafts, settings);
    found.push({ name, tags: tags.length, requests });
  }
  return { plugin: entry.id, name: plugin.name, groups: found };
}

/** Presets that the plugin does not know or does not take, and secrets, which would be the same for everybody who has the profile. */
function checkSettings(
  { plugin, entry: { settings = {}, ask = [] } }: PluginChoice,
  add: (error: number, message: Sentence | string) => void,
): void {
  const schema = plugin.settingsSchema;
  const asked = Object.fromEntries(ask.map((name) => [name, 0]));
  for (const name of unknownSettingsOf(schema, { ...settings, ...asked }))
    add(
      ErrorCode.NODE_SETTING_INVALID,
      sentence`The plugin "${plugin.name}" has no setting "${name}", which the profile names.`,
    );
  mapSecrets(schema, settings, (secret, path) => {
    add(
      ErrorCode.NODE_SETTING_INVALID,
      sentence`The setting "${path.join('.')}" is a secret of each device, and may not be in a profile.`,
    );
    return secret;
  });
  const { required: _required, ...optional } = schema as { readonly required?: unknown };
  const result = compileSettings(optional)(settings);
  if ('message' in result && !result.message.includes('is missing'))
    add(
      ErrorCode.NODE_SETTING_INVALID,
      sentence`The plugin "${plugin.name}" refuses the settings of the profile. ${result.message}`,
    );
}

/** Settings for a plan of requests: those of the profile, and every default of the plugin. */
function planSettings({ plugin, entry }: PluginChoice): Params {
  const {
    required: _required,
    allOf: _allOf,
    ...schema
  } = plugin.settingsSchema as Readonly<Record<string, unknown>>;
  const result = compileSettings(schema)(withProposals(plugin, entry.settings ?? {}));
  return 'settings' in result ? result.settings : (entry.settings ?? {});
}

function unknownUnits({ groups, discover }: Profile): Set<string> {
  const units = [
    ...groups.flatMap(({ tags }) => tags.map(({ unit }) => unit)),
    ...(discover?.models ?? []).flatMap(({ tags, repeat }) =>
      [...tags, ...(repeat?.tags ?? [])].map(({ unit }) => unit),
    ),
  ];
  return new Set(units.filter((unit) => unit !== undefined).filter((unit) => !isKnownUnit(unit)));
}
