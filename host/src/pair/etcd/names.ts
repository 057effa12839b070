/**
 * The name of a gateway as a part of a key in etcd: percent encoding of UTF-8, for every text. Names may have spaces and slashes, and half a
 * surrogate pair, which UTF-8 has no bytes for, becomes `%u` with its four digits.
 */
export function encodeName(name: string): string {
  if (name.isWellFormed()) return encodeURIComponent(name);
  const encode = (char: string): string =>
    char.isWellFormed() ? encodeURIComponent(char) : `%u${char.charCodeAt(0).toString(16).toUpperCase()}`;
  return Array.from(name, encode).join('');
}

/** The name that `encodeName` makes this part of; undefined when it makes it of none, so that no gateway has written it. */
export function decodeName(part: string): string | undefined {
  try {
    const name = part
      .split(/(%uD[89A-F][0-9A-F]{2})/)
      .map((piece, index) =>
        index % 2 === 0 ? decodeURIComponent(piece) : String.fromCharCode(parseInt(piece.slice(2), 16)),
      )
      .join('');
    return encodeName(name) === part ? name : undefined;
  } catch {
    return undefined;
  }
}
