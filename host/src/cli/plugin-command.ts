import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { ErrorCode } from '@tagway/schemas';
import type { ApiClient } from './api-client.ts';
import {
  type DirectoryTarget,
  localDirectory,
  performInDirectory,
  remoteDirectory,
} from './directory-command.ts';
import { mirrorPackages } from './mirror-command.ts';
import { table } from './table.ts';
import type { Config, PluginCommand } from '../config/config.ts';
import type { Gateway } from '../core/gateway.ts';
import type { Archive } from '../core/ports/ports.ts';
import { systemReason } from '../core/system/system-error.ts';
import { checkNoRegistry, CommandError, withGateway } from './with-gateway.ts';

interface PluginRow {
  readonly name: string;
  readonly schema: string;
  readonly version: string;
  readonly kind: number;
  readonly node_type: number;
  readonly state: string;
}

/** Performs the command: a gateway that runs, or this process on the data folder of one that does not. */
interface Target {
  install(archive: Archive): Promise<void>;
  list(): Promise<readonly PluginRow[]>;
  remove(name: string): Promise<void>;
  readonly directory: DirectoryTarget;
}

/** Performs `tagway plugin …` and returns what is to be printed. Rejects with `CommandError`, `ConfigError` or `ApiError`. */
export async function runPluginCommand(config: Config, command: PluginCommand): Promise<string> {
  const { action, subject: folder, packages = [], key, prerelease, registry } = command;
  return withGateway(config, command, {
    registry,
    local: (gateway) =>
      action === 'mirror'
        ? mirrorPackages(gateway, { folder, packages, key }, prerelease)
        : perform(localTarget(gateway), command),
    remote: (api) => {
      if (action === 'mirror')
        throw new CommandError(
          `A mirror is written on a data folder that no gateway uses, and one runs on ${config.data}. Name another folder with --data.`,
        );
      checkNoRegistry(registry);
      return perform(remoteTarget(api), command);
    },
  });
}

async function perform(target: Target, command: PluginCommand): Promise<string> {
  const { action, subject } = command;
  switch (action) {
    case 'mirror':
      throw new Error('A mirror is written without a target.');
    case 'install': {
      const archive = await readArchive(subject);
      await target.install(archive);
      return `The library ${archive.library} is installed.`;
    }
    case 'remove':
      await target.remove(subject);
      return `The plugin "${subject}" is removed.`;
    case 'list':
      return listText(await target.list());
    default:
      return performInDirectory(target.directory, action, command);
  }
}

async function readArchive(file: string): Promise<Archive> {
  const content = await readFile(file).catch((cause: unknown) => {
    throw new CommandError(`The file ${file} cannot be read: ${systemReason(cause)}.`, { cause });
  });
  const signature = await readFile(`${file}.sig`, 'utf8').catch(() => undefined);
  return { library: basename(file), content, ...(signature !== undefined && { signature }) };
}

function listText(rows: readonly PluginRow[]): string {
  const cells = rows.map((row) => [
    row.name,
    row.schema,
    row.version,
    row.node_type === 1 ? 'driver' : 'app',
    row.kind === 1 ? 'system' : 'custom',
    row.state,
  ]);
  return table([['NAME', 'ID', 'VERSION', 'TYPE', 'KIND', 'STATE'], ...cells]);
}

function localTarget(gateway: Gateway): Target {
  const refusal = (error: unknown): never => {
    throw new CommandError(error instanceof Error ? error.message : String(error), { cause: error });
  };
  const note = (text: string): void =>
    gateway.audit.add({ time: Date.now(), user: '', kind: 'folder', text, error: ErrorCode.SUCCESS });
  return {
    install: (archive) =>
      gateway.installs
        .install(archive)
        .then(() => note(`installed the library "${archive.library}"`), refusal),
    list: () =>
      Promise.resolve(
        gateway.plugins.all().map((plugin) => ({
          name: plugin.name,
          schema: plugin.id,
          version: plugin.version,
          kind: plugin.kind,
          node_type: plugin.nodeType,
          state: gateway.installs.runnerState(plugin),
        })),
      ),
    directory: localDirectory(gateway),
    remove: (name) => gateway.installs.remove(name).then(() => note(`removed the plugin "${name}"`), refusal),
  };
}

function remoteTarget(api: ApiClient): Target {
  return {
    directory: remoteDirectory(api),
    async install({ library, content = Buffer.alloc(0), signature }) {
      const file = Buffer.from(content).toString('base64');
      await api.call('POST', 'plugin', { library, file, signature });
    },
    list: async () => (await api.call('GET', 'plugin'))['plugins'] as PluginRow[],
    async remove(plugin) {
      await api.call('DELETE', 'plugin', { plugin });
    },
  };
}
