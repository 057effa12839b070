import type { ConnectionOptions } from 'node:tls';

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The settings of TLS, as all apps on a broker have them. */
export interface TlsSettings {
  readonly ssl: boolean;
  /** Without `ca` any certificate of the broker is taken, instead of none. */
  readonly ssl_without_ca: boolean;
  /** Base64 of PEM, as are `cert` and `key`. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly keypass?: string;
}

/** The text of a file setting, or undefined when it is empty or not base64. */
export function fileText(encoded: string): string | undefined {
  const plain = encoded.replace(/[\r\n]/g, '');
  return plain !== '' && base64.test(plain) ? Buffer.from(plain, 'base64').toString('utf8') : undefined;
}

/** What is wrong with a file setting that is to hold certificates, or undefined. */
export function certificateProblem(encoded: string): string | undefined {
  const blocks = (fileText(encoded) ?? '').match(
    /-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----.*?-----END \1?CERTIFICATE-----/gs,
  );
  if (blocks === null)
    return 'is no certificate: it must be a PEM file with "-----BEGIN CERTIFICATE-----" in it, as base64.';
  // Loaded only when it is needed: nodes without TLS do not need it.
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  for (const [at, block] of blocks.entries()) {
    try {
      new X509Certificate(block);
    } catch {
      return `is no certificate: number ${at + 1} of the ${blocks.length} in this PEM file cannot be read. Send the file again as it was issued.`;
    }
  }
  return undefined;
}

/** How to connect over TLS, or undefined when the settings want none. */
export function tlsOf({ ssl, ca, cert, key, keypass }: TlsSettings): ConnectionOptions | undefined {
  if (!ssl) return undefined;
  const options: ConnectionOptions = ca === undefined ? { rejectUnauthorized: false } : { ca: fileText(ca) };
  if (cert !== undefined && key !== undefined)
    Object.assign(options, { cert: fileText(cert), key: fileText(key) });
  if (keypass !== undefined) options.passphrase = keypass;
  return options;
}

/** The meanings of errors of OpenSSL and of Node's TLS, by patterns of their codes. The first match counts. */
const meanings: readonly (readonly [code: RegExp, meaning: string])[] = [
  [
    /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|CERT_SIGNATURE_FAILURE)$/,
    'The certificate of the broker does not come from the authority in "ca".',
  ],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'The certificate of the broker is not made out to the name in "host".'],
  [/^CERT_HAS_EXPIRED$/, 'The certificate of the broker has expired, or the clock of this machine is wrong.'],
  [
    /^CERT_NOT_YET_VALID$/,
    'The certificate of the broker is not valid yet, or the clock of this machine is wrong.',
  ],
  [
    /ALERT_(CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE)$/,
    'The broker wants a certificate of this client: set "cert" and "key".',
  ],
  [
    /ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|CERTIFICATE_EXPIRED|CERTIFICATE_REVOKED|ACCESS_DENIED|DECRYPT_ERROR|UNSUPPORTED_CERTIFICATE)$/,
    'The broker does not accept the certificate in "cert".',
  ],
  [
    /BAD_DECRYPT|BAD_PASSWORD|INTERRUPTED_OR_CANCELLED|^ERR_MISSING_PASSPHRASE$/,
    'The key in "key" has a password, and "keypass" is not it.',
  ],
  [/KEY_VALUES_MISMATCH|KEY_TYPE_MISMATCH/, 'The key in "key" does not belong to the certificate in "cert".'],
  [/PEM|ASN1|DECODER|UNSUPPORTED/, 'One of "ca", "cert" and "key" is not a PEM file of the right kind.'],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/,
    'The broker does not speak TLS on this port: set "port" to one for TLS, or "ssl" to false.',
  ],
  [
    /ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/,
    'The broker and this client have no version of TLS in common.',
  ],
];

/** A sentence for an error of a secure connection, or undefined for one that has nothing to do with TLS. */
export function tlsProblem(error: Error & { readonly code?: unknown }): string | undefined {
  if (typeof error.code !== 'string') return undefined;
  // On some kinds of sockets only the text of the error has the code that OpenSSL gives during the handshake.
  const inText = error.code === 'EPROTO' ? /SSL routines:[^:]*:([^:]+)/.exec(error.message)?.[1] : undefined;
  const code = inText?.toUpperCase().replaceAll(' ', '_') ?? error.code;
  const meaning = meanings.find(([pattern]) => pattern.test(code))?.[1];
  return meaning === undefined ? undefined : `${meaning} (${code})`;
}
