import { csvOf, FileTooBig, readTable, readText, xlsxOf } from './spreadsheets.ts';

/** A request of the page to the worker. */
export type Task =
  | { readonly kind: 'file'; readonly file: Blob }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'csv' | 'xlsx'; readonly table: readonly (readonly string[])[] };

/** A message of the worker: a part of a table, so that the page is not blocked by the whole table, or the final result. */
export type Outcome =
  | { readonly rows: string[][] }
  | { readonly count: number }
  | { readonly blob: Blob }
  | { readonly problem: string; readonly isTooBig: boolean };

/** Rows in one message. */
const slice = 1000;

function postRows(table: string[][]): Outcome {
  for (let from = 0; from < table.length; from += slice)
    postMessage({ rows: table.slice(from, from + slice) });
  return { count: table.length };
}

async function outcomeOf(task: Task): Promise<Outcome> {
  switch (task.kind) {
    case 'file':
      return postRows(await readTable(task.file));
    case 'text':
      return postRows(await readText(task.text));
    case 'csv':
      return { blob: await csvOf(task.table) };
    case 'xlsx':
      return { blob: await xlsxOf(task.table) };
  }
}

addEventListener('message', ({ data }: MessageEvent<Task>) => {
  outcomeOf(data)
    .catch((error: unknown) => ({
      problem: error instanceof Error ? error.message : String(error),
      isTooBig: error instanceof FileTooBig,
    }))
    .then((outcome) => postMessage(outcome))
    .catch(() => undefined);
});
