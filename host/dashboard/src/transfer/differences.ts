import { RunningState, type ConfigBody, type PlanConfigReply } from '@tagway/schemas';
import { stringifyExact } from '../api/exact-json.ts';

export type Change = PlanConfigReply['differences'][number];
export const kinds = ['nodes', 'groups', 'tags', 'subscriptions', 'templates'] as const;
export type Kind = (typeof kinds)[number];

/** Something that an import or a restore would add, change or remove. */
export interface Difference {
  readonly key: string;
  readonly kind: Kind;
  readonly name: string;
  readonly change: Change['change'];
  /** What changes of it, with the values of before and after where they are known. */
  readonly fields: string;
}

type Things = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** What the gateway says would change, with the values that two configurations have. */
export function differencesOf(
  changes: readonly Change[],
  present?: ConfigBody,
  next?: ConfigBody,
): Difference[] {
  const before = present && thingsOf(present);
  const after = next && thingsOf(next);
  return changes.map(({ kind, change, path, fields = [] }, index) => {
    const key = keyOf(kind, path);
    const [old, fresh] = [before?.get(key), after?.get(key)];
    const told = fields.map((field) => {
      if (old === undefined || fresh === undefined || !(field in old || field in fresh)) return field;
      return `${field}: ${shown(old[field])} → ${shown(fresh[field])}`;
    });
    return { key: String(index), kind, name: path.join(' · '), change, fields: told.join(', ') };
  });
}

const keyOf = (kind: Kind, path: readonly (string | undefined)[]): string => JSON.stringify([kind, ...path]);

/** Characters of a value that are shown. */
const longest = 120;

function shown(value: unknown): string {
  if (value === undefined) return '–';
  const text = typeof value === 'string' ? value || '–' : stringifyExact(value);
  return text.length > longest ? `${text.slice(0, longest)} …` : text;
}

/** Everything in a configuration, however it is nested, under the names by which the gateway tells of its differences. */
function thingsOf(config: ConfigBody): Things {
  const things = new Map<string, Record<string, unknown>>();
  const put = (kind: Kind, path: readonly (string | undefined)[], fields: Record<string, unknown>): void => {
    const key = keyOf(kind, path);
    things.set(key, { ...things.get(key), ...fields });
  };
  for (const { name, plugin, running } of config.nodes)
    put('nodes', [name], { plugin, stopped: running === RunningState.STOPPED });
  for (const { node, params } of config.settings) put('nodes', [node], paramsOf(params));
  for (const { driver, node, group, name, interval } of config.groups)
    put('groups', [driver ?? node, group ?? name], { interval });
  for (const { driver, node, group, name, tags } of config.tags)
    for (const tag of tags) put('tags', [driver ?? node, group ?? name, tag.name], { ...plain, ...tag });
  for (const { app, driver, group, params, groups } of config.subscriptions) {
    const own = driver === undefined || group === undefined ? [] : [{ driver, group, params }];
    for (const one of [...own, ...(groups ?? [])])
      put('subscriptions', [app, one.driver, one.group], paramsOf(one.params));
  }
  for (const { name, ...template } of config.templates ?? []) put('templates', [name], template);
  return things;
}

const paramsOf = (params: object | undefined): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(params ?? {}).map(([name, value]: [string, unknown]) => [`params.${name}`, value]),
  );

/** What a tag has that does not say otherwise. */
const plain = { precision: 0, decimal: 0, bias: 0, description: '' };

/** A configuration out of the text of a file; undefined when it is none. */
export function configFrom(value: unknown): ConfigBody | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const config = value as Partial<ConfigBody>;
  const parts = [config.nodes, config.groups, config.tags, config.subscriptions, config.settings];
  return parts.every(Array.isArray) ? (config as ConfigBody) : undefined;
}
