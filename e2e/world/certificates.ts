import { execFileSync, spawnSync } from 'node:child_process';

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** Writes a new certificate for an address or a name that signs itself, and its key. Needs openssl. */
export function certify(cert: string, key: string, name: string, holder = 'IP:127.0.0.1'): void {
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${holder}`];
  const pair = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key];
  execFileSync('openssl', ['req', '-x509', ...pair, '-out', cert, '-days', '2', ...subject], {
    stdio: 'ignore',
  });
}
