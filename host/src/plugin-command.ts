import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { ErrorCode } from '@tagway/schemas';
import { type ApiAccess, ApiClient } from './api-client.ts';
import { withoutGateway } from './app.ts';
import { type Config, ConfigError, type PluginCommand } from './config.ts';
import type { Gateway } from './core/gateway.ts';
import type { Archive } from './core/ports.ts';
import { findAddress } from './gateway-address.ts';

/** What was asked for was refused or is not possible; the message is for the operator. */
export class PluginCommandError extends Error {}

interface PluginRow {
  readonly name: string;
  readonly schema: string;
  readonly version: string;
  readonly kind: number;
  readonly node_type: number;
  readonly state: string;
}

/** Whoever does the work: a gateway that runs, or this process on the data folder of one that does not. */
interface Desk {
  install(archive: Archive): Promise<void>;
  list(): Promise<readonly PluginRow[]>;
  remove(name: string): Promise<void>;
}

/** Performs `tagway plugin …` and returns what is to be printed. Rejects with `PluginCommandError` or `ApiError`. */
export async function runPluginCommand(config: Config, command: PluginCommand): Promise<string> {
  const authorities = await readAuthorities(command.ca);
  if (command.url !== undefined)
    return perform(await remote({ url: command.url, ...authorities }, command), command);
  const done = await withoutGateway(config, (gateway) => perform(local(gateway), command));
  if (done !== undefined) return done.result;
  const address = await findAddress(config.data);
  if (address === undefined) {
    throw new PluginCommandError(
      `The data folder ${config.data} is in use, and no gateway has left its address there: one is starting or ending, ` +
        'or another command works on the folder. Try again in a moment.',
    );
  }
  return perform(await remote({ ...address, ...authorities }, command), command);
}

async function perform(desk: Desk, { action, subject }: PluginCommand): Promise<string> {
  switch (action) {
    case 'install': {
      const archive = await readArchive(subject);
      await desk.install(archive);
      return `The library ${archive.library} is installed.`;
    }
    case 'remove':
      await desk.remove(subject);
      return `The plugin "${subject}" is removed.`;
    case 'list':
      return table(await desk.list());
  }
}

async function readArchive(file: string): Promise<Archive> {
  const content = await readFile(file).catch((cause: unknown) => {
    throw new PluginCommandError(`The file ${file} cannot be read.`, { cause });
  });
  const signature = await readFile(`${file}.sig`, 'utf8').catch(() => undefined);
  return { library: basename(file), content, ...(signature !== undefined && { signature }) };
}

function table(rows: readonly PluginRow[]): string {
  const cells = rows.map((row) => [
    row.name,
    row.schema,
    row.version,
    row.node_type === 1 ? 'driver' : 'app',
    row.kind === 1 ? 'system' : 'custom',
    row.state,
  ]);
  const lines = [['NAME', 'ID', 'VERSION', 'TYPE', 'KIND', 'STATE'], ...cells];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function local(gateway: Gateway): Desk {
  const refusal = (error: unknown): never => {
    throw new PluginCommandError(error instanceof Error ? error.message : String(error), { cause: error });
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
    remove: (name) => gateway.installs.remove(name).then(() => note(`removed the plugin "${name}"`), refusal),
  };
}

async function remote(access: ApiAccess, { user, password }: PluginCommand): Promise<Desk> {
  if (password === undefined) {
    throw new ConfigError(
      `A gateway runs at ${access.url}: its password has to be in TAGWAY_PASSWORD or --password.`,
    );
  }
  const api = new ApiClient(access);
  await api.login(user, password);
  return {
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

async function readAuthorities(file: string | undefined): Promise<Pick<ApiAccess, 'authorities'>> {
  if (file === undefined) return {};
  const authorities = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new PluginCommandError(`The file ${file} of --ca cannot be read.`, { cause });
  });
  return { authorities };
}
