import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A test authority and what it signed, in a folder: `ca`; `broker`, for 127.0.0.1 and localhost; `elsewhere`, a broker of
 * another name; `expired`, a broker whose time is over; `client`. `other` is a second authority, `stranger` a client that it signed.
 * Each has a key, `NAME-key`; `locked` is the client's key under the password "secret".
 */
export class Certificates implements Disposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static make(): Certificates {
    const certificates = new Certificates(mkdtempSync(join(tmpdir(), 'tagway-certificates-')));
    try {
      certificates.#authority('ca');
      certificates.#authority('other');
      const here = 'subjectAltName=IP:127.0.0.1,DNS:localhost';
      certificates.#sign('broker', 'ca', here);
      certificates.#sign('elsewhere', 'ca', 'subjectAltName=DNS:elsewhere.example');
      certificates.#sign('expired', 'ca', here, ['-days', '0']);
      certificates.#sign('client', 'ca', 'extendedKeyUsage=clientAuth');
      certificates.#sign('stranger', 'other', 'extendedKeyUsage=clientAuth');
      certificates.#openssl(
        'pkcs8',
        '-topk8',
        '-in',
        'client-key.pem',
        '-out',
        'locked.pem',
        '-passout',
        'pass:secret',
      );
    } catch (error) {
      certificates[Symbol.dispose]();
      throw error;
    }
    return certificates;
  }

  path(name: string): string {
    return join(this.folder, `${name}.pem`);
  }

  pem(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  /** As the settings want it. */
  base64(name: string): string {
    return Buffer.from(this.pem(name)).toString('base64');
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #openssl(...args: string[]): void {
    const { status, stderr } = spawnSync('openssl', args, { cwd: this.folder });
    if (status !== 0) throw new Error(String(stderr));
  }

  #newKey(name: string): string[] {
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    return [...curve, '-subj', `/CN=${name}`, '-keyout', `${name}-key.pem`];
  }

  #authority(name: string): void {
    this.#openssl('req', '-x509', ...this.#newKey(name), '-days', '2', '-out', `${name}.pem`);
  }

  #sign(name: string, authority: string, extension: string, validity = ['-days', '2']): void {
    writeFileSync(join(this.folder, `${name}.ext`), extension);
    this.#openssl('req', ...this.#newKey(name), '-out', `${name}.csr`);
    const by = ['-CA', `${authority}.pem`, '-CAkey', `${authority}-key.pem`, '-CAcreateserial'];
    const files = ['-in', `${name}.csr`, '-extfile', `${name}.ext`, '-out', `${name}.pem`];
    this.#openssl('x509', '-req', ...by, ...files, ...validity);
  }
}
