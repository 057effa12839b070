import { readFileSync } from 'node:fs';
import { systemReason } from '../../core/system/system-error.ts';
import { Etcd } from './etcd.ts';

/** Where an etcd is, and PEM files for the way to it. */
export interface EtcdFiles {
  readonly endpoints: readonly string[];
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** `timeout`: see `EtcdOptions`. Throws a sentence that names the file that cannot be read. */
export function etcdOf({ endpoints, ca, cert, key }: EtcdFiles, timeout?: number): Etcd {
  const read = (file: string): string => {
    try {
      return readFileSync(file, 'utf8');
    } catch (cause) {
      throw new Error(`${file}, which the pair needs, cannot be read: ${systemReason(cause)}.`, { cause });
    }
  };
  return new Etcd({
    endpoints,
    ...(timeout !== undefined && { timeout }),
    tls: {
      ...(ca !== undefined && { ca: read(ca) }),
      ...(cert !== undefined && { cert: read(cert) }),
      ...(key !== undefined && { key: read(key) }),
    },
  });
}
