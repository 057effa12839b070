import type { ListeningPlace } from '@tagway/sdk';
import { AddressList, type ListenOptions } from '@tagway/sdk/link';
import { listenerTls } from '@tagway/store/tls';
import type { Settings } from '../settings.ts';

/** Bytes that a master may leave unread before nothing more is taken from it. */
const mostUnread = 65_536;
/** Milliseconds that it may leave them so. */
const patience = 10_000;

/** Where the node listens, for the list of what the gateway has open. */
export function placeOf(settings: Readonly<Settings>): ListeningPlace {
  const { addresses = '', host = '', port = 0, tls = false, writes } = settings;
  const isRestricted = tls || addresses.trim() !== '';
  return { host, port, protocol: 'Modbus TCP', isEncrypted: tls, isRestricted, mayWrite: writes };
}

export function listenOptionsOf(
  settings: Readonly<Settings>,
  refused: (reason: string) => void,
): ListenOptions {
  const { addresses = '', idle = 0, max_connections: mostConnections = 1, tls = false } = settings;
  return {
    mostConnections,
    idle: 1000 * idle,
    mostUnread,
    patience,
    refused,
    ...(addresses.trim() !== '' && { allowed: new AddressList(addresses) }),
    ...(tls && { tls: listenerTls(settings) }),
  };
}
