import { resolve } from 'node:path';
import { ConfigError } from './config-error.ts';
import type { Scalar } from './sub-commands.ts';

/** Paths of a certificate chain and its key, or what the gateway makes for itself. */
export type Tls = { readonly cert: string; readonly key: string } | 'auto';

/** Throws `ConfigError` for options that do not go together. */
export function tlsOf(
  mode: Scalar | undefined,
  cert: Scalar | undefined,
  key: Scalar | undefined,
): Tls | undefined {
  if (mode !== undefined) {
    if (mode !== 'auto') throw new ConfigError(`The option "tls" must be auto, not "${mode}".`);
    if (cert !== undefined || key !== undefined)
      throw new ConfigError('The option "tls" goes without "tls-cert" and "tls-key".');
    return mode;
  }
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw new ConfigError('The options "tls-cert" and "tls-key" need each other.');
  return { cert: resolve(String(cert)), key: resolve(String(key)) };
}
