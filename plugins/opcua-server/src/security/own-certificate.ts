import type { X509Certificate } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { KeptCertificate, madeCertificate, pemOf, plainName } from '@tagway/opcua-pki';
import type { Log } from '@tagway/sdk';
import { ResolvedCertificateKeyPairProvider } from 'node-opcua-common';
import { hostsOf, type Settings } from '../settings.ts';

/** Milliseconds before its end at which a certificate is made anew. */
export const renewBefore = 60 * 86_400_000;

export interface ServerNames {
  readonly applicationUri: string;
  readonly dns: readonly string[];
  readonly ip: readonly string[];
}

/** What the server is called: by the machine, by the settings and, in a pair of gateways, by the URI that it has there. */
export function namesOf(settings: Settings, node: string, uriOfPair?: string): ServerNames {
  const host = hostname();
  const given = givenNames(settings);
  const isAddress = (name: string): boolean => /^[0-9.]+$/.test(name) || name.includes(':');
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const uri = uriOfPair ?? settings.application_uri;
  return {
    applicationUri: uri || `urn:${host}:tagway:${encodeURIComponent(plainName(node))}`,
    dns: [...new Set([host, 'localhost', ...given.filter((name) => !isAddress(name))])],
    ip: [
      ...new Set([
        ...own.filter(({ family }) => family === 'IPv4').map(({ address }) => address),
        ...given.filter(isAddress),
      ]),
    ],
  };
}

/** The names and addresses that the settings say clients reach the server by. */
function givenNames(settings: Settings): readonly string[] {
  const hosts = hostsOf(settings);
  return typeof hosts === 'string' ? [] : hosts.map(({ name }) => name.replaceAll(/[[\]]/g, ''));
}

/** The certificate of the server in the folder `own`; made when there is none, when it ends soon, or when a name is not in it. */
export async function serverCertificate(
  folder: string,
  settings: Settings,
  names: ServerNames,
  node: string,
  now: number,
  log: Log,
): Promise<KeptCertificate> {
  const own = join(folder, 'own');
  const kept = KeptCertificate.in(own);
  const problem =
    kept === undefined ? 'there is none yet' : problemOf(kept.certificate, settings, names, now);
  if (kept !== undefined && problem === undefined) return kept;
  const made = await madeCertificate(own, { ...names, name: `Tagway ${plainName(node)}@${hostname()}` }, now);
  log.notice(
    `A certificate was made for the server, because ${problem}. It is ${made.place}, with the SHA-1 fingerprint ` +
      `${made.certificate.fingerprint}: clients that are to trust it need it.`,
  );
  return made;
}

/** Why a certificate has to be made anew, as the end of a sentence. Addresses of the machine that come and go do not count. */
function problemOf(
  certificate: X509Certificate,
  settings: Settings,
  { applicationUri, dns, ip }: ServerNames,
  now: number,
): string | undefined {
  if (certificate.validToDate.getTime() - now < renewBefore)
    return `that of before ends at ${certificate.validToDate.toISOString()}`;
  const names = (certificate.subjectAltName ?? '').split(', ');
  if (!names.includes(`URI:${applicationUri}`)) return 'the application URI is another one';
  const missing = [hostname(), ...givenNames(settings)].find(
    (name) =>
      (dns.includes(name) && !names.includes(`DNS:${name}`)) ||
      (ip.includes(name) && !names.some((one) => one === `IP Address:${name}`)),
  );
  return missing === undefined ? undefined : `the name ${missing} is not in that of before`;
}

/** The certificate and its key as the library asks for them. */
export class OwnKeyPair extends ResolvedCertificateKeyPairProvider {
  #kept: KeptCertificate;

  constructor(kept: KeptCertificate) {
    super('<in-memory>', '<in-memory>', { hidden: pemOf(kept.key) });
    this.#kept = kept;
  }

  get certificate(): X509Certificate {
    return this.#kept.certificate;
  }

  /** From here on clients get this one. The library has to forget what it has of the one before. */
  replace(kept: KeptCertificate): void {
    this.#kept = kept;
  }

  override getCertificate(): Buffer {
    return this.#kept.certificate.raw;
  }

  override getCertificateChain(): Buffer[] {
    return [this.#kept.certificate.raw];
  }

  override getPrivateKey(): { hidden: string } {
    return { hidden: pemOf(this.#kept.key) };
  }
}
