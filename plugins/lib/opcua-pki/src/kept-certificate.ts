import { generateKeyPair, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CertificatePurpose, createSelfSignedCertificate } from 'node-opcua-crypto';
import { base64Of, writeWhole } from './file.ts';
import { certificateOf, keyOf, pemOf } from './x509.ts';

/** What a certificate says of the application that shows it. */
export interface SubjectNames {
  /** Common name. */
  readonly name: string;
  readonly applicationUri: string;
  readonly dns: readonly string[];
  readonly ip?: readonly string[];
}

const validDays = 365 * 10;

/** A certificate and its key as they are kept in a folder. */
export class KeptCertificate {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
  /** Where people find the certificate, to have others trust it. */
  readonly place: string;

  constructor(certificate: X509Certificate, key: KeyObject, place: string) {
    this.certificate = certificate;
    this.key = key;
    this.place = place;
  }

  /** What the folder holds; undefined when it is no pair of a certificate and its key. */
  static in(folder: string): KeptCertificate | undefined {
    const place = placeIn(folder);
    const certificate = certificateOf(base64Of(place));
    const key = keyOf(base64Of(keyPlaceIn(folder)));
    return certificate && key && certificate.checkPrivateKey(key)
      ? new KeptCertificate(certificate, key, place)
      : undefined;
  }
}

/** Makes a certificate with a new key and keeps both in the folder. */
export async function madeCertificate(
  folder: string,
  names: SubjectNames,
  now: number,
): Promise<KeptCertificate> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const { cert } = await createSelfSignedCertificate({
    privateKey: privateKey.toCryptoKey({ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, true, ['sign']),
    // An hour earlier, for peers whose clock is a little behind.
    notBefore: new Date(now - 3_600_000),
    notAfter: new Date(now + validDays * 86_400_000),
    subject: `/CN=${names.name}/O=Tagway`,
    dns: [...names.dns],
    ...(names.ip !== undefined && { ip: [...names.ip] }),
    applicationUri: names.applicationUri,
    purpose: CertificatePurpose.ForApplication,
  });
  const certificate = new X509Certificate(cert);
  mkdirSync(folder, { recursive: true });
  writeWhole(keyPlaceIn(folder), pemOf(privateKey));
  writeWhole(placeIn(folder), certificate.raw);
  return new KeptCertificate(certificate, privateKey, placeIn(folder));
}

/** A name without the characters that would end a part of a subject or of a URI. */
export function plainName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}_.-]/gu, '_');
}

const placeIn = (folder: string): string => join(folder, 'certificate.der');
const keyPlaceIn = (folder: string): string => join(folder, 'private-key.pem');
