import { readFileSync } from 'node:fs';
import { systemReason } from '../core/system/system-error.ts';

/** A certificate chain and its key: their paths, or their content in PEM. */
interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** Throws, and names the files, when they cannot be read or do not belong together. */
export function readTls(paths: TlsFiles): TlsFiles {
  const read = (path: string): string => {
    try {
      return readFileSync(path, 'utf8');
    } catch (cause) {
      throw unservable(paths, `${path} cannot be read, because ${systemReason(cause)}`, cause);
    }
  };
  return checkedTls({ cert: read(paths.cert), key: read(paths.key) }, paths);
}

/** Throws, and names the files they are from, when they do not belong together. */
export function checkedTls(files: TlsFiles, paths: TlsFiles): TlsFiles {
  try {
    // Loaded here alone: a gateway without HTTPS does not need it.
    process.getBuiltinModule('node:tls').createSecureContext(files);
    return files;
  } catch (cause) {
    throw unservable(paths, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function unservable({ cert, key }: TlsFiles, reason: string, cause: unknown): Error {
  return new Error(`HTTPS cannot be served with the files ${cert} and ${key}: ${reason}.`, { cause });
}
