const quote = 0x22;
const backslash = 0x5c;

/** Most bytes that `writeString` writes for this text. */
export function maxStringLength(text: string): number {
  return text.length * 6 + 2;
}

/** Writes text as a JSON string and returns the place after it. */
export function writeString(bytes: Buffer, at: number, text: string): number {
  let place = at;
  bytes[place++] = quote;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code > 0x7e || code === quote || code === backslash) {
      return at + bytes.write(JSON.stringify(text), at, 'utf8');
    }
    bytes[place++] = code;
  }
  bytes[place] = quote;
  return place + 1;
}
