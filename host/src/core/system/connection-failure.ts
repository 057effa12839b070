import { sentence, type Sentence } from './sentence.ts';

/** What is said of a certificate that an authority has signed which is not known here depends on where an authority can be given. */
const ofAuthority = Symbol('of the authority');

/** What the codes of a failed connection mean, to complete "it …". */
const meanings: readonly (readonly [pattern: RegExp, meaning: Sentence | typeof ofAuthority])[] = [
  [/^(ENOTFOUND|EAI_)/, sentence`has a name that is not known here`],
  [/^ECONNREFUSED$/, sentence`refuses the connection`],
  [/^(EHOSTUNREACH|ENETUNREACH)$/, sentence`cannot be reached from this network`],
  [/^(ECONNRESET|EPIPE|ECONNABORTED|HPE_)/, sentence`ends the connection`],
  [/^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/, sentence`has a certificate that is not valid at this time`],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, sentence`has a certificate for another name`],
  [/CERT|ISSUER|SIGNED/, ofAuthority],
  [/^(EPROTO|ERR_SSL)/, sentence`does not speak TLS as it should`],
];

/** What the error of a failed connection means, to complete "it …". `authority`: what is said of a certificate of an unknown authority. */
export function connectionFailure(error: unknown, authority: Sentence): Sentence {
  const { code = '' } = error as NodeJS.ErrnoException;
  const meaning = meanings.find(([pattern]) => pattern.test(code))?.[1] ?? sentence`does not answer`;
  return meaning === ofAuthority ? authority : meaning;
}
