import type { Limits } from '@tagway/iec104';
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

/** How the node listens. Who belongs to no redundancy group is not let in. */
export function listenOptionsOf(
  settings: Readonly<Settings>,
  refused: (reason: string) => void,
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
    ...(addresses.length > 0 && { allowed: new AddressList(addresses.join(',')) }),
    ...(tls && { tls: listenerTls(settings) }),
  };
}
