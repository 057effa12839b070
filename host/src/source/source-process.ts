import { writeFile } from 'node:fs/promises';
import { FolderError, FolderFiles } from '../folder/folder-files.ts';
import { patchOf } from '../folder/folder-patch.ts';
import { readFolder } from '../folder/read-folder.ts';
import { ReferenceSources } from '../folder/references.ts';
import { Variables } from '../folder/variables.ts';
import { folderChanges } from '../folder/write-folder.ts';
import { asSaid } from './as-said.ts';
import { lookAtGit } from './git/look.ts';
import type { Answer, Asked, Found, Looked, PatchQuestion, Question } from './messages.ts';
import { hashOf, stateOf } from './plain-folder.ts';
import { SourceError } from './source-error.ts';

// The process that reads sources: whatever is in one, the gateway itself reads nothing of it but a configuration that has the form of one. It is the
// first of a group of processes, with what it starts.

function look(question: Question): Promise<Looked> {
  const { place } = question;
  return 'git' in place ? lookAtCommit(question, place) : lookAtFolder(question, place);
}

async function lookAtFolder(question: Question, { folder }: { readonly folder: string }): Promise<Looked> {
  const { stamp, files } = await stateOf(folder);
  if (stamp === question.known) return { stamp };
  const commit = await hashOf(folder, files);
  const content = await contentOf(folder, question, commit);
  // What was written meanwhile is read in part.
  if ((await stateOf(folder)).stamp !== stamp)
    throw new SourceError(`The folder ${folder} was written while it was read.`, { isSoon: true });
  return { stamp, found: { commit, folder, content } };
}

async function lookAtCommit(
  question: Question,
  { git: source }: Extract<Question['place'], { readonly git: object }>,
): Promise<Looked> {
  const { kept, trusted, known, applied } = question;
  const { stamp, found } = await lookAtGit({ source, folder: kept, trusted, known, applied });
  if (found === undefined) return { stamp };
  const { id: commit, committed, author, subject } = found.commit;
  const content = await contentOf(found.folder, question, commit);
  return { stamp, found: { commit, committed, author, subject, folder: found.folder, content } };
}

/** Rejects with `SourceError` for files that cannot be read, and where a loop would have to be changed. */
async function patch(question: PatchQuestion): Promise<string> {
  const { folder, path, commit, isOthers, secrets } = question;
  if (isOthers && (await hashOf(folder, (await stateOf(folder)).files)) !== commit)
    throw new SourceError(`The files of ${folder} have changed since they were applied.`, { commit });
  return ofFiles(commit, async () => {
    const files = await FolderFiles.open(folder);
    const present = await readFolder(files, await varsIn(files, question));
    const sources = new ReferenceSources(files, secrets, process.env);
    const config = asSaid(question.config, present.body);
    const { changes, looped } = await folderChanges({ ...question, config, files, present, sources });
    if (looped.length > 0) throw new SourceError(looped.join('\n'), { commit });
    const algorithm = commit.length === 64 ? 'sha256' : 'sha1';
    return patchOf(changes, { path, algorithm, read: (file) => files.read(file) });
  });
}

/** Rejects with `SourceError` for what is no configuration folder. */
async function contentOf(folder: string, question: Question, commit: string): Promise<Found['content']> {
  const { body, files, problems } = await ofFiles(commit, async () => {
    const opened = await FolderFiles.open(folder);
    return readFolder(opened, await varsIn(opened, question));
  });
  return { body, files, problems };
}

async function varsIn(
  files: FolderFiles,
  { vars: { name, isOptional } }: Pick<Question, 'vars'>,
): Promise<string | undefined> {
  return !isOptional || (await Variables.has(files, name)) ? name : undefined;
}

/** Rejects with `SourceError` where something is wrong with the files of a commit. */
async function ofFiles<T>(commit: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof FolderError)) throw cause;
    throw new SourceError(cause.message, { cause, commit });
  }
}

async function answer(asked: Asked): Promise<Answer<unknown>> {
  // Where memory runs out it is this process that the system ends, and not one of the plant.
  await writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined);
  try {
    return { done: 'look' in asked ? await look(asked.look) : await patch(asked.patch) };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { problem: error.message, commit: error.commit, isSoon: error.isSoon };
  }
}

/** Ends this process and what it has started. */
function end(): void {
  process.kill(-process.pid, 'SIGKILL');
}

// The gateway is gone, or has its answer.
process.on('disconnect', end);
process.once('message', (asked) => {
  answer(asked as Asked).then(
    (said) => process.send?.(said, end),
    // Whoever asks sees that the process has ended.
    () => process.exit(1),
  );
});
