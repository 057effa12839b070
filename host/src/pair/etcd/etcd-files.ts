import { readFileSync } from 'node:fs';
import { systemReason } from '../../core/system/system-error.ts';
import { Etcd, type EtcdTls } from './etcd.ts';

/** Where an etcd is, and PEM files for the way to it. */
export interface EtcdFiles {
  readonly endpoints: readonly string[];
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/**
 * `timeout`: see `EtcdOptions`. The files are read again now and then, because certificates are renewed while a gateway runs. Throws a
 * sentence that names the file that cannot be read.
 */
export function etcdOf(files: EtcdFiles, timeout?: number): Etcd {
  let tls = tlsOf(files);
  const hasFiles = Object.keys(tls).length > 0;
  const renewedTls = (): EtcdTls | undefined => {
    const before = JSON.stringify(tls);
    try {
      const next = tlsOf(files);
      process.getBuiltinModule('node:tls').createSecureContext(next);
      tls = next;
    } catch {
      // They are being replaced, or do not fit each other yet; what was read before goes on.
    }
    return JSON.stringify(tls) === before ? undefined : tls;
  };
  return new Etcd({
    endpoints: files.endpoints,
    tls,
    ...(hasFiles && { renewedTls }),
    ...(timeout !== undefined && { timeout }),
  });
}

function tlsOf({ ca, cert, key }: EtcdFiles): EtcdTls {
  const read = (file: string): string => {
    try {
      return readFileSync(file, 'utf8');
    } catch (cause) {
      throw new Error(`${file}, which the pair needs, cannot be read: ${systemReason(cause)}.`, { cause });
    }
  };
  return {
    ...(ca !== undefined && { ca: read(ca) }),
    ...(cert !== undefined && { cert: read(cert) }),
    ...(key !== undefined && { key: read(key) }),
  };
}
