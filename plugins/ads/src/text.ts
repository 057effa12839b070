/**
 * Texts of the PLC: a STRING has one byte a character, in the code page 1252; a WSTRING has two, UTF-16 with the low byte first. Both end at
 * the first zero.
 */

const decoder = new TextDecoder('windows-1252');
const utf16 = new TextDecoder('utf-16le');

/** Characters that are not the bytes of their code points. */
const special = new Map<string, number>(
  Array.from({ length: 32 }, (_, index) => [decoder.decode(Uint8Array.of(0x80 + index)), 0x80 + index]),
);

/** The text of a STRING in `data[at, at + size)`. */
export function textOf(data: Buffer, at: number, size: number): string {
  const zero = data.indexOf(0, at);
  const end = zero < 0 || zero > at + size ? at + size : zero;
  for (let i = at; i < end; i++)
    if ((data[i] as number) >= 0x80 && (data[i] as number) < 0xa0)
      return decoder.decode(data.subarray(at, end));
  return data.toString('latin1', at, end);
}

/** The text of a WSTRING. */
export function wideTextOf(data: Buffer, at: number, size: number): string {
  let end = at;
  while (end + 1 < at + size && (data[end] !== 0 || data[end + 1] !== 0)) end += 2;
  return utf16.decode(data.subarray(at, end));
}

/** The bytes of a text without its end, or the first character that the code page lacks. */
export function textBytes(text: string): Uint8Array | string {
  const bytes = new Uint8Array(text.length);
  let at = 0;
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    const byte = code < 0x80 || (code >= 0xa0 && code < 0x100) ? code : special.get(character);
    if (byte === undefined) return character;
    bytes[at++] = byte;
  }
  return bytes.subarray(0, at);
}
