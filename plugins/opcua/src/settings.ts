import { certificateOf, keyOf } from '@tagway/opcua-pki';
import { ErrorCode, Fault } from '@tagway/sdk';
import { placeOf } from './link/wire.ts';

export const SecurityMode = { NONE: 0, SIGN: 1, SIGN_AND_ENCRYPT: 2 } as const;
export const UpdateMode = { READ: 0, SUBSCRIBE: 1, BOTH: 2 } as const;
export const Trust = { LISTED: 0, ANY: 1 } as const;

/** Settings of an OPC UA node, with the schema's defaults filled in: see settings.schema.json. */
export interface Settings {
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  /** Base64 of DER or PEM, as are `key` and `server_cert`. */
  readonly cert?: string;
  readonly key?: string;
  readonly security_mode: number;
  /** Index into `securityPolicies`. */
  readonly security_policy: number;
  readonly trust: number;
  readonly server_cert?: string;
  readonly update_mode: number;
  /** Milliseconds; 0 is the fastest that the server does. */
  readonly publishing_interval: number;
  /** Milliseconds. */
  readonly timeout: number;
}

/** Names of the policies by the numbers that stand for them. Basic128Rsa15 is broken and not among them. */
export const securityPolicies = [
  'Basic256Sha256',
  'Aes128_Sha256_RsaOaep',
  'Aes256_Sha256_RsaPss',
  'Basic256',
] as const;

/** What is wrong with the URL that its pattern cannot say. The message leaves out what may be a password. */
function problemOfUrl(url: string): string | undefined {
  const [, authority = ''] = /^opc\.tcp:\/\/([^/]*)/i.exec(url) ?? [];
  if (authority.includes('@'))
    return '"url" holds a user name or a password, which would be shown and logged: give them as "username" and "password".';
  const [, port] = /:([0-9]*)$/.exec(authority.replace(/^\[[^\]]*\]/, '')) ?? [];
  if (port !== undefined && (port === '' || Number(port) < 1 || Number(port) > 0xffff))
    return `"url" has the port "${port}", which is not a number from 1 to 65535.`;
  try {
    placeOf(url);
  } catch {
    return '"url" has no host that can be one; an IPv6 address is written in brackets, such as opc.tcp://[::1]:4840/.';
  }
  return undefined;
}

function problemOf({
  url,
  cert = '',
  key = '',
  server_cert = '',
  username = '',
  password = '',
}: Settings): string | undefined {
  if ((cert === '') !== (key === '')) return '"cert" and "key" belong together: give both or neither.';
  if (cert !== '') {
    const certificate = certificateOf(cert);
    const privateKey = keyOf(key);
    if (certificate === undefined) return '"cert" is not a certificate in DER or PEM, as base64.';
    if (privateKey === undefined)
      return '"key" is not a private key without a password in DER or PEM, as base64.';
    if (privateKey.asymmetricKeyType !== 'rsa') return '"key" is not an RSA key, which OPC UA asks for.';
    if (!certificate.checkPrivateKey(privateKey)) return '"key" does not belong to "cert".';
    if (!/URI:/.test(certificate.subjectAltName ?? ''))
      return '"cert" names no application URI among its subject alternative names, which OPC UA asks for.';
  }
  if (server_cert !== '' && certificateOf(server_cert) === undefined)
    return '"server_cert" is not a certificate in DER or PEM, as base64.';
  const urlProblem = problemOfUrl(url);
  if (urlProblem !== undefined) return urlProblem;
  if (password !== '' && username === '') return '"password" needs "username".';
  return undefined;
}

/** What the schema cannot say about settings. */
export function checkSettings(settings: Settings): Fault | undefined {
  const problem = problemOf(settings);
  return problem === undefined
    ? undefined
    : new Fault(ErrorCode.NODE_SETTING_INVALID, problem, { retry: false });
}
