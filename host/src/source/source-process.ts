import { writeFile } from 'node:fs/promises';
import { FolderError, FolderFiles } from '../folder/folder-files.ts';
import { readFolder } from '../folder/read-folder.ts';
import { Variables } from '../folder/variables.ts';
import { lookAtGit } from './git/look.ts';
import type { Answer, Found, Looked, Question } from './messages.ts';
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

/** Rejects with `SourceError` for what is no configuration folder. */
async function contentOf(
  folder: string,
  { vars: { name, isOptional } }: Question,
  commit: string,
): Promise<Found['content']> {
  try {
    const files = await FolderFiles.open(folder);
    const vars = !isOptional || (await Variables.has(files, name)) ? name : undefined;
    const { body, files: paths, problems } = await readFolder(files, vars);
    return { body, files: paths, problems };
  } catch (cause) {
    if (!(cause instanceof FolderError)) throw cause;
    throw new SourceError(cause.message, { cause, commit });
  }
}

async function answer(question: Question): Promise<Answer> {
  // Where memory runs out it is this process that the system ends, and not one of the plant.
  await writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined);
  try {
    return { looked: await look(question) };
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
process.once('message', (question) => {
  answer(question as Question).then(
    (said) => process.send?.(said, end),
    // Whoever asks sees that the process has ended.
    () => process.exit(1),
  );
});
