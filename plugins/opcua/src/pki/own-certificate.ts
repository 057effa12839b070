import { generateKeyPair, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crypto_utils } from 'node-opcua-client';
import { certificateOf, keyOf, type Settings } from '../settings.ts';
import { base64Of } from './file.ts';

/** A certificate of the gateway and its key, as the client library asks for them. */
export interface OwnCertificate {
  readonly certificate: X509Certificate;
  /** Where people find the certificate, to have a server trust it. */
  readonly place: string;
  getCertificate(): Buffer;
  getCertificateChain(): Buffer[];
  getPrivateKey(): { readonly hidden: string };
}

const validDays = 365 * 10;

/** The certificate of the settings, or else the one in `folder`, which is made when it is not there or has expired. */
export async function ownCertificate(
  { cert = '', key = '' }: Settings,
  folder: string,
  node: string,
  now: number,
): Promise<OwnCertificate> {
  const given = cert === '' ? undefined : certificateOf(cert);
  const givenKey = key === '' ? undefined : keyOf(key);
  if (given && givenKey) return providerOf(given, givenKey, 'the setting "cert"');
  const place = join(folder, 'certificate.der');
  const keyPlace = join(folder, 'private-key.pem');
  const kept = certificateOf(base64Of(place));
  const keptKey = keyOf(base64Of(keyPlace));
  if (kept && keptKey && kept.checkPrivateKey(keptKey) && kept.validToDate.getTime() > now)
    return providerOf(kept, keptKey, place);
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const certificate = await selfSigned(privateKey, node, now);
  mkdirSync(folder, { recursive: true });
  writeWhole(keyPlace, pemOf(privateKey));
  writeWhole(place, certificate.raw);
  return providerOf(certificate, privateKey, place);
}

/** So that a crash on the way leaves no half file. */
function writeWhole(path: string, content: string | Buffer): void {
  writeFileSync(`${path}.new`, content, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

const pemOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }).toString();

async function selfSigned(key: KeyObject, node: string, now: number): Promise<X509Certificate> {
  const { CertificatePurpose, createSelfSignedCertificate } = crypto_utils;
  const host = hostname();
  // Characters that would end a part of the name or of the URI.
  const plain = node.replaceAll(/[^\p{L}\p{N}_.-]/gu, '_');
  const { cert } = await createSelfSignedCertificate({
    privateKey: key.toCryptoKey({ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, true, ['sign']),
    // An hour earlier, for servers whose clock is a little behind.
    notBefore: new Date(now - 3_600_000),
    notAfter: new Date(now + validDays * 86_400_000),
    subject: `/CN=Tagway ${plain}@${host}/O=Tagway`,
    dns: [host],
    applicationUri: `urn:${host}:tagway:${encodeURIComponent(plain)}`,
    purpose: CertificatePurpose.ForApplication,
  });
  return new X509Certificate(cert);
}

function providerOf(certificate: X509Certificate, key: KeyObject, place: string): OwnCertificate {
  const der = certificate.raw;
  const privateKey = { hidden: pemOf(key) };
  return {
    certificate,
    place,
    getCertificate: () => der,
    getCertificateChain: () => [der],
    getPrivateKey: () => privateKey,
  };
}
