import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KeptCertificate, madeCertificate, pemOf, TrustList } from '@tagway/opcua-pki';

const folder = mkdtempSync(join(tmpdir(), 'tagway-opcua-client-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** A certificate as the client library asks for it. */
export interface ClientCertificate {
  readonly kept: KeptCertificate;
  getCertificate(): Buffer;
  getCertificateChain(): Buffer[];
  getPrivateKey(): { readonly hidden: string };
}

const made = new Map<string, Promise<ClientCertificate>>();

/** The certificate of the test clients, or of another one of this name; made once in a process. */
export function clientCertificate(name = 'client'): Promise<ClientCertificate> {
  const known = made.get(name) ?? make(name);
  made.set(name, known);
  return known;
}

async function make(name: string): Promise<ClientCertificate> {
  const names = { name, applicationUri: `urn:tagway:${name}`, dns: ['localhost'] };
  const kept = await madeCertificate(join(folder, name), names, Date.now());
  const der = kept.certificate.raw;
  return {
    kept,
    getCertificate: () => der,
    getCertificateChain: () => [der],
    getPrivateKey: () => ({ hidden: pemOf(kept.key) }),
  };
}

/** A list that trusts every server. */
export function trustingAll(): TrustList {
  return new TrustList({ folder: join(folder, 'servers'), any: true, whose: "The server's", now: Date.now });
}
