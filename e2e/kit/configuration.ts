import type { Client } from './client.ts';
import type { TagBody } from './configure.ts';

/** Everything of a gateway's configuration that the API shows and that must survive a restart, in the order it lists. */
export interface Configuration {
  readonly drivers: readonly DriverConfiguration[];
  readonly apps: readonly AppConfiguration[];
}

export interface NodeConfiguration {
  readonly name: string;
  readonly plugin: string;
  readonly running: number;
  /** Null when the node has no settings. */
  readonly setting: unknown;
}

export interface DriverConfiguration extends NodeConfiguration {
  readonly groups: readonly {
    readonly name: string;
    readonly interval: number;
    readonly report?: string;
    readonly min_interval?: number;
    readonly max_interval?: number;
    readonly tags: readonly TagBody[];
  }[];
}

export interface AppConfiguration extends NodeConfiguration {
  readonly subscriptions: readonly unknown[];
}

async function nodes(client: Client, type: number): Promise<NodeConfiguration[]> {
  const listed = await client.ok<{ nodes: { name: string; plugin: string }[] }>('GET', '/node', { type });
  const rows: NodeConfiguration[] = [];
  for (const { name, plugin } of listed.nodes) {
    const { running } = await client.ok<{ running: number }>('GET', '/node/state', { node: name });
    const { params } = (await client.call<{ params?: unknown }>('GET', '/node/setting', { node: name })).body;
    rows.push({ name, plugin, running, setting: params ?? null });
  }
  return rows;
}

/** Names of all drivers, type 1, or of all apps, type 2. */
export async function nodeNames(client: Client, type: 1 | 2): Promise<string[]> {
  const { nodes } = await client.ok<{ nodes: { name: string }[] }>('GET', '/node', { type });
  return nodes.map(({ name }) => name);
}

interface GroupRow {
  readonly name: string;
  readonly interval: number;
  readonly tag_count: number;
}

/** The groups of a driver, or those whose names have this part. */
export async function groupsOf(client: Client, node: string, part = ''): Promise<GroupRow[]> {
  const query = { node, ...(part !== '' && { group: part }) };
  return (await client.ok<{ groups: GroupRow[] }>('GET', '/group', query)).groups;
}

export async function tagsOf(client: Client, node: string, group: string): Promise<TagBody[]> {
  return (await client.ok<{ tags: TagBody[] }>('GET', '/tags', { node, group })).tags;
}

/** What an app is subscribed to. */
export async function subscriptionsOf(client: Client, app: string): Promise<object[]> {
  return (await client.ok<{ groups: object[] }>('GET', '/subscribe', { app })).groups;
}

export interface PluginRow {
  readonly name: string;
  /** The id of its library. */
  readonly schema: string;
  readonly kind: number;
  readonly version: string;
  readonly state: string;
}

/** All plugins, or the one of this name. */
export async function pluginsOf(client: Client, plugin?: string): Promise<PluginRow[]> {
  const query = plugin === undefined ? {} : { plugin };
  return (await client.ok<{ plugins: PluginRow[] }>('GET', '/plugin', query)).plugins;
}

async function groupsWithTags(client: Client, node: string): Promise<DriverConfiguration['groups']> {
  const rows = [];
  for (const { name, interval, tag_count, ...pace } of await groupsOf(client, node)) {
    const tags = await tagsOf(client, node, name);
    if (tags.length !== tag_count)
      throw new Error(`${node}/${name} has ${tags.length} tags and says ${tag_count}.`);
    rows.push({ name, interval, ...pace, tags });
  }
  return rows;
}

/** Asks the API for the whole configuration. */
export async function configurationOf(client: Client): Promise<Configuration> {
  const drivers: DriverConfiguration[] = [];
  for (const node of await nodes(client, 1))
    drivers.push({ ...node, groups: await groupsWithTags(client, node.name) });
  const apps: AppConfiguration[] = [];
  for (const node of await nodes(client, 2))
    apps.push({ ...node, subscriptions: await subscriptionsOf(client, node.name) });
  return { drivers, apps };
}
