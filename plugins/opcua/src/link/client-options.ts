import type { Context } from '@tagway/sdk';
import type { OPCUAClientOptions } from 'node-opcua-client';
import type { OwnCertificate } from '../own-certificate.ts';
import type { TrustList } from '@tagway/opcua-pki';
import type { Settings } from '../settings.ts';
import { type Attempt, Wire } from './wire.ts';

export interface Credentials {
  readonly own: OwnCertificate;
  readonly trust: TrustList;
}

/** Options of the library's client that do not depend on the security. */
export function clientOptions(
  context: Context<Settings>,
  credentials: Credentials,
  attempt: Attempt,
): OPCUAClientOptions {
  const { timeout } = context.settings;
  const { own, trust } = credentials;
  return {
    applicationName: 'Tagway',
    clientName: `Tagway ${context.node}`,
    certificateKeyPairProvider: own,
    clientCertificateManager: trust,
    // Servers call themselves by names that the gateway may not be able to resolve.
    endpointMustExist: false,
    // The link tries again, not the library.
    connectionStrategy: { maxRetry: 0, initialDelay: 10, maxDelay: 10 },
    // A server allows few sessions, and one whose connection broke counts until it times out, so the timeout is short.
    requestedSessionTimeout: Math.max(30_000, 3 * timeout),
    defaultTransactionTimeout: timeout,
    // The library ends a socket that is silent for half of this; the link asks often enough that it never is.
    transportTimeout: 4 * timeout + 120_000,
    transportFactory: { create: () => new Wire(attempt, context) },
  };
}
