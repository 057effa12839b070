const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

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
    return utf8.decode(bytes.subarray(0, size));
  } catch {
    return '?';
  }
}

/** Puts UTF-8 bytes into zeroed words. */
export function textInto(words: Uint8Array, text: Uint8Array, { step, swap }: CharacterPlaces): void {
  text.forEach((byte, index) => {
    words[(index * step) ^ swap] = byte;
  });
}
