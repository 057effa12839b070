import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const hasOpenssl = spawnSync('openssl', ['version']).error === undefined;

export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** A certificate of this name for 127.0.0.1 that vouches for itself. */
export function identity(name = 'device'): Identity {
  const folder = mkdtempSync(join(tmpdir(), 'tagway-link-'));
  try {
    const [cert, key] = ['cert.pem', 'key.pem'].map((name) => join(folder, name)) as [string, string];
    const args = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '1',
    ];
    const subject = [
      '-subj',
      `/CN=${name}`,
      '-addext',
      'subjectAltName=IP:127.0.0.1',
      '-out',
      cert,
      '-keyout',
      key,
    ];
    const { status, stderr } = spawnSync('openssl', [...args, ...subject], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
