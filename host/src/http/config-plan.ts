import { isDeepStrictEqual } from 'node:util';
import { type ConfigBody, type PlanConfigReply, RunningState } from '@tagway/schemas';
import { tagDefaults } from '../core/model.ts';
import { driverNameOf, groupNameOf, routesOf } from './left-out.ts';
import { tagBody } from './tag-body.ts';

type Kind = 'nodes' | 'groups' | 'tags' | 'subscriptions' | 'templates';
type Things = Map<
  string,
  { readonly path: readonly string[]; readonly fields: Readonly<Record<string, unknown>> }
>;

/** Differences that are told one by one; the counts are of all. */
const mostTold = 1000;

/** What an import of `next` would make of `now`, both as an export has them. */
export function differencesOf(
  now: ConfigBody,
  next: ConfigBody,
): Pick<PlanConfigReply, Kind | 'differences'> {
  const [before, after] = [thingsOf(now), thingsOf(next)];
  const differences: PlanConfigReply['differences'] = [];
  const tell = (difference: PlanConfigReply['differences'][number]): void => {
    if (differences.length < mostTold) differences.push(difference);
  };
  const count = (kind: Kind): PlanConfigReply['nodes'] => {
    const counts = { add: 0, update: 0, unchanged: 0, remove: 0 };
    // An import without templates leaves those that are there.
    const fresh = kind === 'templates' && next.templates === undefined ? before[kind] : after[kind];
    for (const [key, { path, fields }] of fresh) {
      const old = before[kind].get(key)?.fields;
      const names = old && [...new Set([...Object.keys(old), ...Object.keys(fields)])];
      const changed = names?.filter((name) => !isDeepStrictEqual(old?.[name], fields[name]));
      const change = changed === undefined ? 'add' : changed.length > 0 ? 'update' : 'unchanged';
      counts[change]++;
      if (change !== 'unchanged')
        tell({ kind, change, path: [...path], ...(changed !== undefined && { fields: changed }) });
    }
    for (const [key, { path }] of before[kind]) {
      if (fresh.has(key)) continue;
      counts.remove++;
      tell({ kind, change: 'remove', path: [...path] });
    }
    return counts;
  };
  const counts = {
    ...{ nodes: count('nodes'), groups: count('groups'), tags: count('tags') },
    ...{ subscriptions: count('subscriptions'), templates: count('templates') },
  };
  return { ...counts, differences };
}

function thingsOf(config: ConfigBody): Record<Kind, Things> {
  const things: Record<Kind, Things> = {
    ...{ nodes: new Map(), groups: new Map(), tags: new Map() },
    ...{ subscriptions: new Map(), templates: new Map() },
  };
  const put = (kind: Kind, path: readonly string[], fields: Readonly<Record<string, unknown>>): void =>
    void things[kind].set(JSON.stringify(path), { path, fields });
  const params = new Map(config.settings.map((one) => [one.node, one.params]));
  for (const { name, plugin, running } of config.nodes)
    put('nodes', [name], {
      plugin,
      stopped: running === RunningState.STOPPED,
      ...paramsOf(params.get(name)),
    });
  for (const one of config.groups)
    put('groups', [driverNameOf(one), groupNameOf(one)], { interval: one.interval });
  for (const one of config.tags)
    for (const { name, ...rest } of one.tags.map(tagBody))
      put('tags', [driverNameOf(one), groupNameOf(one), name], filled(rest));
  for (const one of routesOf(config))
    put('subscriptions', [one.app, one.driver, one.group], paramsOf(one.params));
  for (const { name, plugin, groups } of config.templates ?? [])
    put('templates', [name], {
      plugin,
      groups: groups.map((group) => ({
        ...{ name: group.name, interval: group.interval },
        tags: group.tags.map(tagBody).map(({ name: tag, ...rest }) => ({ name: tag, ...filled(rest) })),
      })),
    });
  return things;
}

/** With the names under which a difference tells of them. */
function paramsOf(params: object | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params ?? {}).map(([name, value]: [string, unknown]) => [`params.${name}`, value]),
  );
}

/** A tag with what it has when nothing else is said. */
function filled(tag: object): Record<string, unknown> {
  const given = Object.entries(tag).filter(([, value]: [string, unknown]) => value !== undefined);
  return { ...tagDefaults, ...(Object.fromEntries(given) as object) };
}
