import type { KeyObject, X509Certificate } from 'node:crypto';
import { hostname } from 'node:os';
import { certificateOf, KeptCertificate, keyOf, madeCertificate, pemOf, plainName } from '@tagway/opcua-pki';
import type { Settings } from './settings.ts';

/** A certificate of the gateway and its key, as the client library asks for them. */
export interface OwnCertificate {
  readonly certificate: X509Certificate;
  /** Where people find the certificate, to have a server trust it. */
  readonly place: string;
  getCertificate(): Buffer;
  getCertificateChain(): Buffer[];
  getPrivateKey(): { readonly hidden: string };
}

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
  const kept = KeptCertificate.in(folder);
  const isGood = kept !== undefined && kept.certificate.validToDate.getTime() > now;
  const own = isGood ? kept : await madeCertificate(folder, namesOf(node), now);
  return providerOf(own.certificate, own.key, own.place);
}

function namesOf(node: string): { name: string; dns: string[]; applicationUri: string } {
  const host = hostname();
  const plain = plainName(node);
  return {
    name: `Tagway ${plain}@${host}`,
    dns: [host],
    applicationUri: `urn:${host}:tagway:${encodeURIComponent(plain)}`,
  };
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
