import { hash } from 'node:crypto';

/** Bytes of a name of a file, without its ending. */
const mostBytes = 200;

/** Names that Windows keeps for devices, with any ending. */
const devices = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)/i;

/**
 * Files for names, which may have any character: what is safe on every system stays, and the bytes of everything else are written as `%2F`.
 * Names that differ in the case of letters alone, which some systems take for one, get files that differ in more.
 */
export class FileNames {
  readonly #taken = new Set<string>();

  /** Takes note of a file that is there. */
  take(file: string): void {
    this.#taken.add(file.toLowerCase());
  }

  /** The name of a file, without its ending. One that is too long says the name no more. */
  of(name: string): string {
    const plain = encoded(name);
    const file = this.#taken.has(plain.toLowerCase()) ? plain.replaceAll(/\p{Lu}/gu, percent) : plain;
    const short = Buffer.byteLength(file) <= mostBytes ? file : `${hash('sha256', name).slice(0, 16)}~`;
    this.take(short);
    return short;
  }
}

function encoded(name: string): string {
  // Systems that compose letters on their own would give another name back.
  const isComposed = name === name.normalize('NFC');
  const safe = isComposed ? /[\p{L}\p{M}\p{N} _.()+-]/u : /[A-Za-z0-9 _.()+-]/;
  return Array.from(name, (character) => (safe.test(character) ? character : percent(character)))
    .join('')
    .replace(/^[ .-]/, percent)
    .replace(/[ .]$/, percent)
    .replace(devices, (device) => percent(device.charAt(0)) + device.slice(1));
}

function percent(character: string): string {
  return Array.from(
    Buffer.from(character),
    (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
}

/** The name that a file says; undefined when its bytes are no text. */
export function nameOfFile(file: string): string | undefined {
  if (!/^(?:[^%]|%[0-9A-Fa-f]{2})*$/u.test(file)) return undefined;
  try {
    return decodeURIComponent(file);
  } catch {
    return undefined;
  }
}
