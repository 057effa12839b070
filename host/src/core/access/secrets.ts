import { ErrorCode } from '@tagway/schemas';
import type { Params, Plugin } from '../model.ts';
import { getOrMake } from '../system/get-or-make.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** What is shown in the place of a secret. A client that sends it back keeps the secret. */
export const secretMask = '********';

/** Names of members and positions in lists that lead to a part of settings. */
export type Path = readonly (string | number)[];

/** The parts of a JSON Schema that lead to members. */
interface Part {
  readonly writeOnly?: boolean;
  readonly properties?: Readonly<Record<string, Part>>;
  readonly patternProperties?: unknown;
  readonly additionalProperties?: unknown;
  readonly items?: Part;
  readonly allOf?: readonly Part[];
  readonly anyOf?: readonly Part[];
  readonly oneOf?: readonly Part[];
  readonly then?: Part;
  readonly else?: Part;
}

/**
 * Changes each secret of settings, at any depth, unless it is empty: what the schema marks as `writeOnly`, and every text of members that it
 * does not know, because an unknown name may be that of a secret, misspelt. The settings stay as they are.
 */
export function mapSecrets(
  schema: object,
  settings: Params,
  change: (secret: unknown, path: Path) => unknown,
): Params {
  return visit([schema], settings, [], change) as Params;
}

function visit(
  schemas: readonly Part[],
  value: unknown,
  path: Path,
  change: (secret: unknown, path: Path) => unknown,
): unknown {
  if (value === undefined || value === null || value === '') return value;
  const parts = schemas.flatMap(withConditions);
  if (parts.some(({ writeOnly }) => writeOnly === true)) return change(value, path);
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const items = parts.flatMap((part) => part.items ?? []);
    return value.map((one: unknown, index) => visit(items, one, [...path, index], change));
  }
  // A schema that names no members, or gives a rule for all others, knows them all.
  const knowsAll = parts.every(({ properties }) => properties === undefined) || parts.some(hasRuleForOthers);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]: [string, unknown]) => {
      const own = parts.flatMap(({ properties }) =>
        properties !== undefined && Object.hasOwn(properties, name) ? (properties[name] ?? []) : [],
      );
      const place = [...path, name];
      return [
        name,
        knowsAll || own.length > 0 ? visit(own, one, place, change) : mapTexts(one, place, change),
      ];
    }),
  );
}

function hasRuleForOthers({ patternProperties, additionalProperties }: Part): boolean {
  return patternProperties !== undefined || typeof additionalProperties === 'object';
}

/** A schema, and those that it may hold for the same value. */
function withConditions(schema: Part): Part[] {
  const { allOf = [], anyOf = [], oneOf = [], then, else: otherwise } = schema;
  const more = [...allOf, ...anyOf, ...oneOf, ...(then ? [then] : []), ...(otherwise ? [otherwise] : [])];
  return [schema, ...more.flatMap(withConditions)];
}

/** Changes every text of settings without a schema that marks the secrets. */
function mapTexts(value: unknown, path: Path, change: (text: unknown, path: Path) => unknown): unknown {
  if (typeof value === 'string') return value === '' ? value : change(value, path);
  if (typeof value !== 'object' || value === null) return value;
  if (isSealed(value)) return change(value, path);
  if (Array.isArray(value)) return value.map((one, index) => mapTexts(one, [...path, index], change));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]: [string, unknown]) => [
      name,
      mapTexts(one, [...path, name], change),
    ]),
  );
}

/** A secret as it is stored, and as it is loaded when the key does not open it. */
export interface Sealed {
  readonly $sealed: string;
}

export function isSealed(value: unknown): value is Sealed {
  return typeof value === 'object' && value !== null && typeof (value as Sealed).$sealed === 'string';
}

/** Settings as clients see them: with masks for secrets unless `withSecrets`. While the plugin is missing, every text may be a secret. */
export function shownSettings(plugin: Plugin, params: Params, withSecrets: boolean): Params {
  const mask = (secret: unknown): unknown => (withSecrets && !isSealed(secret) ? secret : secretMask);
  return plugin.absent
    ? (mapTexts(params, [], mask) as Params)
    : mapSecrets(plugin.settingsSchema, params, mask);
}

/**
 * Settings with the stored secrets in the place of masks. Throws NODE_SETTING_INVALID where none is stored. `stored`: the settings of the
 * node of this name, if it has the same plugin.
 */
export function meantSettings(plugin: Plugin, params: Params, node: string, stored?: Params): Params {
  return mapSecrets(plugin.settingsSchema, params, (secret, path) => {
    if (secret !== secretMask) return secret;
    const kept = path.reduce<unknown>(
      (part, name) => (part as Record<string | number, unknown> | undefined)?.[name],
      stored,
    );
    if (typeof kept === 'string' && kept !== '') return kept;
    throw new Refusal(
      ErrorCode.NODE_SETTING_INVALID,
      sentence`The setting "${path.join('.')}" of the node "${node}" is ${secretMask}, which is shown instead of a secret and keeps the one that is stored, and here none is. Send the secret itself, or leave the setting out.`,
    );
  });
}

/** The names of settings whose secrets the key does not open. */
export function sealedSettings(params: Params): string[] {
  return Object.entries(params).flatMap(([name, value]: [string, unknown]) => {
    if (isSealed(value)) return [name];
    const isDeep = typeof value === 'object' && value !== null;
    return isDeep && sealedSettings(value as Params).length > 0 ? [name] : [];
  });
}

const secretsByParams = new WeakMap<Params, readonly string[]>();

/** The secrets of settings, longest first. They are looked for once, as settings are never changed but replaced. */
export function secretsOf(plugin: Plugin, params: Params): readonly string[] {
  return getOrMake(secretsByParams, params, () => {
    const secrets: string[] = [];
    mapSecrets(plugin.settingsSchema, params, (secret) => {
      if (typeof secret === 'string') secrets.push(secret);
      return secret;
    });
    return secrets.sort((one, other) => other.length - one.length);
  });
}
