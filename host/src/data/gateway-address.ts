import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the API of a gateway answers, for a process on the same machine. */
export interface GatewayAddress {
  readonly url: string;
  /** Of HTTPS: the certificate chain that it presents, in PEM, by which it is known whatever name is in it. */
  readonly certificate?: string;
}

/**
 * The gateway that runs on a data folder leaves its address there. The file counts only while the folder's database is in use:
 * a gateway that was killed leaves it behind, and the next process that opens the database deletes it.
 */
const fileOf = (data: string): string => join(data, 'running.json');

/** Replaces the file in one step, so that no half of it is ever read. */
export async function leaveAddress(data: string, address: GatewayAddress): Promise<void> {
  const file = fileOf(data);
  await writeFile(`${file}.new`, `${JSON.stringify(address)}\n`);
  await rename(`${file}.new`, file);
}

export async function removeAddress(data: string): Promise<void> {
  await rm(fileOf(data), { force: true });
}

/** Whether a gateway runs on the folder, or one that did not end properly was the last. */
export function hasAddress(data: string): boolean {
  return existsSync(fileOf(data));
}

/** Undefined when there is no file, or no valid one. */
export async function findAddress(data: string): Promise<GatewayAddress | undefined> {
  try {
    const { url, certificate } = JSON.parse(await readFile(fileOf(data), 'utf8')) as Record<string, unknown>;
    if (typeof url !== 'string') return undefined;
    return { url, ...(typeof certificate === 'string' && { certificate }) };
  } catch {
    return undefined;
  }
}

/** A gateway that listens on every address of the machine answers on its loopback address too. */
export function reachable(protocol: 'http' | 'https', address: string, port: number): string {
  const named = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? address;
  return `${protocol}://${named.includes(':') ? `[${named}]` : named}:${port}`;
}
