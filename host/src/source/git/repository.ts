import { plainLine } from '../../core/directory/plain-text.ts';
import { SourceError } from '../source-error.ts';
import { gitLimits } from './limits.ts';

/** A file of a folder in a commit. */
export interface Entry {
  /** Such as 100644. */
  readonly mode: string;
  readonly id: string;
  /** Below the folder. */
  readonly path: string;
  /** Undefined where it is not known before the file is read. */
  readonly size: number | undefined;
}

/** One commit of a repository, fetched into an empty folder. */
export interface Repository {
  /** The id of the last commit of the branch, as the server says it. Rejects with `SourceError`. */
  head(): Promise<string>;
  /** Fetches that commit and gives its id. Rejects with `SourceError`. */
  fetch(): Promise<string>;
  /** A commit as git stores it. */
  commit(id: string): Promise<Buffer>;
  /** All that is in the folder of a commit; undefined where there is no such folder. */
  list(id: string): Promise<Entry[] | undefined>;
  /** Writes the entries below a folder. */
  extract(id: string, entries: readonly Entry[], folder: string): Promise<void>;
}

/** Refuses what could lead out of a folder, or is too much. Throws `SourceError`. */
export function checkEntries(entries: readonly Entry[], commit: string): void {
  const refuse = (message: string): never => {
    throw new SourceError(message, { commit });
  };
  if (entries.length > gitLimits.files)
    refuse(`The folder of the repository has ${entries.length} files; ${gitLimits.files} are allowed.`);
  let bytes = 0;
  for (const { mode, path, size = 0 } of entries) {
    if (mode === '120000')
      refuse(`"${path}" in the repository is a link; a configuration folder of a repository has none.`);
    if (mode === '160000')
      refuse(
        `"${path}" in the repository is a submodule; what is in it is not fetched, so it may not be there.`,
      );
    if (mode !== '100644' && mode !== '100755' && mode !== '100664')
      refuse(`"${path}" in the repository is no file.`);
    const parts = path.split('/');
    // What is not in UTF-8 was read as U+FFFD.
    if (parts.some((part) => /^(?:|\.{1,2}|\.git(?:~\d+)?)$/i.test(part)) || /[\p{Cc}\\\ufffd]/u.test(path))
      refuse(`"${plainLine(path, 100)}" in the repository is no name of a file.`);
    bytes += size;
    if (bytes > gitLimits.bytes)
      refuse(`The files of the folder have more than ${gitLimits.bytes} bytes together.`);
  }
}
