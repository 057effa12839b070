import type { TrustList } from '@tagway/opcua-pki';
import type { OPCUAServer, ServerSession } from 'node-opcua-server';
import { X509IdentityToken } from 'node-opcua-types';

/** Ends the connections of clients, and the sessions of users, whose certificates are not trusted any more. */
export async function endUntrusted(server: OPCUAServer, clients: TrustList, users: TrustList): Promise<void> {
  const sessions = server.engine.getSessions();
  for (const session of sessions) {
    const { userIdentityToken: token } = session;
    if (!(token instanceof X509IdentityToken)) continue;
    if ((await users.getTrustStatus(token.certificateData)).isNotGood()) endSession(server, session);
  }
  for (const channel of server.endpoints.flatMap((endpoint) => endpoint.getChannels())) {
    const { clientCertificate } = channel;
    if (clientCertificate === null || (await clients.getTrustStatus(clientCertificate)).isGood()) continue;
    for (const session of sessions) if (session.channel === channel) endSession(server, session);
    channel.close();
  }
}

/** Subscriptions go with the session: nobody may take them over. */
function endSession({ engine }: OPCUAServer, session: ServerSession): void {
  if (engine.getSession(session.authenticationToken) !== null)
    engine.closeSession(session.authenticationToken, true, 'Forcing');
}
