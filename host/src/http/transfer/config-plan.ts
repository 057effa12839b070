import { isDeepStrictEqual } from 'node:util';
import { type ConfigBody, type PlanConfigReply, RunningState } from '@tagway/schemas';
import type { Tag, TagBody } from '../../core/model.ts';
import { tagOf } from '../../core/records/records.ts';
import { driverNameOf, groupNameOf, routesOf } from './import-filter.ts';
import { tagBody } from '../body/tag-body.ts';
import { paceOf } from '../../core/tags/group-pace.ts';

const kinds = ['nodes', 'groups', 'tags', 'subscriptions', 'templates'] as const;
type Kind = (typeof kinds)[number];
type Things = Map<
  string,
  { readonly path: readonly string[]; readonly fields: Readonly<Record<string, unknown>> }
>;

/** Most differences that a reply lists; its counts include all. */
const mostListed = 1000;

/** What an import of `next` would change in `now`, both as an export has them. */
export function differencesOf(
  now: ConfigBody,
  next: ConfigBody,
): Pick<PlanConfigReply, Kind | 'differences'> {
  const before = thingsOf(now);
  const after = thingsOf(next);
  const differences: PlanConfigReply['differences'] = [];
  const list = (difference: PlanConfigReply['differences'][number]): void => {
    if (differences.length < mostListed) differences.push(difference);
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
        list({ kind, change, path: [...path], ...(changed !== undefined && { fields: changed }) });
    }
    for (const [key, { path }] of before[kind]) {
      if (fresh.has(key)) continue;
      counts.remove++;
      list({ kind, change: 'remove', path: [...path] });
    }
    return counts;
  };
  const counts = Object.fromEntries(kinds.map((kind) => [kind, count(kind)]));
  return { ...(counts as Pick<PlanConfigReply, Kind>), differences };
}

function thingsOf(config: ConfigBody): Record<Kind, Things> {
  const things = Object.fromEntries(kinds.map((kind) => [kind, new Map()])) as Record<Kind, Things>;
  const put = (kind: Kind, path: readonly string[], fields: Readonly<Record<string, unknown>>): void =>
    void things[kind].set(JSON.stringify(path), { path, fields });
  const params = new Map(config.settings.map((one) => [one.node, one.params]));
  for (const { name, plugin, running, profile } of config.nodes)
    put('nodes', [name], {
      plugin,
      stopped: running === RunningState.STOPPED,
      ...(profile && { profile }),
      ...paramsOf(params.get(name)),
    });
  for (const one of config.groups)
    put('groups', [driverNameOf(one), groupNameOf(one)], {
      interval: one.interval,
      history: one.history ?? 0,
      ...paceOf(one),
    });
  for (const one of config.tags)
    for (const tag of one.tags.map(tagBody))
      put('tags', [driverNameOf(one), groupNameOf(one), tag.name], membersOf(tag));
  for (const one of routesOf(config))
    put('subscriptions', [one.app, one.driver, one.group], paramsOf(one.params));
  for (const { name, plugin, groups } of config.templates ?? [])
    put('templates', [name], {
      plugin,
      groups: groups.map((group) => ({
        name: group.name,
        interval: group.interval,
        history: group.history ?? 0,
        ...paceOf(group),
        tags: group.tags.map(tagBody).map((tag) => ({ name: tag.name, ...membersOf(tag) })),
      })),
    });
  return things;
}

/** Parameters with the names that differences list. */
function paramsOf(params: object | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params ?? {}).map(([name, value]: [string, unknown]) => [`params.${name}`, value]),
  );
}

/** The members of a tag as it would be stored: with the defaults of those that are missing, and without those that say nothing. */
function membersOf(tag: TagBody): Omit<Tag, 'id' | 'name'> {
  const { id: _id, name: _name, ...members } = tagOf(0, tag);
  return members;
}
