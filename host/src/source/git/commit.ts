import { createHash } from 'node:crypto';
import { plainLine } from '../../core/directory/plain-text.ts';
import { SourceError } from '../source-error.ts';

/** What a commit says. */
export interface Commit {
  readonly id: string;
  /** When it was made, in milliseconds since the epoch. */
  readonly committed: number;
  readonly author: string;
  readonly subject: string;
  /** The signature, in text, and the bytes that are signed; undefined where there is none. */
  readonly signature: { readonly text: string; readonly signed: Buffer } | undefined;
}

/** Characters of names and first lines. */
const longest = 200;

/** Reads a commit as git stores it, whose id has to be the hash of it. Throws `SourceError`. */
export function parseCommit(raw: Buffer, id: string): Commit {
  const algorithm = id.length === 64 ? 'sha256' : 'sha1';
  const hash = createHash(algorithm).update(`commit ${raw.length}\0`).update(raw).digest('hex');
  const end = raw.indexOf('\n\n');
  if (hash !== id || end < 0)
    throw new SourceError(`The commit ${id} is not what its id says.`, { commit: id });
  const header = raw.subarray(0, end + 1).toString('latin1');
  const message = raw.subarray(end + 2).toString();
  const lines = header.split('\n').slice(0, -1);
  const kept: string[] = [];
  const signature: string[] = [];
  const own = algorithm === 'sha256' ? 'gpgsig-sha256 ' : 'gpgsig ';
  let isSignature = false;
  for (const line of lines) {
    if (!line.startsWith(' ')) isSignature = line.startsWith(own);
    if (isSignature) signature.push(line.startsWith(own) ? line.slice(own.length) : line.slice(1));
    else kept.push(line);
  }
  const nameIn = (member: string): RegExpMatchArray | null =>
    /^\S+ (.*) <[^>]*> (\d+) [+-]\d{4}$/.exec(lines.find((line) => line.startsWith(`${member} `)) ?? '');
  const utf8 = (text: string): string => Buffer.from(text, 'latin1').toString();
  return {
    id,
    committed: Number(nameIn('committer')?.[2] ?? 0) * 1000,
    author: plainLine(utf8(nameIn('author')?.[1] ?? ''), longest),
    subject: plainLine(message.split('\n', 1)[0] ?? '', longest),
    signature:
      signature.length === 0
        ? undefined
        : {
            text: `${signature.join('\n')}\n`,
            signed: Buffer.concat([
              Buffer.from(kept.map((line) => `${line}\n`).join(''), 'latin1'),
              raw.subarray(end + 1),
            ]),
          },
  };
}
