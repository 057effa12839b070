import type { ConnectionOptions } from 'node:tls';
import { ErrorCode, Fault } from '@tagway/sdk';
import { hostProblem } from '@tagway/sdk/link';
import type { Broker } from './broker.ts';
import { type TlsFiles, tlsFilesProblem, tlsOptions } from '@tagway/store/tls';

/** The settings of TLS, as all apps on a broker have them. */
interface TlsSettings extends TlsFiles {
  readonly ssl: boolean;
  /** Without `ca` any certificate of the broker is taken, instead of none. */
  readonly ssl_without_ca: boolean;
}

/** The settings that all apps on a broker have, with the schema's defaults filled in. */
export interface BrokerSettings extends TlsSettings {
  readonly host: string;
  readonly port: number;
  readonly 'client-id'?: string;
  readonly username?: string;
  readonly password?: string;
  /** Protocol level: 4 is MQTT 3.1.1, 5 is MQTT 5. */
  readonly version: 4 | 5;
  readonly 'offline-cache'?: boolean;
  /** Megabytes of 10^6 bytes. */
  readonly 'cache-mem-size': number;
  /** Megabytes of 10^6 bytes. */
  readonly 'cache-disk-size': number;
  /** Milliseconds. */
  readonly 'cache-sync-interval': number;
}

/** Bytes of messages in memory without an offline cache: enough for a reconnect. */
const withoutCache = 16_000_000;

/** Whether the offline cache is on: where its switch is absent, a memory size is the switch. */
export function cacheOn(settings: BrokerSettings): boolean {
  return settings['offline-cache'] ?? settings['cache-mem-size'] > 0;
}

/** Milliseconds between two messages of the cache; 0 sends them at once. */
export function cacheInterval(settings: BrokerSettings): number {
  return cacheOn(settings) ? settings['cache-sync-interval'] : 0;
}

/** Bytes of messages that may wait in memory. */
export function memoryLimit(settings: BrokerSettings): number {
  return cacheOn(settings) ? settings['cache-mem-size'] * 1_000_000 : withoutCache;
}

/** Bytes of messages that may wait on disk. */
export function diskLimit(settings: BrokerSettings): number {
  return cacheOn(settings) ? settings['cache-disk-size'] * 1_000_000 : 0;
}

/** How to connect over TLS, or undefined when the settings want none. */
function tlsOf(settings: TlsSettings): ConnectionOptions | undefined {
  if (!settings.ssl) return undefined;
  const takesAny = settings.ca === undefined && settings.ssl_without_ca;
  return { ...tlsOptions(settings), ...(takesAny && { rejectUnauthorized: false }) };
}

/** The broker of these settings. */
export function brokerOf(
  settings: BrokerSettings,
  clientId: string,
): Omit<Broker, 'qos' | 'will' | 'confirmsByPing'> {
  const { host, port, username, password, version } = settings;
  // Forms send an empty name for none.
  return { host, port, clientId, username: username || undefined, password, version, tls: tlsOf(settings) };
}

/**
 * What is wrong with the settings of an app that the schema cannot say; `ownProblem` finds what is wrong with those that only this app has.
 * `hasPublicAuthority`: the broker's certificate is of an authority that Node knows, so that `ca` may be left out.
 */
export function checkBrokerSettings<Settings extends BrokerSettings>(
  settings: Settings,
  ownProblem: (settings: Settings) => string | undefined,
  hasPublicAuthority = false,
): Fault | undefined {
  const problem =
    hostProblem('host', settings.host) ??
    cacheProblem(settings) ??
    tlsProblem(settings, hasPublicAuthority) ??
    ownProblem(settings);
  return problem === undefined
    ? undefined
    : new Fault(ErrorCode.NODE_SETTING_INVALID, problem, { retry: false });
}

function cacheProblem(settings: BrokerSettings): string | undefined {
  if (settings['offline-cache'] === false) return undefined;
  const memory = settings['cache-mem-size'];
  const disk = settings['cache-disk-size'];
  if (settings['offline-cache'] === true && memory === 0)
    return '"offline-cache" is on, but "cache-mem-size" is 0: set it to 1 or more megabytes and "cache-disk-size" to as many at least, or "offline-cache" to false.';
  if (memory === 0 && disk > 0) return '"cache-disk-size" needs a "cache-mem-size" above 0.';
  if (memory > disk) return '"cache-mem-size" must not be larger than "cache-disk-size".';
  return undefined;
}

function tlsProblem(settings: BrokerSettings, hasPublicAuthority: boolean): string | undefined {
  if (!settings.ssl) return undefined;
  if (settings.ca === undefined && !settings.ssl_without_ca && !hasPublicAuthority)
    return '"ssl" needs "ca", the certificate authority of the broker.';
  return tlsFilesProblem(settings);
}
