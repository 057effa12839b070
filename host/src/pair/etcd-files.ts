import { readFileSync } from 'node:fs';
import { Etcd, type EtcdTls } from './etcd.ts';

/** Where an etcd is, and PEM files for the way to it. */
export interface EtcdFiles {
  readonly endpoints: readonly string[];
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Throws a sentence that names the file that cannot be read. */
export function etcdOf(files: EtcdFiles): Etcd {
  return new Etcd({ endpoints: files.endpoints, tls: etcdTlsOf(files) });
}

/** What the files hold. Throws a sentence that names the one that cannot be read. */
export function etcdTlsOf({ ca, cert, key }: EtcdFiles): EtcdTls {
  const read = (file: string): string => {
    try {
      return readFileSync(file, 'utf8');
    } catch (cause) {
      throw new Error(`${file}, which the pair needs, cannot be read: ${String(cause)}`, { cause });
    }
  };
  return {
    ...(ca !== undefined && { ca: read(ca) }),
    ...(cert !== undefined && { cert: read(cert) }),
    ...(key !== undefined && { key: read(key) }),
  };
}
