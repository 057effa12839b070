import { hash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { structuredPatch } from 'diff';
import { schemaFolder } from './editor-schemas.ts';
import type { FolderChanges } from './write-folder.ts';

/** Lines by which files may differ so that each is compared; beyond that all lines are others. */
const mostEdits = 4000;

export interface PatchPlace {
  /** The path of the folder in its repository. */
  readonly path: string;
  /** Of the ids of the repository. */
  readonly algorithm: 'sha1' | 'sha256';
  readonly read: (file: string) => Promise<Uint8Array | undefined>;
}

/** Changes of files as a patch, which `git apply` takes. What editors complete the files by is left out: the next export writes it. */
export async function patchOf(
  changes: FolderChanges,
  { path, algorithm, read }: PatchPlace,
): Promise<string> {
  const parts: string[] = [];
  for (const [file, content] of [...changes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (file.startsWith(`${schemaFolder}/`)) continue;
    const before = await read(file);
    const now = content === undefined ? undefined : Buffer.from(content);
    parts.push(
      patchOfFile(path === '' ? file : `${path}/${file}`, before && Buffer.from(before), now, algorithm),
    );
  }
  return parts.join('');
}

function patchOfFile(
  file: string,
  before: Buffer | undefined,
  now: Buffer | undefined,
  algorithm: PatchPlace['algorithm'],
): string {
  const from = quoted(`a/${file}`);
  const to = quoted(`b/${file}`);
  const head = [
    `diff --git ${from} ${to}`,
    ...(before === undefined ? ['new file mode 100644'] : []),
    ...(now === undefined ? ['deleted file mode 100644'] : []),
  ];
  const old = before === undefined ? '' : textOf(before);
  const fresh = now === undefined ? '' : textOf(now);
  if (old === undefined || fresh === undefined)
    return linesOf([
      ...head,
      `index ${idOf(before, algorithm)}..${idOf(now, algorithm)}`,
      'GIT binary patch',
      ...literalOf(now ?? Buffer.alloc(0)),
      ...literalOf(before ?? Buffer.alloc(0)),
    ]);
  const hunks = hunksOf(old, fresh);
  if (hunks.length === 0) return linesOf(head);
  // A name with a space ends at a tab.
  const nameOf = (name: string): string => (name.includes(' ') && !name.startsWith('"') ? `${name}\t` : name);
  return linesOf([
    ...head,
    `--- ${before === undefined ? '/dev/null' : nameOf(from)}`,
    `+++ ${now === undefined ? '/dev/null' : nameOf(to)}`,
    ...hunks,
  ]);
}

/** Undefined for what is no text. */
function textOf(content: Buffer): string | undefined {
  const text = content.toString();
  return text.includes('\0') || !Buffer.from(text).equals(content) ? undefined : text;
}

function hunksOf(before: string, now: string): string[] {
  const patch = structuredPatch('', '', before, now, undefined, undefined, { maxEditLength: mostEdits });
  if (patch === undefined) {
    const old = markedLines('-', before);
    const fresh = markedLines('+', now);
    return [`@@ -${rangeOf(old)} +${rangeOf(fresh)} @@`, ...old, ...fresh];
  }
  return patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    // Where a side has no lines, its place is the line before.
    `@@ -${oldLines === 0 ? oldStart - 1 : oldStart},${oldLines} +${newLines === 0 ? newStart - 1 : newStart},${newLines} @@`,
    ...lines,
  ]);
}

const noBreak = '\\ No newline at end of file';

function markedLines(mark: '-' | '+', text: string): string[] {
  if (text === '') return [];
  const hasBreak = text.endsWith('\n');
  const lines = (hasBreak ? text.slice(0, -1) : text).split('\n').map((line) => `${mark}${line}`);
  return hasBreak ? lines : [...lines, noBreak];
}

function rangeOf(lines: readonly string[]): string {
  const count = lines.filter((line) => line !== noBreak).length;
  return `${count === 0 ? 0 : 1},${count}`;
}

/** As git quotes names that would be misread. */
function quoted(name: string): string {
  const text = Array.from(name, (one) => {
    if (one === '"' || one === '\\') return `\\${one}`;
    const code = one.charCodeAt(0);
    return code < 0x20 || code === 0x7f ? `\\${code.toString(8).padStart(3, '0')}` : one;
  }).join('');
  return text === name ? name : `"${text}"`;
}

function idOf(content: Buffer | undefined, algorithm: PatchPlace['algorithm']): string {
  if (content === undefined) return '0'.repeat(algorithm === 'sha1' ? 40 : 64);
  return hash(algorithm, Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]));
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';
/** Bytes of a line. */
const ofLine = 52;

/** Bytes as git has them in patches: compressed, in lines of base 85 with the length of each before it. */
function literalOf(content: Buffer): string[] {
  const packed = deflateSync(content);
  const lines = [`literal ${content.length}`];
  for (let at = 0; at < packed.length; at += ofLine) {
    const part = packed.subarray(at, at + ofLine);
    const length = String.fromCharCode(part.length <= 26 ? 64 + part.length : 96 + part.length - 26);
    const padded = Buffer.concat([part, Buffer.alloc((4 - (part.length % 4)) % 4)]);
    let line = '';
    for (let word = 0; word < padded.length; word += 4) {
      let left = padded.readUInt32BE(word);
      let text = '';
      for (let digit = 0; digit < 5; digit++) {
        text = `${digits[left % 85]!}${text}`;
        left = Math.floor(left / 85);
      }
      line += text;
    }
    lines.push(`${length}${line}`);
  }
  return [...lines, ''];
}

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
