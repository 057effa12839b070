/** The file of a plugin's package that holds the signature over the others. */
export const signatureFile = 'signature.json';

/** What the signature of a package covers. */
export interface SignedPackage {
  readonly name: string;
  readonly version: string;
  /** The SHA-512 of each file, in hexadecimal, by its path in the package. `signature.json` may be among them. */
  readonly files: Iterable<readonly [path: string, sha512: string]>;
}

const encoder = new TextEncoder();

/**
 * The text that is signed: the same for the same package, whatever the order of its files. Throws for a path that would make it ambiguous,
 * with a message that completes the sentence "The package …".
 */
export function signedText({ name, version, files }: SignedPackage): string {
  const lines: [path: Uint8Array, line: string][] = [];
  for (const [path, sha512] of files) {
    if (path === signatureFile) continue;
    if (hasControl(path))
      throw new Error(`has a file whose name holds a control character: ${JSON.stringify(path)}`);
    if (!/^[0-9a-f]{128}$/.test(sha512)) throw new Error(`has no SHA-512 of the file ${path}`);
    lines.push([encoder.encode(path), `${sha512}  ${path}\n`]);
  }
  lines.sort(([a], [b]) => compareBytes(a, b));
  return `tagway-package 1\nname ${name}\nversion ${version}\n${lines.map(([, line]) => line).join('')}`;
}

function hasControl(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- these are what is looked for
  return /[\u0000-\u001f\u007f]/.test(text);
}

/** The order of UTF-8, which differs from that of JavaScript's strings where characters are beyond U+FFFF. */
function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return a[at]! - b[at]!;
  return a.length - b.length;
}
