import { type Profile, profileLimits } from '@tagway/schemas';
import { validateProfile } from '@tagway/schemas/validate';
import { ErrorCode } from '@tagway/schemas';
import { firstTwice } from '../names.ts';
import { Refusal, type Sentence, sentence } from '../system/sentence.ts';

/** The profile that a text of JSON holds. Throws PROFILE_INVALID with everything that is wrong with its form. */
export function readProfile(text: string): Profile {
  if (Buffer.byteLength(text) > profileLimits.json)
    throw invalid(sentence`Its profile.json has more than ${profileLimits.json >> 10} kB.`);
  let profile: unknown;
  try {
    profile = JSON.parse(text);
  } catch (cause) {
    throw invalid(
      sentence`Its profile.json is not JSON: ${cause instanceof Error ? cause.message : String(cause)}.`,
    );
  }
  return checkedProfile(profile);
}

/** A profile that was sent as JSON already. Throws PROFILE_INVALID. */
export function checkedProfile(thing: unknown): Profile {
  const problem = validateProfile(thing);
  if (problem !== undefined) throw invalid(problem);
  const profile = thing as Profile;
  const rule = brokenRule(profile);
  if (rule !== undefined) throw invalid(rule);
  return profile;
}

export function invalid(reason: Sentence | string): Refusal {
  return new Refusal(ErrorCode.PROFILE_INVALID, sentence`The device profile is not valid. ${reason}`);
}

/** Tags of its groups, without those that a device says itself that it has. */
export function tagsIn({ groups }: Profile): number {
  return groups.reduce((sum, { tags }) => sum + tags.length, 0);
}

/** The first rule beyond the schema that a profile breaks. */
function brokenRule(profile: Profile): Sentence | undefined {
  const { groups, plugins, parameters = [], discover } = profile;
  if (groups.length === 0 && discover === undefined)
    return sentence`It has neither groups nor a way to discover what the device has.`;
  if (tagsIn(profile) > profileLimits.tags)
    return sentence`It has ${tagsIn(profile)} tags; ${profileLimits.tags} are allowed.`;
  const plugin = firstTwice(plugins.map(({ id }) => id));
  if (plugin !== undefined) return sentence`It names the plugin "${plugin}" twice.`;
  const group = firstTwice(groups.map(({ name }) => name));
  if (group !== undefined) return sentence`It has the group "${group}" twice.`;
  for (const { name, tags } of groups) {
    const tag = firstTwice(tags.map((one) => one.name));
    if (tag !== undefined) return sentence`Its group "${name}" has the tag "${tag}" twice.`;
  }
  const parameter = firstTwice(parameters.map(({ name }) => name));
  if (parameter !== undefined) return sentence`It has the parameter "${parameter}" twice.`;
  for (const { name, minimum, maximum, default: value = minimum } of parameters)
    if (value < minimum || value > maximum)
      return sentence`The default of its parameter "${name}" is not within ${minimum} to ${maximum}.`;
  return discover && brokenDiscovery(discover);
}

function brokenDiscovery({ models, types }: NonNullable<Profile['discover']>): Sentence | undefined {
  const points = models.reduce((sum, { tags, repeat }) => sum + tags.length + (repeat?.tags.length ?? 0), 0);
  if (points > profileLimits.points)
    return sentence`Its models have ${points} points; ${profileLimits.points} are allowed.`;
  const twice = firstTwice(models.map(({ id }) => String(id)));
  if (twice !== undefined) return sentence`It has the model ${twice} twice.`;
  for (const { id, tags, repeat } of models) {
    for (const list of [tags, repeat?.tags ?? []]) {
      const tag = firstTwice(list.map(({ name }) => name));
      if (tag !== undefined) return sentence`Its model ${id} has the point "${tag}" twice.`;
    }
    for (const { name, type, registers } of [...tags, ...(repeat?.tags ?? [])]) {
      const known = Object.hasOwn(types, type) ? types[type] : undefined;
      if (known === undefined)
        return sentence`The point "${name}" of its model ${id} is of the type "${type}", which is not among its types.`;
      if (known.type === 'BYTES' || known.type === 'BIT' || known.type === 'BOOL')
        return sentence`The point "${name}" of its model ${id} is of the type ${known.type}, which no model has.`;
      if ((known.type === 'STRING') !== (registers !== undefined))
        return sentence`The point "${name}" of its model ${id} has to say how many registers it has if it is a text, and only then.`;
    }
  }
  return undefined;
}
