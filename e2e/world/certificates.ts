import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** Writes a new certificate for an address or a name that signs itself, and its key. Needs openssl. */
export function certify(cert: string, key: string, name: string, holder = 'IP:127.0.0.1'): void {
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${holder}`];
  const pair = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key];
  execFileSync('openssl', ['req', '-x509', ...pair, '-out', cert, '-days', '2', ...subject], {
    stdio: 'ignore',
  });
}

/** An authority that gives certificates for as long as is wanted, to the second. Needs openssl. */
export class Authority {
  /** Its own certificate, in PEM. */
  readonly file: string;
  readonly #folder: string;
  #issued = 0;

  /** `folder` is there and empty. */
  constructor(folder: string) {
    this.#folder = folder;
    this.file = join(folder, 'authority.pem');
    const settings = [
      ...['[ca]', 'default_ca = here', '[here]', `database = ${join(folder, 'issued')}`],
      ...[`new_certs_dir = ${folder}`, 'rand_serial = yes', 'default_md = sha256', 'unique_subject = no'],
      ...['copy_extensions = copy', 'policy = names', '[names]', 'commonName = supplied', ''],
    ];
    writeFileSync(join(folder, 'settings'), settings.join('\n'));
    writeFileSync(join(folder, 'issued'), '');
    certify(this.file, join(folder, 'authority.key'), 'Authority of a test');
  }

  /** The PEM texts of a new certificate, for addresses or for a client, good from a minute ago, and of its key. */
  issue(
    name: string,
    addresses: readonly string[],
    seconds: number,
  ): { readonly cert: string; readonly key: string } {
    const [key, request] = ['key', 'request'].map((kind) => join(this.#folder, `${++this.#issued}.${kind}`));
    const pair = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const holders = addresses.map((one) => `IP:${one}`).join(',');
    const subject = [
      ...['-subj', `/CN=${name}`],
      ...(holders === '' ? [] : ['-addext', `subjectAltName=${holders}`]),
    ];
    const run = (...args: string[]): string =>
      execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    run('req', '-new', ...pair, '-keyout', key!, '-out', request!, ...subject);
    const at = (offset: number): string =>
      `${new Date(Date.now() + 1000 * offset).toISOString().replace(/[-:T]|\..*/g, '')}Z`;
    const cert = run(
      ...['ca', '-batch', '-notext', '-config', join(this.#folder, 'settings'), '-in', request!],
      ...['-cert', this.file, '-keyfile', join(this.#folder, 'authority.key')],
      ...['-startdate', at(-60), '-enddate', at(seconds)],
    );
    return { cert, key: readFileSync(key!, 'utf8') };
  }
}
