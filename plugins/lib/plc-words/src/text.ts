import { ErrorCode, Fault, type Value } from '@tagway/sdk';
import { mismatch } from '@tagway/sdk/link';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** How the characters of a text lie in words: that with number n in byte `(n * step) ^ swap`. */
export interface CharacterPlaces {
  /** 1: two characters a word; 2: one. */
  readonly step: 1 | 2;
  readonly swap: 0 | 1;
}

/** The text at `at`, of `length` characters at most: it ends at the first NUL, and is "?" when it is not UTF-8. */
export function textFrom(
  data: Uint8Array,
  at: number,
  length: number,
  { step, swap }: CharacterPlaces,
): string {
  const bytes = new Uint8Array(length);
  let size = 0;
  for (; size < length; size++) {
    const byte = data[at + ((size * step) ^ swap)] as number;
    if (byte === 0) break;
    bytes[size] = byte;
  }
  try {
    return decoder.decode(bytes.subarray(0, size));
  } catch {
    return '?';
  }
}

/** The `size` bytes of whole words that hold a text of up to `length` bytes, or the fault of a value that does not fit. */
export function encodeText(
  value: Value,
  length: number,
  size: number,
  { step, swap }: CharacterPlaces,
): Buffer | Fault {
  if (typeof value !== 'string') return mismatch;
  const text = Buffer.from(value);
  if (text.length > length)
    return new Fault(
      ErrorCode.STRING_TOO_LONG,
      `The text has ${text.length} bytes of UTF-8; the tag holds ${length}.`,
    );
  const words = Buffer.alloc(size);
  for (const [index, byte] of text.entries()) words[(index * step) ^ swap] = byte;
  return words;
}
