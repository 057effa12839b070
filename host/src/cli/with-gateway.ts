import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiAccess, ApiClient } from './api-client.ts';
import { withoutGateway } from '../app/without-gateway.ts';
import { type Config, ConfigError, type GatewayAccess, readCommand } from '../config/config.ts';
import type { Gateway } from '../core/gateway.ts';
import { systemReason } from '../core/system/system-error.ts';
import { findAddress } from '../data/gateway-address.ts';

/** What was asked for was refused or is not possible; the message is for the operator. */
export class CommandError extends Error {}

/** Work on a gateway, whichever way it can be reached. */
export interface GatewayWork<T> {
  /** In this process, on the data folder of a gateway that does not run. */
  local(gateway: Gateway): Promise<T>;
  /** The address of the only registry that work on the folder asks. */
  readonly registry?: string | undefined;
  /** Over the API of one that runs. */
  remote(api: ApiClient): Promise<T>;
}

/**
 * Does work on the gateway at the URL, or on the one that runs on the data folder, or on the folder itself when no gateway runs.
 * Rejects with what the work rejects with, `CommandError`, `ConfigError` or `ApiError`.
 */
export async function withGateway<T>(
  config: Config,
  access: GatewayAccess,
  work: GatewayWork<T>,
): Promise<T> {
  const authorities = await readAuthorities(access.ca);
  const { url } = access;
  if (url !== undefined) return work.remote(await loggedIn({ url, ...authorities }, access));
  const done = await withoutGateway(config, (gateway) => work.local(gateway), work.registry);
  if (done !== undefined) return done.result;
  const address = await findAddress(config.data);
  if (address === undefined) {
    throw new CommandError(
      `The data folder ${config.data} is in use, and no gateway has left its address there: one is starting or ending, ` +
        'or another command works on the folder. Try again in a moment.',
    );
  }
  return work.remote(await loggedIn({ ...address, ...authorities }, access));
}

/** A gateway that runs is asked with the registries of its own. Throws `CommandError`. */
export function checkNoRegistry(registry: string | undefined): void {
  if (registry !== undefined)
    throw new CommandError(
      'A gateway that runs asks the registries that an admin has set. --registry is for a data folder that no gateway uses.',
    );
}

/** The API of the gateway at the URL, or of the one that runs on the data folder. Rejects with `CommandError`, `ConfigError` or `ApiError`. */
export async function runningGateway(config: Config, access: GatewayAccess): Promise<ApiClient> {
  const authorities = await readAuthorities(access.ca);
  const { url } = access;
  const address = url === undefined ? await findAddress(config.data) : { url };
  if (address !== undefined) return loggedIn({ ...address, ...authorities }, access);
  throw new CommandError(
    `No gateway runs on the data folder ${config.data}. Name the folder with --data, or the gateway with --url.`,
  );
}

/** Does work on a new gateway with the packaged plugins, whose data folder goes afterwards. No node runs. */
export async function withNewGateway<T>(work: (gateway: Gateway) => Promise<T>): Promise<T> {
  const data = await mkdtemp(join(tmpdir(), 'tagway-check-'));
  try {
    const command = readCommand(['--data', data, '--safe', '--log-level', 'error'], {});
    if (!('config' in command)) throw new Error('These are options of a gateway.');
    const done = await withoutGateway(command.config, work);
    if (done === undefined) throw new Error(`The new folder ${data} is in use.`);
    return done.result;
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

async function loggedIn(access: ApiAccess, { user, password, token }: GatewayAccess): Promise<ApiClient> {
  const api = new ApiClient(access, token);
  if (token !== undefined) return api;
  if (password === undefined) {
    throw new ConfigError(
      `A gateway runs at ${access.url}: its password has to be in TAGWAY_PASSWORD or --password.`,
    );
  }
  await api.login(user, password);
  return api;
}

async function readAuthorities(file: string | undefined): Promise<Pick<ApiAccess, 'authorities'>> {
  if (file === undefined) return {};
  const authorities = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CommandError(`The file ${file} of --ca cannot be read: ${systemReason(cause)}.`, { cause });
  });
  return { authorities };
}
