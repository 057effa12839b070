import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import { der, derOid, DerTag } from '../core/access/der.ts';

/** A certificate and its key, in PEM. */
export interface CertifiedKey {
  readonly cert: string;
  readonly key: string;
}

/** Object identifiers of RFC 5280, RFC 5758 and X.520. */
const oids = {
  commonName: '2.5.4.3',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const;

/** Context-specific tags: the version and the extensions of a certificate, a DNS name and an address in subjectAltName. */
const Tag = { VERSION: 0xa0, EXTENSIONS: 0xa3, DNS_NAME: 0x82, IP_ADDRESS: 0x87 } as const;

/** The longest commonName, RFC 5280 appendix A.1. */
const commonNameMax = 64;

/**
 * Fixed dates: a machine whose clock does not survive a power cut may believe that today is 1970, and a certificate that was copied to
 * every client must not expire.
 */
const validity = ['200101000000Z', '491231235959Z'] as const;

/** A new key on P-256 and a certificate that it signs for itself, for a server of these host names and addresses. */
export function selfSigned(names: readonly string[]): CertifiedKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicInfo = publicKey.export({ type: 'spki', format: 'der' });
  const algorithm = der(DerTag.SEQUENCE, derOid(oids.ecdsaWithSha256));
  const holder = nameOf((names[0] ?? 'tagway').slice(0, commonNameMax));
  const signed = der(
    DerTag.SEQUENCE,
    der(Tag.VERSION, der(DerTag.INTEGER, Uint8Array.of(2))),
    der(DerTag.INTEGER, serialNumber()),
    algorithm,
    holder,
    der(DerTag.SEQUENCE, ...validity.map((time) => der(DerTag.UTC_TIME, Buffer.from(time)))),
    holder,
    publicInfo,
    der(Tag.EXTENSIONS, der(DerTag.SEQUENCE, ...extensions(names, publicInfo))),
  );
  const signature = sign('sha256', signed, privateKey);
  const certificate = der(DerTag.SEQUENCE, signed, algorithm, bitString(signature));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines(certificate.toString('base64'))}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

function extensions(names: readonly string[], publicInfo: Uint8Array): Buffer[] {
  const digitalSignature = Uint8Array.of(DerTag.BIT_STRING, 2, 7, 0x80);
  return [
    // No authority: nothing that this key signs is to be believed because the certificate is.
    extension(oids.basicConstraints, der(DerTag.SEQUENCE), true),
    extension(oids.keyUsage, digitalSignature, true),
    extension(oids.extKeyUsage, der(DerTag.SEQUENCE, derOid(oids.serverAuth))),
    extension(oids.subjectAltName, der(DerTag.SEQUENCE, ...names.map(alternativeName))),
    extension(
      oids.subjectKeyIdentifier,
      der(DerTag.OCTET_STRING, createHash('sha256').update(publicInfo).digest().subarray(0, 20)),
    ),
  ];
}

function extension(oid: string, value: Uint8Array, isCritical = false): Buffer {
  const critical = isCritical ? [der(DerTag.BOOLEAN, Uint8Array.of(0xff))] : [];
  return der(DerTag.SEQUENCE, derOid(oid), ...critical, der(DerTag.OCTET_STRING, value));
}

function nameOf(commonName: string): Buffer {
  const attribute = der(
    DerTag.SEQUENCE,
    derOid(oids.commonName),
    der(DerTag.UTF8_STRING, Buffer.from(commonName)),
  );
  return der(DerTag.SEQUENCE, der(DerTag.SET, attribute));
}

function alternativeName(name: string): Buffer {
  return isIP(name) === 0
    ? der(Tag.DNS_NAME, Buffer.from(name, 'latin1'))
    : der(Tag.IP_ADDRESS, addressBytes(name));
}

/** The 4 or 16 bytes of an address. */
function addressBytes(address: string): Uint8Array {
  if (isIPv4(address)) return Uint8Array.from(address.split('.').map(Number));
  const [front = [], back = []] = address
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16))));
  const zeros = new Array<number>(8 - front.length - back.length).fill(0);
  return Uint8Array.from([...front, ...zeros, ...back].flatMap((word) => [word >> 8, word & 0xff]));
}

/** Positive, of full length. */
function serialNumber(): Uint8Array {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes;
}

function bitString(bytes: Uint8Array): Buffer {
  return der(DerTag.BIT_STRING, Uint8Array.of(0), bytes);
}

function lines(base64: string): string {
  return base64.replaceAll(/.{64}(?=.)/g, '$&\n');
}
