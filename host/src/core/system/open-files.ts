import { readFileSync } from 'node:fs';

/** How many files and connections this process may have open; undefined where the system does not say. */
export function openFileLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const [, files] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
    return files === undefined ? undefined : Number(files);
  } catch {
    return undefined;
  }
}
