import type { ConnectedClient } from '@tagway/sdk';
import { MessageSecurityMode } from 'node-opcua-secure-channel';
import type { OPCUAServer, ServerSession } from 'node-opcua-server';
import { AnonymousIdentityToken } from 'node-opcua-types';
import type { Users } from '../security/users.ts';

/** Who has a session, the one that came first first. */
export function connectedClients({ engine }: OPCUAServer, users: Users): ConnectedClient[] {
  return engine
    .getSessions()
    .filter(({ status }) => status === 'active')
    .map((session) => described(session, users))
    .sort((one, other) => one.since - other.since);
}

function described(session: ServerSession, users: Users): ConnectedClient {
  const { channel, clientDescription, userIdentityToken: token, endpoint } = session;
  const application = clientDescription?.applicationName?.text || clientDescription?.applicationUri;
  const names = [application, session.sessionName].filter(Boolean);
  const isAnonymous = token === undefined || token instanceof AnonymousIdentityToken;
  return {
    name: [...new Set(names)].join(', ') || 'a client without a name',
    // A session outlives its connection for a while, in which the client may come back.
    address: channel === undefined ? 'not connected at this moment' : addressOf(channel),
    since: session.creationDate.getTime(),
    ...(!isAnonymous && { user: users.identityOf(token).user ?? users.identityOf(token).name }),
    ...(endpoint?.endpointUrl && { endpoint: endpoint.endpointUrl }),
    ...securityOf(session),
    subscriptions: session.currentSubscriptionCount,
    items: session.currentMonitoredItemCount,
  };
}

function addressOf({ remoteAddress, remotePort }: NonNullable<ServerSession['channel']>): string {
  return remoteAddress.includes(':') ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
}

function securityOf({ endpoint }: ServerSession): { security?: string } {
  if (endpoint === undefined || endpoint.securityMode === MessageSecurityMode.None) return {};
  const policy = endpoint.securityPolicyUri?.split('#').at(-1) ?? '';
  return { security: `${MessageSecurityMode[endpoint.securityMode]}, ${policy}` };
}
