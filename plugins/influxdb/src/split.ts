const newline = 0x0a;
const backslash = 0x5c;
const space = 0x20;
const comma = 0x2c;
const equals = 0x3d;
const quote = 0x22;

/** The lines of some line protocol, each with its end. A text may hold ends of lines too; names and values of tags may not. */
export function splitLines(data: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  let from = 0;
  let isInFields = false;
  let isInText = false;
  let last = 0;
  for (let at = 0; at < data.length; at++) {
    const byte = data[at];
    if (byte === backslash) {
      at++;
      continue;
    }
    if (isInText) {
      isInText = byte !== quote;
    } else if (byte === newline) {
      lines.push(data.subarray(from, at + 1));
      from = at + 1;
      isInFields = false;
    } else if (byte === space) {
      isInFields = true;
    } else if (isInFields && byte === quote && last === equals) {
      isInText = true;
    }
    last = byte ?? comma;
  }
  if (from < data.length) lines.push(data.subarray(from));
  return lines;
}
