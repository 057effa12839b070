import { AddressList, type ListenOptions } from '@tagway/sdk/link';
import { listenerTls } from '@tagway/store/tls';
import type { Settings } from '../settings.ts';

/** Bytes that a master may leave unread before nothing more is taken from it. */
const mostUnread = 65_536;
/** Milliseconds that it may leave them so. */
const patience = 10_000;

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
