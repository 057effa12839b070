import type { Outcome, Task } from './spreadsheet-worker.ts';

export class FileTooBig extends Error {}

/** Has a file or a table dealt with beside the page, which would stand still for a second with one of twenty thousand rows. */
function ask(task: Task): Promise<Outcome> {
  const worker = new Worker(new URL('./spreadsheet-worker.ts', import.meta.url), { type: 'module' });
  return new Promise<Outcome>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Outcome>) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(task);
  }).finally(() => worker.terminate());
}

async function tableOf(task: Task): Promise<string[][]> {
  const outcome = await ask(task);
  if ('table' in outcome) return outcome.table;
  if ('problem' in outcome && outcome.isTooBig) throw new FileTooBig();
  throw new Error('problem' in outcome ? outcome.problem : '');
}

/** The cells of the first sheet of an XLSX file, or of a CSV file. Throws `FileTooBig`. */
export const readTable = (file: Blob): Promise<string[][]> => tableOf({ kind: 'file', file });

/** The cells of CSV or of what was copied from a spreadsheet. */
export const readText = (text: string): Promise<string[][]> => tableOf({ kind: 'text', text });

/** A table as a file. */
export async function fileOf(kind: 'csv' | 'xlsx', table: readonly (readonly string[])[]): Promise<Blob> {
  const outcome = await ask({ kind, table });
  if ('blob' in outcome) return outcome.blob;
  throw new Error('problem' in outcome ? outcome.problem : '');
}
