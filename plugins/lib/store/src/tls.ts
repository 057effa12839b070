import type { ConnectionOptions } from 'node:tls';

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Files of TLS among the settings of an app, each base64 of PEM, and the password of the key. */
export interface TlsFiles {
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

/** What is wrong with the files, or undefined. */
export function tlsFilesProblem(settings: TlsFiles): string | undefined {
  for (const name of ['ca', 'cert', 'key'] as const) {
    const file = settings[name];
    if (file !== undefined && fileText(file) === undefined) return `"${name}" is empty or not base64.`;
  }
  for (const name of ['ca', 'cert'] as const) {
    const problem = settings[name] === undefined ? undefined : certificateProblem(settings[name]);
    if (problem !== undefined) return `"${name}" ${problem}`;
  }
  if (settings.cert !== undefined && settings.key === undefined) return '"cert" needs "key".';
  if (settings.keypass === '') return '"keypass" is empty: leave it out when the key has no password.';
  return undefined;
}

/** The files as Node takes them. Without `ca` the authorities that Node knows count. */
export function tlsOptions({ ca, cert, key, keypass }: TlsFiles): ConnectionOptions {
  return {
    ...(ca !== undefined && { ca: fileText(ca) }),
    ...(cert !== undefined && key !== undefined && { cert: fileText(cert), key: fileText(key) }),
    ...(keypass !== undefined && { passphrase: keypass }),
  };
}

/** Settings of an app that listens with TLS, for clients that have to show a certificate; files are base64 of PEM. */
export interface ListenerFiles {
  readonly tls_cert?: string;
  readonly tls_key?: string;
  readonly tls_keypass?: string;
  /** Authorities from which the certificates of the clients descend. */
  readonly tls_ca?: string;
}

/** What is wrong with the files of a listener: a sentence, or undefined. */
export function listenerFilesProblem(files: ListenerFiles): string | undefined {
  const { tls_ca = '', tls_cert = '' } = files;
  for (const [name, file] of Object.entries({ tls_cert, tls_ca })) {
    const problem = certificateProblem(file);
    if (problem !== undefined) return `The setting ${name} ${problem}`;
  }
  const { createSecureContext } = process.getBuiltinModule('node:tls');
  try {
    const { clientCa, ...own } = listenerTls(files);
    createSecureContext({ ...own, ca: clientCa });
    return undefined;
  } catch (error) {
    return `The settings tls_cert, tls_key, tls_keypass and tls_ca cannot be used: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

/** The files as `listenTcp` takes them. */
export function listenerTls({ tls_ca = '', tls_cert = '', tls_key = '', tls_keypass = '' }: ListenerFiles): {
  readonly cert: string;
  readonly key: string;
  readonly passphrase?: string;
  readonly clientCa: string;
} {
  return {
    cert: fileText(tls_cert) ?? '',
    key: fileText(tls_key) ?? '',
    clientCa: fileText(tls_ca) ?? '',
    ...(tls_keypass !== '' && { passphrase: tls_keypass }),
  };
}

/** The words for a server in the sentences about it. */
export interface ServerWords {
  readonly server: string;
  /** The setting that names it. */
  readonly place: string;
  /** How to connect without TLS, or to the right port. */
  readonly plain: string;
}

const brokerWords: ServerWords = {
  server: 'broker',
  place: '"host"',
  plain: 'set "port" to one for TLS, or "ssl" to false',
};

/** The meanings of errors of OpenSSL and of Node's TLS, by patterns of their codes. The first match counts. */
const meanings: readonly (readonly [code: RegExp, meaning: string])[] = [
  [
    /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|CERT_SIGNATURE_FAILURE)$/,
    'The certificate of the {server} does not come from the authority in "ca".',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'The certificate of the {server} is not made out to the name in {place}.',
  ],
  [
    /^CERT_HAS_EXPIRED$/,
    'The certificate of the {server} has expired, or the clock of this machine is wrong.',
  ],
  [
    /^CERT_NOT_YET_VALID$/,
    'The certificate of the {server} is not valid yet, or the clock of this machine is wrong.',
  ],
  [
    /ALERT_(CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE)$/,
    'The {server} wants a certificate of this client: set "cert" and "key".',
  ],
  [
    /ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|CERTIFICATE_EXPIRED|CERTIFICATE_REVOKED|ACCESS_DENIED|DECRYPT_ERROR|UNSUPPORTED_CERTIFICATE)$/,
    'The {server} does not accept the certificate in "cert".',
  ],
  [
    /BAD_DECRYPT|BAD_PASSWORD|INTERRUPTED_OR_CANCELLED|^ERR_MISSING_PASSPHRASE$/,
    'The key in "key" has a password, and "keypass" is not it.',
  ],
  [/KEY_VALUES_MISMATCH|KEY_TYPE_MISMATCH/, 'The key in "key" does not belong to the certificate in "cert".'],
  [/PEM|ASN1|DECODER|UNSUPPORTED/, 'One of "ca", "cert" and "key" is not a PEM file of the right kind.'],
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/, 'The {server} does not speak TLS on this port: {plain}.'],
  [
    /ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/,
    'The {server} and this client have no version of TLS in common.',
  ],
];

/** A sentence for an error of a secure connection, or undefined for one that has nothing to do with TLS. */
export function tlsProblem(
  error: Error & { readonly code?: unknown },
  { server, place, plain }: ServerWords = brokerWords,
): string | undefined {
  if (typeof error.code !== 'string') return undefined;
  // On some kinds of sockets only the text of the error has the code that OpenSSL gives during the handshake.
  const inText = error.code === 'EPROTO' ? /SSL routines:[^:]*:([^:]+)/.exec(error.message)?.[1] : undefined;
  const code = inText?.toUpperCase().replaceAll(' ', '_') ?? error.code;
  const meaning = meanings.find(([pattern]) => pattern.test(code))?.[1];
  if (meaning === undefined) return undefined;
  return `${meaning.replace('{server}', server).replace('{place}', place).replace('{plain}', plain)} (${code})`;
}
