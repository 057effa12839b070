import { readFileSync } from 'node:fs';

/** A file as base64; empty when it cannot be read. */
export function base64Of(path: string): string {
  try {
    return readFileSync(path, 'base64');
  } catch {
    return '';
  }
}
