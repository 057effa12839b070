import type { Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds that the thread itself ran; `dur` would have what else the machine did meanwhile. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Does something in a page, and returns the longest task of its main thread meanwhile: milliseconds of CPU time. */
export async function longestTask(page: Page, work: () => Promise<unknown>): Promise<number> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('The page belongs to no browser.');
  await browser.startTracing(page, { categories: ['toplevel'] });
  await work();
  const trace = (await browser.stopTracing()).toString();
  const { traceEvents } = JSON.parse(trace) as { traceEvents: readonly TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid}/${tid}`;
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(threadOf),
  );
  return traceEvents
    .filter((event) => event.name.endsWith('RunTask') && main.has(threadOf(event)))
    .reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1000), 0);
}
