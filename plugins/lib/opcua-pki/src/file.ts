import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** A file as base64; empty when it cannot be read. */
export function base64Of(path: string): string {
  try {
    return readFileSync(path, 'base64');
  } catch {
    return '';
  }
}

/** So that a crash on the way leaves no half file. */
export function writeWhole(path: string, content: string | Buffer): void {
  writeFileSync(`${path}.new`, content, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
