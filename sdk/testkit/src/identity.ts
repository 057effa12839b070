import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const hasOpenssl = spawnSync('openssl', ['version']).error === undefined;

export interface Identity {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** A self-signed certificate for a DNS name, valid for a day, and its key. Needs openssl. */
export function identityOf(name: string): Identity {
  const folder = mkdtempSync(join(tmpdir(), 'tagway-identity-'));
  const cert = join(folder, 'cert.pem');
  const key = join(folder, 'key.pem');
  const pair = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
  try {
    const { status, stderr } = spawnSync('openssl', [
      ...['req', '-x509', '-days', '1', '-out', cert],
      ...pair,
      ...subject,
    ]);
    if (status !== 0) throw new Error(stderr.toString());
    return { cert: readFileSync(cert), key: readFileSync(key) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
