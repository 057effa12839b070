import { basename } from 'node:path';
import { ErrorCode } from '@tagway/schemas';
import type { ApiClient } from './api-client.ts';
import type { Config, GatewayAccess } from './config.ts';
import type { Gateway } from './core/gateway.ts';
import { importConfig, importDrivers, type ImportNotes } from './http/config-import.ts';
import { leftOutNode, routesOf, driverNameOf, withoutUnknownPlugins } from './http/left-out.ts';
import { type ImportedFile, readImport } from './import/read-file.ts';
import { CommandError, withGateway } from './with-gateway.ts';

/** Whoever takes the import: a gateway that runs, or this process on the data folder of one that does not. */
interface Desk {
  /** Those of these plugins that are there. */
  known(plugins: ReadonlySet<string>): Promise<ReadonlySet<string>>;
  /** Resolves with what was odd, in sentences. */
  take(file: ImportedFile): Promise<readonly string[]>;
}

/**
 * Performs `tagway import FILE` and returns what is to be printed: a line for each node, for all that is left out, and the sum. All of the
 * file is taken, apart from what is named, or nothing. Rejects with `ImportError`, `CommandError`, `ConfigError` or `ApiError`.
 */
export async function runImportCommand(config: Config, file: string, access: GatewayAccess): Promise<string> {
  const given = await readImport(file);
  // No node is to run here: the plugins are only asked whether they take what is in the file.
  return withGateway({ ...config, safe: true }, access, {
    local: (gateway) => perform(localDesk(gateway, basename(file)), given, file),
    remote: (api) => perform(remoteDesk(api), given, file),
  });
}

async function perform(desk: Desk, given: ImportedFile, file: string): Promise<string> {
  const names = new Set(given.body.nodes.map(({ plugin }) => plugin));
  if (given.kind === 'config') for (const { plugin } of given.body.templates ?? []) names.add(plugin);
  const known = await desk.known(names);
  const { remainder, sentences } = leaveOut(given, known);
  const odd = await desk.take(remainder);
  return [...linesOf(remainder), ...given.notes, ...sentences, ...odd, sumOf(remainder, file)].join('\n');
}

function leaveOut(
  given: ImportedFile,
  known: ReadonlySet<string>,
): { readonly remainder: ImportedFile; readonly sentences: readonly string[] } {
  if (given.kind === 'config') {
    const { body, sentences } = withoutUnknownPlugins(given.body, (plugin) => known.has(plugin));
    return { remainder: { ...given, body }, sentences };
  }
  const nodes = given.body.nodes.filter(({ plugin }) => known.has(plugin));
  const left = given.body.nodes.filter(({ plugin }) => !known.has(plugin));
  return {
    remainder: { ...given, body: { nodes } },
    sentences: left.map(({ name, plugin, groups = [] }) => leftOutNode(name, plugin, groups.length, 0)),
  };
}

/** What is taken of each node. */
function linesOf(file: ImportedFile): string[] {
  return nodesOf(file).map(({ name, plugin, groups, tags, subscriptions, isSetUp }) => {
    const parts = [
      ...(groups > 0 ? [`groups: ${groups}`, `tags: ${tags}`] : []),
      ...(subscriptions > 0 ? [`subscriptions: ${subscriptions}`] : []),
      ...(isSetUp ? [] : ['no settings']),
    ];
    return `The node "${name}" (${plugin}) is taken${parts.length > 0 ? `, ${parts.join(', ')}` : ''}.`;
  });
}

function sumOf(file: ImportedFile, path: string): string {
  const sum = { groups: 0, tags: 0, subscriptions: 0 };
  const nodes = nodesOf(file);
  for (const node of nodes) {
    sum.groups += node.groups;
    sum.tags += node.tags;
    sum.subscriptions += node.subscriptions;
  }
  const templates = file.kind === 'config' ? file.body.templates?.length : undefined;
  const replaced =
    file.kind === 'config'
      ? 'They are in the place of all nodes that were there.'
      : 'Drivers of the same names that were there are replaced; all else stays.';
  return (
    `${path} is imported: nodes: ${nodes.length}, groups: ${sum.groups}, tags: ${sum.tags}, subscriptions: ${sum.subscriptions}` +
    `${templates === undefined ? '' : `, templates: ${templates}`}. ${replaced}`
  );
}

interface NodeCount {
  readonly name: string;
  readonly plugin: string;
  groups: number;
  tags: number;
  subscriptions: number;
  isSetUp: boolean;
}

function nodesOf({ kind, body }: ImportedFile): NodeCount[] {
  if (kind === 'drivers') {
    return body.nodes.map(({ name, plugin, params, groups = [] }) => ({
      ...{ name, plugin, subscriptions: 0, isSetUp: params !== undefined },
      groups: groups.length,
      tags: groups.reduce((count, { tags = [] }) => count + tags.length, 0),
    }));
  }
  const counts = new Map<string, NodeCount>(
    body.nodes.map(({ name, plugin }) => [
      name,
      { name, plugin, groups: 0, tags: 0, subscriptions: 0, isSetUp: false },
    ]),
  );
  const add = (name: string, member: 'groups' | 'tags' | 'subscriptions', count: number): void => {
    const node = counts.get(name);
    if (node !== undefined) node[member] += count;
  };
  for (const group of body.groups) add(driverNameOf(group), 'groups', 1);
  for (const one of body.tags) add(driverNameOf(one), 'tags', one.tags.length);
  for (const { app } of routesOf(body)) add(app, 'subscriptions', 1);
  for (const { node } of body.settings) {
    const count = counts.get(node);
    if (count !== undefined) count.isSetUp = true;
  }
  return [...counts.values()];
}

/** `file` is the name of the file, for the audit. */
function localDesk(gateway: Gateway, file: string): Desk {
  return {
    known: (plugins) =>
      Promise.resolve(new Set([...plugins].filter((name) => gateway.plugins.byName(name) !== undefined))),
    async take({ kind, body }) {
      const odd: string[] = [];
      const notes: ImportNotes = {
        leftOut: (sentence) => void odd.push(sentence),
        unknown: (sentence) => void odd.push(sentence),
      };
      try {
        await (kind === 'config' ? importConfig(gateway, body, notes) : importDrivers(gateway, body, notes));
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new CommandError(`Nothing is imported. ${reason}`, { cause });
      }
      gateway.audit.add({
        ...{ time: Date.now(), user: '', kind: 'folder', error: ErrorCode.SUCCESS },
        text: `${kind === 'config' ? 'replaced the whole configuration' : 'imported drivers'} by the file "${file}", ${body.nodes.length} nodes`,
      });
      return odd;
    },
  };
}

function remoteDesk(api: ApiClient): Desk {
  return {
    async known(plugins) {
      const known = new Set<string>();
      for (const name of plugins) {
        const { plugins: found } = await api.call('GET', `plugin?plugin=${encodeURIComponent(name)}`);
        if ((found as readonly unknown[]).length > 0) known.add(name);
      }
      return known;
    },
    async take({ kind, body }) {
      const { warnings = [] } = await api.call('PUT', `global/${kind}`, body);
      return warnings as readonly string[];
    },
  };
}
