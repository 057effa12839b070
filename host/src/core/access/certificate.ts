import { X509Certificate } from 'node:crypto';
import { type DerElement, derElements, DerTag, naturalOf, oidOf, textOf } from './der.ts';

/** What a license allows, as its certificate says. */
export interface LicenseTerms {
  readonly type: string;
  /** Drivers and apps. */
  readonly maxNodes: number;
  /** Tags of each node. */
  readonly maxNodeTags: number;
  /** Names of plugins; empty: all. */
  readonly enabledPlugins: readonly string[];
  /** Of the machine that alone may use it; undefined: any. */
  readonly hardwareToken: string | undefined;
  readonly since: Date;
  readonly until: Date;
  /** To whom it is given. */
  readonly object: string;
  readonly email: string;
}

/** The arc below which the extensions of a license lie: a UUID, which ITU-T X.667 lets anyone use. LICENSING.md lists them. */
const arc = '2.25.322535643797080601165138868762541681243';

const oids = {
  type: `${arc}.1`,
  maxNodes: `${arc}.2`,
  maxNodeTags: `${arc}.3`,
  enabledPlugins: `${arc}.4`,
  hardwareToken: `${arc}.5`,
} as const;

/** Throws an error with the reason when the text is not a certificate, not signed by an authority, or not a license. */
export function readLicense(pem: string, authorities: readonly X509Certificate[]): LicenseTerms {
  const certificate = certificateOf(pem);
  if (!authorities.some((authority) => isSignedBy(certificate, authority))) {
    throw new Error('It is not signed by an authority for licenses that this gateway knows.');
  }
  const extensions = extensionsOf(certificate);
  const required = (oid: string): DerElement => {
    const element = extensions.get(oid);
    if (element === undefined) throw new Error(`It has no extension ${oid}.`);
    return element;
  };
  const plugins = extensions.get(oids.enabledPlugins);
  const token = extensions.get(oids.hardwareToken);
  const { O, CN, emailAddress } = certificate.toLegacyObject().subject as unknown as Record<string, unknown>;
  return {
    type: textOf(required(oids.type)),
    maxNodes: naturalOf(required(oids.maxNodes)),
    maxNodeTags: naturalOf(required(oids.maxNodeTags)),
    enabledPlugins: plugins === undefined ? [] : derElements(plugins.content).map(textOf),
    hardwareToken: token && textOf(token),
    since: certificate.validFromDate,
    until: certificate.validToDate,
    object: first(O) || first(CN),
    email: first(emailAddress),
  };
}

/** OpenSSL's own messages are codes of its functions. */
function certificateOf(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new Error('It is no certificate in PEM.', { cause });
  }
}

function isSignedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

/** A field of a subject may be given several times. */
function first(field: unknown): string {
  const [value] = Array.isArray(field) ? (field as unknown[]) : [field];
  return typeof value === 'string' ? value : '';
}

/** The values of the extensions by object identifier, RFC 5280 section 4.1. */
function extensionsOf({ raw }: X509Certificate): Map<string, DerElement> {
  const [certificate] = derElements(raw);
  const [signed] = derElements(certificate?.content ?? raw);
  const fields = derElements(signed?.content ?? raw);
  const [list] = derElements(
    fields.find(({ tag }) => tag === DerTag.EXPLICIT_3)?.content ?? new Uint8Array(),
  );
  const values = new Map<string, DerElement>();
  for (const extension of derElements(list?.content ?? new Uint8Array())) {
    const parts = derElements(extension.content);
    const [id] = parts;
    const value = parts.at(-1);
    if (id?.tag !== DerTag.OBJECT_IDENTIFIER || value?.tag !== DerTag.OCTET_STRING) continue;
    const oid = oidOf(id);
    // Other extensions may hold anything.
    if (!oid.startsWith(`${arc}.`)) continue;
    const [element] = derElements(value.content);
    if (element !== undefined) values.set(oid, element);
  }
  return values;
}
