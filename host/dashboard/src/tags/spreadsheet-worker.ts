import { csvOf, FileTooBig, readTable, readText, xlsxOf } from './spreadsheets.ts';

/** What the page asks of it. */
export type Task =
  | { readonly kind: 'file'; readonly file: Blob }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'csv' | 'xlsx'; readonly table: readonly (readonly string[])[] };

/** What it answers. */
export type Outcome =
  | { readonly table: string[][] }
  | { readonly blob: Blob }
  | { readonly problem: string; readonly isTooBig: boolean };

async function outcomeOf(task: Task): Promise<Outcome> {
  switch (task.kind) {
    case 'file':
      return { table: await readTable(task.file) };
    case 'text':
      return { table: await readText(task.text) };
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
