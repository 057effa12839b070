import type { Outcome, Task } from './spreadsheet-worker.ts';

export class FileTooBig extends Error {}

/**
 * Runs a task in a worker: twenty thousand rows would block the page for a second. `onRows` is called with the rows as they arrive.
 */
function ask(task: Task, onRows: (rows: string[][]) => void): Promise<Outcome> {
  const worker = new Worker(new URL('./spreadsheet-worker.ts', import.meta.url), { type: 'module' });
  return new Promise<Outcome>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Outcome>) => {
      if ('rows' in data) onRows(data.rows);
      else if ('problem' in data) reject(data.isTooBig ? new FileTooBig() : new Error(data.problem));
      else resolve(data);
    };
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(task);
  }).finally(() => worker.terminate());
}

async function tableOf(task: Task): Promise<string[][]> {
  const pieces: string[][][] = [];
  await ask(task, (rows) => pieces.push(rows));
  return pieces.flat();
}

/** The cells of the first sheet of an XLSX file, or of a CSV file. Throws `FileTooBig`. */
export const readTable = (file: Blob): Promise<string[][]> => tableOf({ kind: 'file', file });

/** The cells of CSV or of text that was copied from a spreadsheet. */
export const readText = (text: string): Promise<string[][]> => tableOf({ kind: 'text', text });

/** A table as a file. */
export async function fileOf(kind: 'csv' | 'xlsx', table: readonly (readonly string[])[]): Promise<Blob> {
  const outcome = await ask({ kind, table }, () => undefined);
  if (!('blob' in outcome)) throw new Error('The file was not made.');
  return outcome.blob;
}
