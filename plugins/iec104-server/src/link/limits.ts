import type { Limits } from '@tagway/iec104';
import type { AppContext, ListeningPlace } from '@tagway/sdk';
import { AddressList, type ListenOptions } from '@tagway/sdk/link';
import { listenerTls } from '@tagway/store/tls';
import type { Settings } from '../settings.ts';

/** Bytes that a control centre may leave unread before nothing more is taken from it; a window of `k` frames is less. */
const mostUnread = 262_144;
/** Milliseconds that it may leave them so. */
const patience = 10_000;

export function limitsOf({ k, t1, t2, t3, w }: Readonly<Settings>): Limits {
  return { t1: t1 * 1000, t2: t2 * 1000, t3: t3 * 1000, k, w };
}

/** Where the node listens, for the list of what the gateway has open. */
export function placeOf({ centres = '', commands, host, port, tls }: Readonly<Settings>): ListeningPlace {
  const isRestricted = tls || centres.trim() !== '';
  return { host, port, protocol: 'IEC 60870-5-104', isEncrypted: tls, isRestricted, mayWrite: commands };
}

/** How the node listens. Who belongs to no redundancy group is not let in. */
export function listenOptionsOf(
  { settings, ...meters }: Pick<AppContext<Settings>, 'settings' | 'count' | 'gauge'>,
  refused: (reason: string, address: string) => void,
): ListenOptions {
  const { centres = '', max_connections, t1, t3, tls } = settings;
  const addresses = centres
    .split(';')
    .map((part) => part.split('=')[1] ?? '')
    .filter((part) => part.trim() !== '');
  return {
    mostConnections: max_connections,
    mostUnread,
    patience,
    // Who is alive answers the test frame that is sent after t3.
    idle: 2 * (t1 + t3) * 1000,
    refused,
    meters,
    ...(addresses.length > 0 && { allowed: new AddressList(addresses.join(',')) }),
    ...(tls && { tls: listenerTls(settings) }),
  };
}
