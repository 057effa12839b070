import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitSource } from '../../config/source-option.ts';
import { SourceError } from '../source-error.ts';
import { type Commit, parseCommit } from './commit.ts';
import { hasGit, ProgramRepository } from './program.ts';
import { checkEntries, type Repository } from './repository.ts';
import { checkSignature } from './signature.ts';

/** What a repository is looked at with. */
export interface GitLook {
  readonly source: GitSource;
  /** The folder in which files of commits are kept; nobody else writes there. */
  readonly folder: string;
  /** The folder of the keys that sign commits. */
  readonly trusted: string;
  /** The commit that is known already. */
  readonly known: string | undefined;
  /** The commit that is applied, and when it was made. */
  readonly applied: { readonly commit: string; readonly committed: number } | undefined;
}

/** A commit with its files in a folder; without these where it is the one that is known. Rejects with `SourceError`. */
export async function lookAtGit(look: GitLook): Promise<{
  readonly stamp: string;
  readonly found?: { readonly commit: Commit; readonly folder: string };
}> {
  const { source, folder, known, applied } = look;
  const work = join(folder, 'fetched');
  // What an earlier look has left that was ended.
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  try {
    const repository = await openRepository(source, work);
    const head = await repository.head();
    if (head === known) return { stamp: head };
    const id = await repository.fetch();
    const commit = parseCommit(await repository.commit(id), id);
    if (source.isSigned) await checkTrusted(commit, look);
    const files = join(folder, 'trees', id);
    await extract(repository, source, id, files);
    await removeOthers(join(folder, 'trees'), [id, applied?.commit]);
    return { stamp: id, found: { commit, folder: files } };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function openRepository(source: GitSource, folder: string): Promise<Repository> {
  if (await hasGit()) return ProgramRepository.open(source, folder);
  // Loaded here alone: it is larger than all the rest.
  const { LibraryRepository } = await import('./library.ts');
  return LibraryRepository.open(source, folder);
}

async function checkTrusted(commit: Commit, { trusted, applied }: GitLook): Promise<void> {
  await checkSignature(commit, trusted);
  // A server could show an old commit, whose signature is as good as ever.
  if (applied !== undefined && commit.committed < applied.committed)
    throw new SourceError(
      `The commit ${commit.id.slice(0, 12)} is older than the one that is applied. To go back, make a new commit, such as with git revert.`,
      { commit: commit.id },
    );
}

/** Writes the folder of a commit as a whole. */
async function extract(
  repository: Repository,
  { path, shown }: GitSource,
  id: string,
  files: string,
): Promise<void> {
  const entries = await repository.list(id);
  if (entries === undefined)
    throw new SourceError(`The commit ${id.slice(0, 12)} of ${shown} has no folder "${path}".`, {
      commit: id,
    });
  checkEntries(entries, id);
  const fresh = `${files}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  await repository.extract(id, entries, fresh);
  await rm(files, { recursive: true, force: true });
  await rename(fresh, files);
}

async function removeOthers(folder: string, kept: readonly (string | undefined)[]): Promise<void> {
  for (const name of await readdir(folder))
    if (!kept.includes(name)) await rm(join(folder, name), { recursive: true, force: true });
}
