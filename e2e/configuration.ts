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

async function groupsOf(client: Client, node: string): Promise<DriverConfiguration['groups']> {
  const listed = await client.ok<{ groups: { name: string; interval: number; tag_count: number }[] }>(
    'GET',
    '/group',
    { node },
  );
  const rows = [];
  for (const { name, interval, tag_count } of listed.groups) {
    const { tags } = await client.ok<{ tags: TagBody[] }>('GET', '/tags', { node, group: name });
    if (tags.length !== tag_count)
      throw new Error(`${node}/${name} has ${tags.length} tags and says ${tag_count}.`);
    rows.push({ name, interval, tags });
  }
  return rows;
}

/** Asks the API for the whole configuration. */
export async function configurationOf(client: Client): Promise<Configuration> {
  const drivers: DriverConfiguration[] = [];
  for (const node of await nodes(client, 1))
    drivers.push({ ...node, groups: await groupsOf(client, node.name) });
  const apps: AppConfiguration[] = [];
  for (const node of await nodes(client, 2)) {
    const { groups } = await client.ok<{ groups: unknown[] }>('GET', '/subscribe', { app: node.name });
    apps.push({ ...node, subscriptions: groups });
  }
  return { drivers, apps };
}
