import { readFile } from 'node:fs/promises';
import type { Client } from '../kit/client.ts';
import type { Gateway } from '../kit/gateway.ts';
import { sleep } from '../kit/until.ts';
import { type Figures, note } from './figures.ts';

/** How a gateway fared while somebody without a token attacked it. */
export interface Watched extends Figures {
  /** Share of one core that the gateway's own process took, without its runners and with what the watching costs. */
  readonly cpu: number;
  /** Resident memory of that process in MB at its highest. */
  readonly peak: number;
  /** Longest time in milliseconds from one sample of the group to the next. */
  readonly gap: number;
}

const ticksPerSecond = 100;
const pageSize = 4096;

async function takenBy(pid: number): Promise<{ cpu: number; rss: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { cpu: ticks / ticksPerSecond, rss: (Number(fields[21]) * pageSize) / 1e6 };
}

/** Reads a group every few milliseconds, over connections with a token, until `work` is done. */
export async function watch<T>(
  gateway: Gateway,
  client: Client,
  group: { readonly node: string; readonly group: string },
  work: () => Promise<T>,
): Promise<Watched & { readonly result: T }> {
  const sample = async (): Promise<number> =>
    (await client.ok<{ timestamp: number }>('POST', '/read', group, { within: 60_000 })).timestamp;
  let last = await sample();
  const begin = await takenBy(gateway.pid);
  const from = performance.now();
  const seen = { isDone: false, pause: 0, peak: begin.rss, gap: 0 };
  const watching = (async (): Promise<void> => {
    while (!seen.isDone) {
      const asked = performance.now();
      const timestamp = await sample();
      seen.pause = Math.max(seen.pause, performance.now() - asked);
      seen.gap = Math.max(seen.gap, timestamp - last);
      last = timestamp;
      seen.peak = Math.max(seen.peak, (await takenBy(gateway.pid)).rss);
      await sleep(10);
    }
  })();
  let result: T;
  try {
    result = await work();
  } finally {
    seen.isDone = true;
    await watching;
  }
  const end = await takenBy(gateway.pid);
  const { pause, peak, gap } = seen;
  const cpu = ((end.cpu - begin.cpu) * 1000) / (performance.now() - from);
  note({ pause, before: begin.rss, after: end.rss });
  return { result, pause, cpu, before: begin.rss, after: end.rss, peak: Math.max(peak, end.rss), gap };
}
