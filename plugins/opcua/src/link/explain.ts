import { isFault } from '@tagway/sdk';
import { SecurityMode, securityPolicies, type Settings } from '../settings.ts';
import type { Credentials } from './session.ts';

const modes = ['None', 'Sign', 'SignAndEncrypt'];

/** Why no session came about, in sentences for the operator; the library's own words go to the debug log. */
export function explain(error: unknown, settings: Settings, { own, trust }: Credentials): string {
  if (settings.security_mode !== SecurityMode.NONE && trust.refusal !== undefined) return trust.refusal;
  const text = error instanceof Error ? error.message : String(error);
  const has = (...words: readonly string[]): boolean => words.some((word) => text.includes(word));
  const { url } = settings;
  const policy = securityPolicies[settings.security_policy] ?? '';
  const security = `${modes[settings.security_mode] ?? ''}${settings.security_mode === 0 ? '' : ` with ${policy}`}`;

  if (
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
  if (has('BadCertificate', 'BadSecurityChecksFailed')) {
    return (
      `The OPC UA server at ${url} does not trust the gateway's certificate. It is in ${own.place} ` +
      `and has the SHA-1 fingerprint ${own.certificate.fingerprint}: trust it on the server.`
    );
  }
  if (has('BadTooManySessions')) return `The OPC UA server at ${url} has no session left.`;
  if (isFault(error)) return `The OPC UA server at ${url} does not answer.`;
  if (
    has(
      'ECONNREFUSED',
      'EHOSTUNREACH',
      'ENETUNREACH',
      'ETIMEDOUT',
      'Server is not reachable',
      'cannot be established',
    )
  )
    return `There is no OPC UA server at ${url}: nobody listens there or the network does not reach it.`;
  if (has('ENOTFOUND', 'EAI_AGAIN')) return `The host in ${url} has no address.`;
  return `No session with the OPC UA server at ${url} came about: ${text.replaceAll(/\s+/g, ' ').trim().slice(0, 300)}`;
}
