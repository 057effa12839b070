import { csvOf, FileTooBig, readTable, readText, xlsxOf } from './spreadsheets.ts';

/** What the page asks of it. */
export type Task =
  | { readonly kind: 'file'; readonly file: Blob }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'csv' | 'xlsx'; readonly table: readonly (readonly string[])[] };

/** What it answers: a table in pieces, so that the page does not stand still for the whole, and at last how many rows it has. */
export type Outcome =
  | { readonly rows: string[][] }
  | { readonly count: number }
  | { readonly blob: Blob }
  | { readonly problem: string; readonly isTooBig: boolean };

/** Rows of a piece. */
const slice = 1000;

function tellRows(table: string[][]): Outcome {
  for (let from = 0; from < table.length; from += slice)
    postMessage({ rows: table.slice(from, from + slice) });
  return { count: table.length };
}

async function outcomeOf(task: Task): Promise<Outcome> {
  switch (task.kind) {
    case 'file':
      return tellRows(await readTable(task.file));
    case 'text':
      return tellRows(await readText(task.text));
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
