import { readFileSync } from 'node:fs';
import { systemReason } from './core/system-error.ts';

/** The certificate chain and the key, in PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** Paths of a certificate chain and its key. */
interface TlsPaths {
  readonly cert: string;
  readonly key: string;
}

/** Throws, and names the files, when they cannot be read or do not belong together. */
export function readTls(paths: TlsPaths): TlsFiles {
  const read = (path: string): string => {
    try {
      return readFileSync(path, 'utf8');
    } catch (cause) {
      throw unservable(paths, `${path} cannot be read, because ${systemReason(cause)}`, cause);
    }
  };
  return loadable({ cert: read(paths.cert), key: read(paths.key) }, paths);
}

/** Throws, and names the files they are from, when they do not belong together. */
export function loadable(files: TlsFiles, paths: TlsPaths): TlsFiles {
  try {
    // Loaded here alone: a gateway without HTTPS does without it.
    process.getBuiltinModule('node:tls').createSecureContext(files);
    return files;
  } catch (cause) {
    throw unservable(paths, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function unservable({ cert, key }: TlsPaths, reason: string, cause: unknown): Error {
  return new Error(`HTTPS cannot be served with the files ${cert} and ${key}: ${reason}.`, { cause });
}
