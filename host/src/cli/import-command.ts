import { basename } from 'node:path';
import { ErrorCode } from '@tagway/schemas';
import type { ApiClient } from './api-client.ts';
import type { Config, GatewayAccess } from '../config/config.ts';
import type { Gateway } from '../core/gateway.ts';
import { importConfig, importDrivers, type ImportNotes } from '../http/transfer/config-import.ts';
import {
  leftOutNode,
  routesOf,
  driverNameOf,
  withoutUnknownPlugins,
} from '../http/transfer/import-filter.ts';
import { type ImportedFile, readImport } from '../import/read-file.ts';
import { CommandError, withGateway } from './with-gateway.ts';

/** Performs the import: a gateway that runs, or this process on the data folder of one that does not. */
interface Target {
  /** Which of these plugins are installed. */
  known(plugins: ReadonlySet<string>): Promise<ReadonlySet<string>>;
  /** Imports the file. Resolves with warnings. */
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
    local: (gateway) => perform(localTarget(gateway, basename(file)), given, file),
    remote: (api) => perform(remoteTarget(api), given, file),
  });
}

async function perform(target: Target, given: ImportedFile, file: string): Promise<string> {
  const names = new Set(given.body.nodes.map(({ plugin }) => plugin));
  if (given.kind === 'config') for (const { plugin } of given.body.templates ?? []) names.add(plugin);
  const known = await target.known(names);
  const { remainder, sentences } = leaveOut(given, known);
  const odd = await target.take(remainder);
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
  const nodes = nodesOf(file);
  const sum = (of: 'groups' | 'tags' | 'subscriptions'): number =>
    nodes.reduce((total, node) => total + node[of], 0);
  const templates = file.kind === 'config' ? file.body.templates?.length : undefined;
  const replaced =
    file.kind === 'config'
      ? 'They are in the place of all nodes that were there.'
      : 'Drivers of the same names that were there are replaced; all else stays.';
  return (
    `${path} is imported: nodes: ${nodes.length}, groups: ${sum('groups')}, tags: ${sum('tags')}, subscriptions: ${sum('subscriptions')}` +
    `${templates === undefined ? '' : `, templates: ${templates}`}. ${replaced}`
  );
}

interface NodeCount {
  readonly name: string;
  readonly plugin: string;
  readonly isSetUp: boolean;
  groups: number;
  tags: number;
  subscriptions: number;
}

function nodesOf({ kind, body }: ImportedFile): NodeCount[] {
  if (kind === 'drivers') {
    return body.nodes.map(({ name, plugin, params, groups = [] }) => ({
      name,
      plugin,
      subscriptions: 0,
      isSetUp: params !== undefined,
      groups: groups.length,
      tags: groups.reduce((count, { tags = [] }) => count + tags.length, 0),
    }));
  }
  const setUp = new Set(body.settings.map(({ node }) => node));
  const counts = new Map<string, NodeCount>(
    body.nodes.map(({ name, plugin }) => [
      name,
      { name, plugin, isSetUp: setUp.has(name), groups: 0, tags: 0, subscriptions: 0 },
    ]),
  );
  const add = (name: string, member: 'groups' | 'tags' | 'subscriptions', count: number): void => {
    const node = counts.get(name);
    if (node !== undefined) node[member] += count;
  };
  for (const group of body.groups) add(driverNameOf(group), 'groups', 1);
  for (const one of body.tags) add(driverNameOf(one), 'tags', one.tags.length);
  for (const { app } of routesOf(body)) add(app, 'subscriptions', 1);
  return [...counts.values()];
}

/** `file` is the name of the file, for the audit. */
function localTarget(gateway: Gateway, file: string): Target {
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
        time: Date.now(),
        user: '',
        kind: 'folder',
        error: ErrorCode.SUCCESS,
        text: `${kind === 'config' ? 'replaced the whole configuration' : 'imported drivers'} by the file "${file}", ${body.nodes.length} nodes`,
      });
      return odd;
    },
  };
}

function remoteTarget(api: ApiClient): Target {
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
