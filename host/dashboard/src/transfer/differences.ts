import { RunningState, type ConfigBody, type PlanConfigReply } from '@tagway/schemas';
import { stringifyExact } from '../api/exact-json.ts';
import { paceOf } from '../tags/group-pace.ts';

export type Change = PlanConfigReply['differences'][number];
export const kinds = ['nodes', 'groups', 'tags', 'subscriptions', 'templates'] as const;
export type Kind = (typeof kinds)[number];

/** Something that an import or a restore would add, change or remove. */
export interface Difference {
  readonly key: string;
  readonly kind: Kind;
  readonly name: string;
  readonly change: Change['change'];
  /** The fields that change, with the values before and after if they are known. */
  readonly fields: string;
}

type Records = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** The gateway's list of changes, with the values before and after from the two configurations. */
export function differencesOf(
  changes: readonly Change[],
  present?: ConfigBody,
  next?: ConfigBody,
): Difference[] {
  const before = present && recordsOf(present);
  const after = next && recordsOf(next);
  return changes.map(({ kind, change, path, fields = [] }, index) => {
    const key = keyOf(kind, path);
    const old = before?.get(key);
    const fresh = after?.get(key);
    const texts = fields.map((field) => {
      if (old === undefined || fresh === undefined || !(field in old || field in fresh)) return field;
      return `${field}: ${shown(old[field])} → ${shown(fresh[field])}`;
    });
    return { key: String(index), kind, name: path.join(' · '), change, fields: texts.join(', ') };
  });
}

const keyOf = (kind: Kind, path: readonly (string | undefined)[]): string => JSON.stringify([kind, ...path]);

/** Most characters of a value that are shown. */
const longest = 120;

function shown(value: unknown): string {
  if (value === undefined) return '–';
  const text = typeof value === 'string' ? value || '–' : stringifyExact(value);
  return text.length > longest ? `${text.slice(0, longest)} …` : text;
}

/** All records of a configuration, by the kinds and paths that the gateway uses in its list of changes. */
function recordsOf(config: ConfigBody): Records {
  const records = new Map<string, Record<string, unknown>>();
  const put = (kind: Kind, path: readonly (string | undefined)[], fields: Record<string, unknown>): void => {
    const key = keyOf(kind, path);
    records.set(key, { ...records.get(key), ...fields });
  };
  for (const { name, plugin, running } of config.nodes)
    put('nodes', [name], { plugin, stopped: running === RunningState.STOPPED });
  for (const { node, params } of config.settings) put('nodes', [node], paramsOf(params));
  for (const { driver, node, group, name, interval, history = 0, ...rest } of config.groups)
    put('groups', [driver ?? node, group ?? name], { interval, history, ...paceOf(rest) });
  for (const { driver, node, group, name, tags } of config.tags)
    for (const tag of tags)
      put('tags', [driver ?? node, group ?? name, tag.name], { ...tagDefaults, ...tag });
  for (const { app, driver, group, params, groups } of config.subscriptions) {
    const own = driver === undefined || group === undefined ? [] : [{ driver, group, params }];
    for (const one of [...own, ...(groups ?? [])])
      put('subscriptions', [app, one.driver, one.group], paramsOf(one.params));
  }
  for (const { name, ...template } of config.templates ?? []) put('templates', [name], template);
  return records;
}

const paramsOf = (params: object | undefined): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(params ?? {}).map(([name, value]: [string, unknown]) => [`params.${name}`, value]),
  );

/** The default fields of a tag. */
const tagDefaults = { precision: 0, decimal: 0, bias: 0, description: '' };

/** The parsed content of a file as a configuration; undefined when it is something else. */
export function configFrom(value: unknown): ConfigBody | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const config = value as Partial<ConfigBody>;
  const parts = [config.nodes, config.groups, config.tags, config.subscriptions, config.settings];
  return parts.every(Array.isArray) ? (config as ConfigBody) : undefined;
}
