import { isFault } from '@tagway/sdk';
import { SecurityMode, securityPolicies, type Settings } from '../settings.ts';
import { NotOffered } from './endpoint.ts';
import type { Credentials } from './client-options.ts';
import type { Attempt } from './wire.ts';

const modes = ['None', 'Sign', 'SignAndEncrypt'];

const unreachable = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EADDRNOTAVAIL']);

/** Why no session was opened, in sentences for the operator; the library's own words go to the debug log. */
export function explain(
  error: unknown,
  attempt: Attempt,
  settings: Settings,
  { own, trust }: Credentials,
): string {
  if (settings.security_mode !== SecurityMode.NONE && trust.refusal !== undefined) return trust.refusal;
  const words = error instanceof Error ? error.message : String(error);
  const text = `${words} ${attempt.status?.name ?? ''}`;
  const has = (...parts: readonly string[]): boolean => parts.some((part) => text.includes(part));
  const { url } = settings;
  const policy = securityPolicies[settings.security_policy] ?? '';
  const isPlain = settings.security_mode === SecurityMode.NONE;
  const security = `${modes[settings.security_mode] ?? ''}${isPlain ? '' : ` with ${policy}`}`;

  if (
    error instanceof NotOffered ||
    has(
      'Cannot find an Endpoint',
      'End point must exist',
      'cannot find endpoint',
      'BadSecurityPolicyRejected',
    )
  )
    return `The OPC UA server at ${url} offers no endpoint with security ${security}. Choose a mode and a policy that it offers.`;
  if (has('ANONYMOUS user token')) return `The OPC UA server at ${url} asks for a user name and a password.`;
  if (has('USERNAME user token')) return `The OPC UA server at ${url} takes no user name; leave it out.`;
  if (has('BadIdentityToken', 'BadUserAccessDenied'))
    return `The OPC UA server at ${url} refuses the user name or the password.`;
  if (has('BadInvalidTimestamp', 'BadCertificateTimeInvalid', 'BadCertificateIssuerTimeInvalid')) {
    return (
      `The OPC UA server at ${url} finds that its time and that of the gateway, or of the gateway's certificate, do not go together. ` +
      `The certificate (${own.place}) is valid from ${own.certificate.validFromDate.toISOString()} to ${own.certificate.validToDate.toISOString()}. ` +
      'Compare the clocks of both.'
    );
  }
  if (!isPlain && has('BadCertificate', 'BadSecurityChecksFailed')) {
    return (
      `The OPC UA server at ${url} does not trust the gateway's certificate. It is in ${own.place} ` +
      `and has the SHA-1 fingerprint ${own.certificate.fingerprint}: trust it on the server.`
    );
  }
  if (has('BadTooManySessions')) return `The OPC UA server at ${url} has no session left.`;
  if (has('BadTcpEndpointUrlInvalid'))
    return `The OPC UA server at ${url} does not know this endpoint URL; give the path that it has, if any.`;
  if (isFault(error)) return `The OPC UA server at ${url} does not answer.`;
  if (attempt.step === 'resolve') return `The host in ${url} has no address.`;
  if (unreachable.has(attempt.failure))
    return `There is no OPC UA server at ${url}: nobody listens there or the network does not reach it.`;
  if (attempt.status !== undefined)
    return `The OPC UA server at ${url} closed the connection with ${attempt.status.name}: ${attempt.status.description}`;
  return `No session with the OPC UA server at ${url} came about: ${plain(words)}`;
}

/** The library numbers its transports and times its waits, which would make every attempt another reason. */
function plain(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[0-9]+(?: ?ms)?/g, '…')
    .trim()
    .slice(0, 300);
}
