import type { Address, TextLayout } from './address.ts';

/** Place of character `index` from the first byte of the registers on. */
const places: Readonly<Record<TextLayout, (index: number) => number>> = {
  H: (index) => index,
  L: (index) => index ^ 1,
  D: (index) => index * 2 + 1,
  E: (index) => index * 2,
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

type Text = Pick<Address, 'length' | 'layout'>;

/** The text at `at`: it ends at the first NUL, and is "?" when it is not UTF-8. */
export function textFrom(data: Uint8Array, at: number, { length, layout }: Text): string {
  const place = places[layout];
  const bytes = new Uint8Array(length);
  let size = 0;
  for (; size < length; size++) {
    const byte = data[at + place(size)] as number;
    if (byte === 0) break;
    bytes[size] = byte;
  }
  try {
    return utf8.decode(bytes.subarray(0, size));
  } catch {
    return '?';
  }
}

/** Puts UTF-8 bytes, at most `length` of them, into zeroed registers. */
export function textInto(registers: Uint8Array, text: Uint8Array, { layout }: Text): void {
  const place = places[layout];
  text.forEach((byte, index) => {
    registers[place(index)] = byte;
  });
}
