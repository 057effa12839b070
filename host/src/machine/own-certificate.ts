import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { writePrivateFile } from '../core/access/private-file.ts';
import { isDiskFull, systemReason } from '../core/system/system-error.ts';
import { type CertifiedKey, selfSigned } from './self-signed.ts';

/** The files of a certificate and its key in a folder. */
export function certificateFiles(folder: string): CertifiedKey {
  return { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
}

/**
 * The certificate of this folder and its key, which are made when the folder has none: signed by itself, for the names and addresses
 * of this machine and `host`. When the disk is full a new one is not kept, and `warn` is called.
 */
export async function ownCertificate(
  folder: string,
  host: string,
  warn: (sentence: string) => void,
): Promise<CertifiedKey> {
  const files = certificateFiles(folder);
  const known = await readFile(files.cert, 'utf8').catch(() => undefined);
  if (known !== undefined) return { cert: known, key: await readFile(files.key, 'utf8') };
  const made = selfSigned(namesOf(host));
  try {
    // The certificate last: without it both are made again.
    await writePrivateFile(files.key, made.key);
    await writePrivateFile(files.cert, made.cert);
  } catch (cause) {
    if (!isDiskFull(cause))
      throw new Error(`The certificate of the API cannot be kept in ${folder}: ${systemReason(cause)}.`, {
        cause,
      });
    warn(
      `The certificate of the API cannot be kept in ${folder}, because the disk is full: the next start makes another.`,
    );
  }
  return made;
}

/** SHA-256 of a certificate in PEM, as browsers and openssl show it: `AB:CD:…`. */
export function fingerprintOf(certificate: string | Buffer): string {
  return new X509Certificate(certificate).fingerprint256;
}

/** Names and addresses of this machine. Link-local addresses are left out: they are written with the name of the link. */
function namesOf(host: string): string[] {
  const own = hostname();
  const addresses = Object.values(networkInterfaces()).flatMap((entries) =>
    (entries ?? []).map(({ address }) => address),
  );
  const names = [own, ...(own.includes('.') ? [] : [`${own}.local`]), 'localhost', host, ...addresses];
  const isUsable = (name: string): boolean =>
    isIP(name) === 0 ? /^[\w.-]{1,253}$/.test(name) : !/^(0\.0\.0\.0|::|fe80:.*)$/i.test(name);
  return [...new Set(names.filter(isUsable))];
}
