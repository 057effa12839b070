import { Attribute } from '@tagway/schemas';
import type { Client, Data, Method } from './client.ts';
import { holding, modbusSettings } from './configure.ts';

/** What one client believes of its own corner of the gateway: a driver, its settings, groups, tags and subscriptions. */
export interface Corner {
  readonly node: string;
  readonly app: string;
  readonly timeout: number | null;
  readonly groups: Readonly<Record<string, CornerGroup>>;
}

export interface CornerGroup {
  readonly interval: number;
  /** Address by tag name, in order. */
  readonly tags: readonly (readonly [name: string, address: string])[];
  /** Topic under which the app subscribes, or null. */
  readonly topic: string | null;
}

/** A request and the corner that holds once it succeeded. */
export interface Mutation {
  readonly method: Method;
  readonly path: string;
  readonly data: Data;
  readonly then: Corner;
}

/** A small generator of pseudo-random integers, so that a failed round can be repeated by its seed. */
export function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function tagBody([name, address]: readonly [string, string]): object {
  return { name, address, attribute: Attribute.READ, type: 3 };
}

function withGroup(corner: Corner, name: string, group: CornerGroup): Corner {
  return { ...corner, groups: { ...corner.groups, [name]: group } };
}

/** Chooses the next mutation of a corner. `serial` makes names fresh. */
export function nextMutation(corner: Corner, serial: number, pick: (below: number) => number): Mutation {
  const { node, app } = corner;
  const names = Object.keys(corner.groups);
  const name = names[pick(names.length)];
  const group = name === undefined ? undefined : corner.groups[name];
  if (name === undefined || group === undefined || (names.length < 4 && pick(4) === 0)) {
    const fresh = `group ${serial}`;
    const then = withGroup(corner, fresh, { interval: 1000, tags: [], topic: null });
    return { method: 'POST', path: '/group', data: { name: fresh, node, interval: 1000 }, then };
  }
  const subject = { node, group: name };
  const timeout = 1_000 + (serial % 60_000);
  const added = Array.from(
    { length: 1 + pick(40) },
    (_, index) => [`tag ${serial} ${index}`, holding(1 + pick(60_000))] as const,
  );
  const mutations: (() => Mutation)[] = [
    () => ({
      method: 'POST',
      path: '/tags',
      data: { ...subject, tags: added.map(tagBody) },
      then: withGroup(corner, name, { ...group, tags: [...group.tags, ...added] }),
    }),
    () => ({
      method: 'PUT',
      path: '/group',
      data: { ...subject, new_name: `group ${serial}`, interval: 1000 + serial },
      then: {
        ...corner,
        groups: Object.fromEntries(
          Object.entries(corner.groups).map(([key, value]) =>
            key === name ? [`group ${serial}`, { ...value, interval: 1000 + serial }] : [key, value],
          ),
        ),
      },
    }),
    () => ({
      method: 'POST',
      path: '/node/setting',
      data: { node, params: modbusSettings(9, { timeout }) },
      then: { ...corner, timeout },
    }),
  ];
  const [victim] = group.tags;
  if (victim !== undefined) {
    mutations.push(
      () => ({
        method: 'DELETE',
        path: '/tags',
        data: { ...subject, tags: [victim[0]] },
        then: withGroup(corner, name, { ...group, tags: group.tags.slice(1) }),
      }),
      () => {
        const changed = [victim[0], holding(1 + (serial % 60_000))] as const;
        return {
          method: 'PUT',
          path: '/tags',
          data: { ...subject, tags: [tagBody(changed)] },
          then: withGroup(corner, name, { ...group, tags: [changed, ...group.tags.slice(1)] }),
        };
      },
    );
  }
  if (group.topic === null) {
    mutations.push(
      () => ({
        method: 'POST',
        path: '/subscribe',
        data: { app, driver: node, group: name, params: { topic: `topic ${serial}` } },
        then: withGroup(corner, name, { ...group, topic: `topic ${serial}` }),
      }),
      () => {
        const rest = Object.fromEntries(Object.entries(corner.groups).filter(([key]) => key !== name));
        return { method: 'DELETE', path: '/group', data: subject, then: { ...corner, groups: rest } };
      },
    );
  } else {
    mutations.push(() => ({
      method: 'DELETE',
      path: '/subscribe',
      data: { app, driver: node, group: name },
      then: withGroup(corner, name, { ...group, topic: null }),
    }));
  }
  return (mutations[pick(mutations.length)] ?? mutations[0]!)();
}

/** Asks the API what a corner really holds. */
export async function cornerOf(client: Client, node: string, app: string): Promise<Corner> {
  const { groups } = await client.ok<{ groups: { name: string; interval: number }[] }>('GET', '/group', {
    node,
  });
  const subscribed = await client.ok<{ groups: { group: string; params: { topic: string } }[] }>(
    'GET',
    '/subscribe',
    { app },
  );
  const topics = new Map(subscribed.groups.map(({ group, params }) => [group, params.topic]));
  const seen: Record<string, CornerGroup> = {};
  for (const { name, interval } of groups) {
    const { tags } = await client.ok<{ tags: { name: string; address: string }[] }>('GET', '/tags', {
      node,
      group: name,
    });
    seen[name] = {
      interval,
      tags: tags.map((tag) => [tag.name, tag.address] as const),
      topic: topics.get(name) ?? null,
    };
  }
  const setting = await client.call<{ params?: { timeout: number } }>('GET', '/node/setting', { node });
  return { node, app, timeout: setting.body.params?.timeout ?? null, groups: seen };
}
