import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A text that differs after one of these files, or a file below one of these folders, was changed, also when another file was put in its
 * place, as many editors do. A watch of the system would go on with the file that is gone. What lies at `ignored` may change.
 */
export function sourceState(paths: readonly string[], ignored: string): string {
  return paths.map((path) => (path === ignored ? '' : stateOf(path, ignored))).join('\n');
}

function stateOf(path: string, ignored: string): string {
  try {
    const stat = statSync(path, { bigint: true });
    if (!stat.isDirectory()) return `${path} ${stat.ino} ${stat.mtimeNs} ${stat.size}`;
    const names = readdirSync(path).sort();
    return sourceState(
      names.map((name) => join(path, name)),
      ignored,
    );
  } catch {
    // It is gone, or was just replaced: the next look finds out.
    return '';
  }
}
