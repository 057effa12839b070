import type { ConfigBody } from '@tagway/schemas';

/** Groups and lists of tags, whose driver and group have two spellings each. */
type Placed = ConfigBody['groups'][number] | ConfigBody['tags'][number];

export function driverNameOf({ driver, node }: Placed): string {
  return driver ?? node ?? '';
}

export function groupNameOf({ group, name }: Placed): string {
  return group ?? name ?? '';
}

/** One subscription of a configuration. */
export interface Route {
  readonly app: string;
  readonly driver: string;
  readonly group: string;
  readonly params: ConfigBody['subscriptions'][number]['params'];
}

/** The subscriptions of a configuration one by one, whether it lists them so or by app. */
export function routesOf({ subscriptions }: Pick<ConfigBody, 'subscriptions'>): Route[] {
  return subscriptions.flatMap(({ app, driver, group, params, groups }) => [
    ...(driver !== undefined && group !== undefined ? [{ app, driver, group, params }] : []),
    ...(groups ?? []).map((one) => ({ app, driver: one.driver, group: one.group, params: one.params })),
  ]);
}

/** A configuration without what cannot be imported, and a sentence about each node and template that is left out. */
export interface Remainder {
  readonly body: ConfigBody;
  readonly sentences: readonly string[];
}

/** Leaves out the nodes and templates of plugins that are not there, with all that belongs to them. */
export function withoutUnknownPlugins(body: ConfigBody, isKnown: (plugin: string) => boolean): Remainder {
  const isThere = ({ plugin }: { readonly plugin: string }): boolean => isKnown(plugin);
  const left = body.nodes.filter((node) => !isThere(node));
  const templates = body.templates?.filter(isThere);
  const leftTemplates = body.templates?.filter((template) => !isThere(template)) ?? [];
  if (left.length + leftTemplates.length === 0) return { body, sentences: [] };
  const gone = new Set(left.map(({ name }) => name));
  // A name that is there twice is refused later; until then what belongs to it must stay.
  for (const { name } of body.nodes.filter(isThere)) gone.delete(name);
  const routes = routesOf(body);
  const stays = ({ app, driver }: Route): boolean => !gone.has(app) && !gone.has(driver);
  return {
    body: {
      nodes: body.nodes.filter(isThere),
      groups: body.groups.filter((group) => !gone.has(driverNameOf(group))),
      tags: body.tags.filter((tags) => !gone.has(driverNameOf(tags))),
      subscriptions: routes
        .filter(stays)
        .map(({ params, ...route }) => ({ ...route, ...(params !== undefined && { params }) })),
      settings: body.settings.filter(({ node }) => !gone.has(node)),
      ...(templates !== undefined && { templates }),
    },
    sentences: [...nodeSentences(body, left, routes), ...leftTemplates.map(leftOutTemplate)],
  };
}

/** A sentence for each node, with what is left out with it. */
function nodeSentences(
  body: ConfigBody,
  left: ConfigBody['nodes'],
  routes: readonly Route[],
): readonly string[] {
  const groups = countBy(body.groups.map(driverNameOf));
  const subscriptions = countBy(
    routes.flatMap(({ app, driver }) => (app === driver ? [app] : [app, driver])),
  );
  return left.map(({ name, plugin }) =>
    leftOutNode(name, plugin, groups.get(name) ?? 0, subscriptions.get(name) ?? 0),
  );
}

/** A sentence that a node is left out, with the number of its groups and subscriptions. */
export function leftOutNode(name: string, plugin: string, groups: number, subscriptions: number): string {
  const lost = [counted(groups, 'group'), counted(subscriptions, 'subscription')];
  const rest = lost.filter((text) => text !== undefined).join(' and ');
  return `The node "${name}" is left out${rest && `, with ${rest}`}: there is no plugin "${plugin}" here.`;
}

/** A sentence that a template is left out. */
export function leftOutTemplate({
  name,
  plugin,
}: {
  readonly name: string;
  readonly plugin: string;
}): string {
  return `The template "${name}" is left out: there is no plugin "${plugin}" here.`;
}

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function counted(count: number, noun: string): string | undefined {
  return count === 0 ? undefined : `${count} ${noun}${count === 1 ? '' : 's'}`;
}
