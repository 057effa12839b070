import type { Page } from 'playwright-core';
import { Chromium } from '../../kit/browser.ts';
import { readValues } from '../../kit/configure.ts';
import { sleep, until } from '../../kit/until.ts';
import { ReverseProxy } from '../../world/reverse-proxy.ts';
import { int16Tags } from '../plant.ts';
import type { Report } from '../report.ts';
import { addGroup, addNode, openSetup, startNode } from '../setup.ts';

const name = 'the page, 50k tags, 10k changes/s';

const placeOf = (group: string): string => `#/live?g=plant%2F${group}`;

const noteLongTasks = `
  globalThis.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longTasks.push(duration);
  }).observe({ type: 'longtask', buffered: true });`;

/** Without a shared worker the tab holds the connection itself, so that the memory of that is measured too. */
const inOneTab = `${noteLongTasks} delete globalThis.SharedWorker;`;

/** Resolves when the first row has a value, which is looked for in every frame. Playwright itself would look every half a second then. */
const firstValue = `new Promise((resolve) => {
  const isValue = (element) => element.children.length === 0 && /^-?\\d+$/.test(element.textContent);
  const look = () => {
    const row = document.querySelectorAll('[role=row], tr')[1];
    if (row !== undefined && [...row.querySelectorAll('*')].some(isValue)) resolve();
    else requestAnimationFrame(look);
  };
  look();
})`;

/** Milliseconds until the first tag has a value, from when the page is loaded anew. */
export async function openingTime(page: Page): Promise<number> {
  const from = performance.now();
  await page.reload();
  await page.evaluate(firstValue);
  return performance.now() - from;
}

/** Scrolls through the list, some screens at a time, for a number of seconds. */
async function scroll(page: Page, seconds: number): Promise<void> {
  await page.getByRole('table').hover();
  const end = performance.now() + seconds * 1000;
  for (let turn = 0; performance.now() < end; turn += 1) {
    await page.mouse.wheel(0, turn % 40 < 20 ? 3000 : -3000);
    await sleep(250);
  }
}

const greatest = (values: readonly number[]): number => Math.max(0, ...values);

async function usedHeap(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
}

/** Slope of a line through values at 0, 1, 2 …, by least squares. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const weights = values.map((_, at) => at - middle);
  const square = weights.reduce((sum, weight) => sum + weight * weight, 0);
  return values.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0) / square;
}

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

/** How the page copes with a group of fifty thousand tags. */
export async function measureScale(report: Report, minutes: number): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const setup = await openSetup({ stack }, { device: { changing: 10_000 } });
  const { client, gateway } = setup;
  const proxy = stack.adopt(await ReverseProxy.start(gateway.url, '/gateway'), (it) => it.stop());
  await addNode(setup, 'plant');
  await addGroup(setup, 'plant', 'large', 1000, int16Tags(50_000));
  await addGroup(setup, 'plant', 'small', 1000, int16Tags(10_000));
  await startNode(setup, 'plant');
  await readValues(client, 'plant', 'large', 60_000);

  const chromium = stack.adopt(await Chromium.start(), (it) => it.stop());
  const as = { token: client.token ?? '', user: 'admin' };
  const page = await chromium.open(proxy, '', { as, before: noteLongTasks });
  await page.getByRole('heading', { level: 2 }).waitFor();

  await page.goto(`${proxy.url}/${placeOf('small')}`);
  const small: number[] = [];
  for (let turn = 0; turn < 5; turn += 1) small.push(await openingTime(page));
  report.add(name, '10k tags open, first value, worst of 5', greatest(small) / 1000, 's', { most: 2 });
  await page.goto(`${proxy.url}/${placeOf('large')}`);
  let large = NaN;
  const opening = await longestTask(page, async () => (large = await openingTime(page)));
  report.add(name, '50k tags open, first value', large / 1000, 's');
  const tasksOf = (from: Page): Promise<number[]> => from.evaluate<number[]>('longTasks.splice(0)');
  report.add(name, 'longest task while they open', greatest(await tasksOf(page)), 'ms', { most: 100 });
  report.add(name, 'CPU time of the longest task then', opening, 'ms', { most: 100 });
  const scrolling = await longestTask(page, () => scroll(page, 60));
  const wanted = await until('the stream carries rows in sight', () => proxy.wanted.at(-1));
  report.add(name, 'tags subscribed, of 50 000', wanted, 'tags', { most: 100 });
  const elements = await page.evaluate<number>('document.querySelectorAll("*").length');
  report.add(name, 'elements of the document', elements, 'elements', { most: 1500 });
  report.add(name, 'longest task in a minute of scrolling', greatest(await tasksOf(page)), 'ms', {
    most: 100,
  });
  report.add(name, 'CPU time of the longest task then', scrolling, 'ms', { most: 100 });
  await page.close();

  const alone = await chromium.open(proxy, placeOf('large'), { as, before: inOneTab });
  await alone.getByText('clock', { exact: true }).waitFor({ timeout: 60_000 });
  await scroll(alone, 60);
  const heaps = [await usedHeap(alone)];
  const tasks: number[] = [];
  for (let minute = 0; minute < minutes; minute += 1) {
    // Tasks of the collection before each measurement of the heap do not count.
    await tasksOf(alone);
    await scroll(alone, 60);
    tasks.push(...(await tasksOf(alone)));
    heaps.push(await usedHeap(alone));
    process.stderr.write(`Heap after ${minute + 1} min: ${heaps.at(-1)?.toFixed(1)} MB\n`);
  }
  report.add(name, 'heap after a minute', heaps[0] ?? NaN, 'MB');
  report.add(name, `heap ${minutes} min later`, heaps.at(-1) ?? NaN, 'MB');
  report.add(name, 'heap, slope', slope(heaps), 'MB/min', { most: 0.1 });
  report.add(name, 'longest task meanwhile', greatest(tasks), 'ms', { most: 100 });
  report.add(name, 'errors and breaches of the policy', chromium.takeFaults().length, '', { most: 0 });
}
