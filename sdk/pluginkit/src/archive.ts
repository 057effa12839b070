import { archiveLimits } from '@tagway/schemas';
import { Parser, type ReadEntry } from 'tar';

/** The folder in which npm has all files of a package. */
const root = 'package/';

/** The files of an archive by their paths in the package, and what a gateway would refuse of it, in sentences. */
export interface ArchiveContent {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly problems: readonly string[];
}

/** Reads a packed package into memory, within the limits of a gateway. Nothing is written to the disk. */
export async function readArchive(archive: Buffer): Promise<ArchiveContent> {
  const files = new Map<string, Buffer>();
  const problems = new Set<string>();
  if (archive.length > archiveLimits.packed)
    problems.add(`The archive has more than ${archiveLimits.packed / 1e6} MB, which a gateway refuses.`);
  let unpacked = 0;
  const take = (entry: ReadEntry): void => {
    const { path, type, size } = entry;
    unpacked += size;
    if (unpacked > archiveLimits.unpacked)
      problems.add(`The plugin takes more than ${archiveLimits.unpacked >> 20} MB, which a gateway refuses.`);
    else if (type !== 'File' && type !== 'Directory')
      problems.add(`The archive has an entry that is neither a file nor a folder: ${JSON.stringify(path)}.`);
    else if (!path.startsWith(root) || path.split('/').includes('..'))
      problems.add(`The archive has a file outside of the folder package: ${JSON.stringify(path)}.`);
    else if (type === 'File') return keep(entry, files);
    entry.resume();
  };
  await parse(archive, take).catch(() => problems.add('The archive is no tar archive, or is damaged.'));
  return { files, problems: [...problems] };
}

function keep(entry: ReadEntry, files: Map<string, Buffer>): void {
  const parts: Buffer[] = [];
  entry.on('data', (part) => void parts.push(part));
  entry.on('end', () => void files.set(entry.path.slice(root.length), Buffer.concat(parts)));
}

function parse(archive: Buffer, take: (entry: ReadEntry) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const parser = new Parser({ onReadEntry: take, strict: true });
    parser.on('end', resolve);
    parser.on('error', reject);
    parser.end(archive);
  });
}
