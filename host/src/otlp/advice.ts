/** Why the collector did not take a request, without a full stop, and what to do about it, as a sentence. */
export interface Advice {
  readonly reason: string;
  readonly advice: string;
}

const untrusted =
  'Give the certificate of the authority that signed its own with --otlp-ca, and check the name in --otlp-endpoint.';

/** By codes of errors. */
const ofErrors: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: untrusted,
  CERT_HAS_EXPIRED: 'Renew the certificate of the collector, or set the clock of this machine.',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'Give it a certificate with --otlp-cert and --otlp-key.',
};

const credentials = 'Check the file of --otlp-headers, and --otlp-cert if it asks for a certificate.';
const overloaded =
  'Nothing has to be done unless this lasts: then lengthen --otlp-interval or give it more room.';

const ofStatuses: Readonly<Record<number, string>> = {
  401: credentials,
  403: credentials,
  404: 'Check the path in --otlp-endpoint, and that the collector has a pipeline for this signal.',
  405: 'Check that --otlp-endpoint is the address of its OTLP over HTTP.',
  413: 'The next ones are smaller; raise max_request_body_size of its receiver if it goes on.',
  429: overloaded,
  502: overloaded,
  503: overloaded,
  504: overloaded,
};

/** What to do after an error of the connection, or a status. */
export function adviceFor(cause: NodeJS.ErrnoException | number): string {
  if (typeof cause === 'number') return ofStatuses[cause] ?? 'The log of the collector says more.';
  return (
    ofErrors[cause.code ?? ''] ??
    'Check that it runs, and that --otlp-endpoint is the address of its OTLP over HTTP.'
  );
}

/** A redirect is not followed: headers with secrets go nowhere else. `path` is what the gateway has added to its endpoint. */
export function redirectTo(location: string | undefined, path: string): Advice {
  const url = location !== undefined && URL.canParse(location) ? new URL(location) : undefined;
  const endpoint = url && `${url.origin}${url.pathname.replace(`/${path}`, '')}`;
  return {
    reason: 'it answered with a redirect, which is not followed',
    advice: endpoint
      ? `Give the address itself with --otlp-endpoint, perhaps ${endpoint.slice(0, 200)}.`
      : 'Give the address itself with --otlp-endpoint.',
  };
}
