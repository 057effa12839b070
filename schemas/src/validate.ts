import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ApiTypes } from './generated/api.ts';
import type { Setting, SettingsSchema } from './generated/plugin.ts';
import { definitionAt, definitionOf, filesFor, referenceTo, type DefinitionName } from './definitions.ts';
import { sentences } from './sentences.ts';
import { unknownMembers } from './unknown-members.ts';

/** Returns what is wrong with a value, one sentence for each error, or undefined when it is valid. It changes nothing. */
export type Check = (value: unknown) => string | undefined;

export { apiDefinitionNames, definitionOf } from './definitions.ts';

const formats = { regex: isPattern };

function newAjv(allErrors: boolean): Ajv2020 {
  const made = new Ajv2020({
    formats,
    allErrors,
    strict: true,
    strictRequired: false,
    strictTypes: false,
    verbose: true,
    // The tests hold the schemas against the schema of schemas once and for all: it costs 60 ms and 5 MB at every start.
    validateSchema: false,
    meta: false,
  });
  made.addVocabulary(['tsType']);
  return made;
}

/** Stops at the first error: a bad body must not cost more than a good one. */
const ajv = newAjv(false);
/** Finds all errors of a small value. */
let thorough: Ajv2020 | undefined;

/** Of a value with more parts than this only the first error is reported. */
const mostParts = 5000;

/**
 * The check of a body, query or reply of the API, or of a part of a plugin's files, by the name of its definition.
 * It is compiled when it is first used.
 */
export function checkOf(definition: DefinitionName): Check {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= compiled(ajv, definition);
    if (validate(value)) return undefined;
    if (partsOf(value, mostParts) >= mostParts) return sentences(validate.errors);
    const all = compiled((thorough ??= newAjv(true)), definition);
    all(value);
    return sentences(all.errors);
  };
}

/** Where a body has members that its definition does not know, such as `tags[3].adress`: the first `most`. */
export function unknownMembersOf(definition: keyof ApiTypes, body: unknown, most: number): string[] {
  return unknownMembers(definitionOf(definition), body, definitionAt, most);
}

/** The settings of a node that its plugin's settings schema does not know. */
export function unknownSettingsOf(schema: object, params: object): string[] {
  const { properties, allOf = [] } = schema as SettingsSchema;
  const known = [properties, ...allOf.map(({ then }) => then.properties ?? {})];
  return Object.keys(params).filter((name) => !known.some((place) => Object.hasOwn(place, name)));
}

/** How many values a value is made of; no more than `most` are counted. */
function partsOf(value: unknown, most: number): number {
  let count = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && count < most) {
    const one = open.pop();
    count++;
    if (typeof one !== 'object' || one === null) continue;
    const parts: unknown[] = Object.values(one);
    // Pushed one by one: a list may be longer than a call has arguments.
    for (let at = 0; at < Math.min(parts.length, most); at++) open.push(parts[at]);
  }
  return count;
}

function compiled(by: Ajv2020, definition: DefinitionName): ValidateFunction {
  for (const file of filesFor(definition)) {
    if (by.schemas[file.$id] === undefined) by.addSchema(file);
  }
  const validate = by.getSchema(referenceTo(definition));
  if (validate === undefined) throw new Error(`${definition} has no check.`);
  return validate;
}

/** What is wrong with a plugin.json, in sentences, or undefined. */
export const validateManifest: Check = checkOf('Manifest');

/** What is wrong with the member `tagway` of a packed package.json, in sentences, or undefined. Members of later versions are passed over. */
export const validatePackageMember: Check = checkOf('PackageMember');

/** What is wrong with a profile.json, in sentences, or undefined. */
export const validateProfile: Check = checkOf('Profile');

/** What is wrong with the member `tagway` of the package.json of a profile, in sentences, or undefined. */
export const validateProfileMember: Check = checkOf('ProfileMember');

/** What is wrong with the signature.json of a package, in sentences, or undefined. */
export const validatePackageSignature: Check = checkOf('PackageSignature');

const checkMetaSchema = checkOf('SettingsSchema');

/** What is wrong with a plugin's settings schema, in sentences, or undefined: it must fit the meta-schema of settings. */
export const validateSettingsSchema: Check = (schema) => {
  const message = checkMetaSchema(schema) ?? checkIntegers(schema as SettingsSchema);
  if (message !== undefined) return message;
  try {
    compileSettings(schema as object);
    return undefined;
  } catch (error) {
    return `The settings schema does not compile: ${error instanceof Error ? error.message : String(error)}.`;
  }
};

/** Forms have no way to leave an integer empty, so one that may be left out needs a default. */
function checkIntegers({ properties, required = [], allOf = [] }: SettingsSchema): string | undefined {
  const demanded = new Set([...required, ...allOf.flatMap(({ then }) => then.required ?? [])]);
  const places: readonly Readonly<Record<string, unknown>>[] = [
    properties,
    ...allOf.map(({ then }) => then.properties ?? {}),
  ];
  const isBare = ([name, setting]: [string, unknown]): boolean => {
    const { type, default: value } = setting as Partial<Setting>;
    return type === 'integer' && value === undefined && !demanded.has(name);
  };
  const bare = places.flatMap((place) => Object.entries(place)).find(isBare);
  return (
    bare &&
    `The setting ${bare[0]} is an integer that may be left out: it needs a default, or to be required.`
  );
}

/** Checked settings: a copy with the defaults filled in, or what is wrong, a sentence each. */
export type SettingsResult = { readonly settings: Record<string, unknown> } | { readonly message: string };

/** Whether the text of a setting fits the pattern that the schema has for it. */
export type FitsPattern = (pattern: string, text: string, setting: string) => boolean;

/**
 * Compiles a settings schema once. The function that it returns checks params and leaves them as they are. A required setting has
 * to be among the params even if it has a default, which is then what forms propose for it. Throws when the schema is not a JSON
 * Schema. `fits` replaces the test of patterns, for callers that do not run a plugin's patterns themselves.
 */
export function compileSettings(
  schema: object,
  fits: FitsPattern = fitsPattern,
): (params: unknown) => SettingsResult {
  const own = new Ajv2020({
    formats,
    useDefaults: true,
    strict: false,
    verbose: true,
    allErrors: true,
    validateSchema: false,
    meta: false,
  });
  own.removeKeyword('contentEncoding');
  own.addKeyword({ keyword: 'contentEncoding', type: 'string', schemaType: 'string', validate: isEncoded });
  own.removeKeyword('pattern');
  own.addKeyword({
    keyword: 'pattern',
    type: 'string',
    schemaType: 'string',
    validate: (pattern: string, text: string, _schema: unknown, at?: { readonly instancePath: string }) =>
      fits(pattern, text, at?.instancePath.slice(1) ?? ''),
  });
  const { required = [], ...rest } = schema as SettingsSchema;
  const conditions = (rest.allOf ?? []).map(({ if: when, then }) => ({
    if: when,
    then: { required: then.required ?? [] },
  }));
  const demand = own.compile({ type: 'object', required, allOf: conditions });
  const fill = own.compile(rest);
  return (params) => {
    if (!demand(params)) return { message: sentences(demand.errors) };
    const settings: unknown = structuredClone(params);
    return fill(settings)
      ? { settings: settings as Record<string, unknown> }
      : { message: sentences(fill.errors) };
  };
}

/** Base64 as files are sent in it: not empty; line breaks are allowed. */
function isEncoded(encoding: string, text: string): boolean {
  if (encoding !== 'base64') return true;
  const bare = text.replaceAll(/[\r\n]/g, '');
  return bare !== '' && bare.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(bare);
}

function fitsPattern(pattern: string, text: string): boolean {
  return new RegExp(pattern, 'u').test(text);
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}
