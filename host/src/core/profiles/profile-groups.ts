import { Attribute, DataType, ErrorCode, type Profile, type ProfileTag } from '@tagway/schemas';
import type { TagBody } from '../model.ts';
import type { GroupDraft } from '../transfer/drafts.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** Whole numbers that a node was made with, by the names of the profile's parameters. */
export type Parameters = Readonly<Record<string, number>>;

/** The parameters with the defaults of those that are not given. Throws PARAM_INVALID. */
export function parametersOf({ parameters = [] }: Profile, given: Parameters = {}): Parameters {
  const known = new Set(parameters.map(({ name }) => name));
  const foreign = Object.keys(given).find((name) => !known.has(name));
  if (foreign !== undefined)
    throw new Refusal(
      ErrorCode.PARAM_INVALID,
      sentence`The device profile has no parameter "${foreign.slice(0, 100)}".`,
    );
  const values = parameters.map(({ name, minimum, maximum, default: proposed }) => {
    const value = (Object.hasOwn(given, name) ? given[name] : undefined) ?? proposed;
    if (value === undefined)
      throw new Refusal(
        ErrorCode.PARAM_INVALID,
        sentence`The device profile needs the parameter "${name}", a whole number of ${minimum} to ${maximum}.`,
      );
    if (!Number.isInteger(value) || value < minimum || value > maximum)
      throw new Refusal(
        ErrorCode.PARAM_INVALID,
        sentence`The parameter "${name}" is ${value}; it is a whole number of ${minimum} to ${maximum}.`,
      );
    return [name, value] as const;
  });
  return Object.fromEntries(values);
}

/** An address with the parameters in the places of their names in braces; other braces are the plugin's own. */
export function filled(address: string, values: Parameters): string {
  return address.replaceAll(/\{([a-z][a-z0-9_]*)\}/g, (place, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : place,
  );
}

/** The groups of a profile as a node gets them. */
export function groupsOf({ groups }: Profile, values: Parameters): GroupDraft[] {
  return groups.map(({ name, interval, tags }) => ({
    name,
    interval,
    tags: tags.map((tag) => tagBody(tag, values)),
  }));
}

function tagBody(
  { address, type, attribute = Attribute.READ, ...rest }: ProfileTag,
  values: Parameters,
): TagBody {
  return { ...rest, address: filled(address, values), type: DataType[type], attribute };
}

/** Parameters for checks without a device. */
export function sampleParameters({ parameters = [] }: Profile): Parameters {
  return Object.fromEntries(parameters.map(({ name, minimum, default: value = minimum }) => [name, value]));
}
