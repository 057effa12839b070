import type { Place } from './place.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What is added to the place of a character, by exclusive or, to find its byte: 1 where the second of two characters comes first on the wire. */
export function swapOf({ highFirst }: Pick<Place, 'highFirst'>, high: number): number {
  return highFirst ? high : high ^ 1;
}

/** The text at `at`: it ends at the first NUL, and is "?" when it is not UTF-8. `high` is where a word has its high byte. */
export function textFrom(data: Uint8Array, at: number, place: Place, high: number): string {
  const swap = swapOf(place, high);
  const bytes = new Uint8Array(place.length);
  let size = 0;
  for (; size < place.length; size++) {
    const byte = data[at + (size ^ swap)] as number;
    if (byte === 0) break;
    bytes[size] = byte;
  }
  try {
    return utf8.decode(bytes.subarray(0, size));
  } catch {
    return '?';
  }
}
