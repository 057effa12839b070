import { FolderError, FolderFiles } from '../folder/folder-files.ts';
import { readFolder } from '../folder/read-folder.ts';
import { Variables } from '../folder/variables.ts';
import type { Answer, Found, Looked, Question } from './messages.ts';
import { hashOf, stateOf } from './plain-folder.ts';
import { SourceError } from './source-error.ts';

// The process that reads sources: whatever is in one, the gateway itself reads nothing of it but a configuration that has the form of one.

async function look(question: Question): Promise<Looked> {
  const { folder, known } = question;
  const { stamp, files } = await stateOf(folder);
  if (stamp === known) return { stamp };
  const commit = await hashOf(folder, files);
  const content = await contentOf(folder, question, commit);
  // What was written meanwhile is read in part.
  if ((await stateOf(folder)).stamp !== stamp)
    throw new SourceError(`The folder ${folder} was written while it was read.`, { isSoon: true });
  return { stamp, found: { commit, folder, content } };
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
  try {
    return { looked: await look(question) };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { problem: error.message, commit: error.commit, isSoon: error.isSoon };
  }
}

process.on('disconnect', () => process.exit());
process.once('message', (question) => {
  answer(question as Question).then(
    (said) => process.send?.(said, () => process.disconnect()),
    // Whoever asks sees that the process has ended.
    () => process.exit(1),
  );
});
