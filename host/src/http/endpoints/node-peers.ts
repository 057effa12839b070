import type { CertificatePlace, NodeCertificate } from '@tagway/sdk';
import type { NodeCertificateRecord, NodeListenerRecord } from '@tagway/schemas';
import type { Gateway } from '../../core/gateway.ts';
import type { NodeListener } from '../../core/nodes/listeners.ts';
import { bare, type Endpoints, withBody, withQuery } from '../route.ts';

const errors = [
  'NODE_NOT_FOUND',
  'NODE_NAME_TOO_LONG',
  'NODE_NOT_RUNNING',
  'PLUGIN_TYPE_UNSUPPORTED',
] as const;

/** What the audit says of a certificate that was moved. */
const moved: Readonly<Record<CertificatePlace, string>> = {
  trusted: 'trusted',
  rejected: 'rejected',
  deleted: 'deleted',
};

/**
 * Who is connected to a node, and which certificates it trusts. They stand beside the API, because its specification has none of it. A
 * standby answers for itself: its nodes have clients and certificates of their own.
 */
export function nodePeerEndpoints({ nodePeers }: Gateway): Endpoints {
  return {
    'GET /api/v2/node/clients': withQuery(
      'NodeClientsQuery',
      {
        role: 'viewer',
        summary: 'Lists the clients that are connected to a node that serves, up to 1000.',
        reply: 'NodeClientsReply',
        errors,
      },
      async ({ node }) => ({ clients: await nodePeers.clients(node) }),
    ),

    'GET /api/v2/node/listeners': bare(
      {
        role: 'viewer',
        summary: 'Lists where nodes take connections now: who is let in, and what they may do.',
        reply: 'NodeListenersReply',
      },
      () => ({ listeners: nodePeers.listeners().map(listenerRecordOf) }),
    ),

    'GET /api/v2/node/certificates': withQuery(
      'NodeCertificatesQuery',
      {
        role: 'viewer',
        summary:
          'Lists the certificates of a node: its own, those that it trusts and those that it has rejected.',
        reply: 'NodeCertificatesReply',
        errors,
      },
      async ({ node }) => ({ certificates: (await nodePeers.certificates(node)).map(recordOf) }),
    ),

    'PUT /api/v2/node/certificate': withBody(
      'NodeCertificateBody',
      {
        role: 'admin',
        summary:
          'Trusts, rejects or deletes a certificate of a node, from the next connection on. Connections of one that is not trusted any more end.',
        audit: ({ node, id, to }) => `${moved[to]} the certificate ${id} of the node "${node}"`,
        errors: [...errors, 'CERTIFICATE_NOT_FOUND'],
        onStandby: 'answers',
      },
      ({ node, id, to }) => nodePeers.moveCertificate(node, id, to),
    ),
  };
}

function listenerRecordOf({
  isEncrypted,
  isRemote,
  isRestricted,
  mayWrite,
  ...place
}: NodeListener): NodeListenerRecord {
  return { ...place, encrypted: isEncrypted, remote: isRemote, restricted: isRestricted, writes: mayWrite };
}

function recordOf({ content, ...certificate }: NodeCertificate): NodeCertificateRecord {
  return { ...certificate, content: Buffer.from(content).toString('base64') };
}
