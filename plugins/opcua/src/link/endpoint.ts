import {
  type EndpointDescription,
  MessageSecurityMode,
  OPCUAClient,
  type OPCUAClientOptions,
  SecurityPolicy,
} from 'node-opcua-client';
import type { TrustList } from '@tagway/opcua-pki';

/** The server offers no endpoint with the security that the settings ask for. */
export class NotOffered extends Error {
  constructor() {
    super('The server offers no endpoint with this security.');
  }
}

export interface Wanted {
  readonly mode: MessageSecurityMode;
  readonly policy: SecurityPolicy;
  readonly trust: TrustList;
  readonly signal: AbortSignal;
}

/**
 * The certificate of the endpoint with this security, which a secured connection needs beforehand, once it is found to be trusted. The
 * library would ask for it too, but over a transport of its own.
 */
export async function serverCertificateOf(
  url: string,
  options: OPCUAClientOptions,
  { mode, policy, trust, signal }: Wanted,
): Promise<Buffer> {
  const client = OPCUAClient.create({
    ...options,
    securityMode: MessageSecurityMode.None,
    securityPolicy: SecurityPolicy.None,
  });
  const leave = (): Promise<void> => client.disconnect().catch(() => undefined);
  const abort = (): void => void leave();
  signal.addEventListener('abort', abort, { once: true });
  let endpoints: EndpointDescription[];
  try {
    await client.connect(url);
    endpoints = await client.getEndpoints({ endpointUrl: url });
  } finally {
    signal.removeEventListener('abort', abort);
    await leave();
  }
  const endpoint = endpoints.find(
    ({ securityMode, securityPolicyUri }) =>
      securityMode === mode && securityPolicyUri === (policy as string),
  );
  if (endpoint === undefined) throw new NotOffered();
  const certificate = endpoint.serverCertificate;
  const status = await trust.checkCertificate(certificate);
  // The trust list says why.
  if (status.isNotGood()) throw new Error("The server's certificate is not trusted.");
  return certificate;
}
