/**
 * Bytes of a wire script: hexadecimal pairs in any grouping, `"text"` with the escapes of JSON, `..` for any byte, `{name:2}`
 * for two bytes to remember, `{name}` for bytes remembered, and in what is sent `|` for a pause that splits it.
 */
export type Pattern = readonly Token[];

type Token =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'any' }
  | { readonly kind: 'keep'; readonly name: string; readonly size: number }
  | { readonly kind: 'kept'; readonly name: string }
  | { readonly kind: 'split' };

/** What `{name:size}` has matched so far. */
export type Kept = Map<string, Buffer>;

const tokens =
  /\s*(?:(?<text>"(?:[^"\\]|\\.)*")|(?<any>\.\.)|\{(?<name>[a-z]\w*)(?::(?<size>\d+))?\}|(?<split>\|)|(?<hex>(?:[0-9a-f]{2})+))/iy;

/** Throws an error that says where the text is no pattern. */
export function parsePattern(text: string): Pattern {
  const pattern: Token[] = [];
  tokens.lastIndex = 0;
  for (let at = 0; text.slice(at).trim() !== ''; at = tokens.lastIndex) {
    const found = tokens.exec(text)?.groups;
    if (found === undefined) throw new Error(`"${text.slice(at).trim()}" is neither bytes nor a name`);
    pattern.push(tokenOf(found));
  }
  if (pattern.length === 0) throw new Error('there are no bytes');
  return pattern;
}

function tokenOf({ text, any, name, size, split, hex = '' }: Partial<Record<string, string>>): Token {
  if (text !== undefined) return { kind: 'bytes', bytes: Buffer.from(JSON.parse(text) as string) };
  if (any !== undefined) return { kind: 'any' };
  if (split !== undefined) return { kind: 'split' };
  if (name === undefined) return { kind: 'bytes', bytes: Buffer.from(hex, 'hex') };
  return size === undefined ? { kind: 'kept', name } : { kind: 'keep', name, size: Number(size) };
}

/** How received bytes compare with a pattern; `size` is how many bytes the pattern takes. */
export type Match =
  | { readonly result: 'whole'; readonly size: number; readonly kept: Kept }
  | { readonly result: 'begun' | 'different' };

/** Compares the first of some received bytes with a pattern; `kept` is what earlier patterns remembered. */
export function match(pattern: Pattern, bytes: Buffer, kept: Kept): Match {
  const found: Kept = new Map(kept);
  let at = 0;
  for (const token of pattern) {
    if (token.kind === 'split') continue;
    const size = sizeOf(token, found);
    const part = bytes.subarray(at, at + size);
    const wanted = bytesOf(token, found);
    if (wanted !== undefined && !part.equals(wanted.subarray(0, part.length))) return { result: 'different' };
    if (part.length < size) return { result: 'begun' };
    if (token.kind === 'keep') found.set(token.name, Buffer.from(part));
    at += size;
  }
  return { result: 'whole', size: at, kept: found };
}

/** The bytes to send, in the pieces that `|` makes. */
export function render(pattern: Pattern, kept: Kept): Buffer[] {
  const pieces: Buffer[][] = [[]];
  for (const token of pattern) {
    if (token.kind === 'split') pieces.push([]);
    else pieces.at(-1)?.push(bytesOf(token, kept) ?? Buffer.alloc(sizeOf(token, kept)));
  }
  return pieces.map((piece) => Buffer.concat(piece));
}

function bytesOf(token: Token, kept: Kept): Buffer | undefined {
  if (token.kind === 'bytes') return token.bytes;
  if (token.kind !== 'kept') return undefined;
  const bytes = kept.get(token.name);
  if (bytes === undefined) throw new Error(`{${token.name}} has not been received yet`);
  return bytes;
}

function sizeOf(token: Token, kept: Kept): number {
  if (token.kind === 'any') return 1;
  return token.kind === 'keep' ? token.size : (bytesOf(token, kept)?.length ?? 0);
}
