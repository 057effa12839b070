import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { errorMeaning } from '@tagway/schemas';
import { withoutGateway } from './app.ts';
import { type Config, ConfigError, type PluginCommand } from './config.ts';
import type { Gateway } from './core/gateway.ts';
import type { Archive } from './core/ports.ts';

/** What was asked for was refused or is not possible; the message is for the operator. */
export class PluginCommandError extends Error {}

/** For one call of a gateway, in milliseconds: an installation waits for the plugin to come up. */
const callDeadline = 120_000;

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

/** Performs `tagway plugin …` and returns what is to be printed. Rejects with `PluginCommandError`. */
export async function runPluginCommand(config: Config, command: PluginCommand): Promise<string> {
  if (command.url !== undefined) return perform(await remote(command.url, command), command);
  const done = await withoutGateway(config, (gateway) => perform(local(gateway), command));
  if (done !== undefined) return done.result;
  return perform(await remote(addressOf(config), command), command);
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
  return {
    install: (archive) => gateway.installs.install(archive).then(() => undefined, refusal),
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
    remove: (name) => gateway.installs.remove(name).catch(refusal),
  };
}

/** Where the gateway of this configuration listens. */
function addressOf({ host, port, tls }: Config): string {
  const named = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `${tls === undefined ? 'http' : 'https'}://${named.includes(':') ? `[${named}]` : named}:${port}`;
}

async function remote(url: string, { user, password }: PluginCommand): Promise<Desk> {
  if (password === undefined) {
    throw new ConfigError(
      `A gateway runs at ${url}: its password has to be in TAGWAY_PASSWORD or --password.`,
    );
  }
  let token = '';
  const call = async (method: string, path: string, data?: object): Promise<Record<string, unknown>> => {
    let response: Response;
    try {
      response = await fetch(new URL(`/api/v2/${path}`, url), {
        method,
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
        ...(data !== undefined && { body: JSON.stringify(data) }),
        signal: AbortSignal.timeout(callDeadline),
      });
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      throw new PluginCommandError(`The gateway at ${url} cannot be reached: ${String(cause)}.`, { cause });
    }
    const reply = ((await response.json().catch(() => undefined)) ?? {}) as Record<string, unknown>;
    const error = reply['error'] ?? (response.ok ? 0 : response.status);
    if (error === 0) return reply;
    const { message = errorMeaning(Number(error)) } = reply;
    throw new PluginCommandError(
      `The gateway at ${url} refuses with error ${Number(error)}. ${String(message)}`,
    );
  };
  token = String((await call('POST', 'login', { name: user, pass: password }))['token']);
  return {
    async install({ library, content = Buffer.alloc(0), signature }) {
      const file = Buffer.from(content).toString('base64');
      await call('POST', 'plugin', { library, file, signature });
    },
    list: async () => (await call('GET', 'plugin'))['plugins'] as PluginRow[],
    async remove(plugin) {
      await call('DELETE', 'plugin', { plugin });
    },
  };
}
