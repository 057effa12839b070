import type { ConnectedClient } from '@tagway/sdk';
import { type Connection, State } from './connection.ts';

const states: Readonly<Record<State, string>> = {
  [State.STOPPED]: 'stopped',
  [State.STARTED]: 'started',
  [State.STOPPING]: 'stopping',
};

/** Who is connected, the one that came first first. */
export function connectedClients(connections: Iterable<Connection>, isSecure: boolean): ConnectedClient[] {
  return [...connections]
    .sort((one, other) => one.since - other.since)
    .map(({ group, peer, since, state, who }) => ({
      name: `${group.centre.name} (${states[state]})`,
      address: peer,
      since,
      ...(who.name !== undefined && { user: who.name }),
      ...(isSecure && { security: 'TLS' }),
    }));
}
