import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client.ts';
import type { Gateway } from '../gateway.ts';

/** How a gateway fared. */
export interface Figures {
  /** Longest time in milliseconds that a client with a token waited for an answer. */
  readonly pause: number;
  /** Share of one core that the gateway's own process took, without its runners. */
  readonly cpu: number;
  /** Resident memory of that process in MB, before and at its highest. */
  readonly before: number;
  readonly peak: number;
}

async function processTimes(pid: number): Promise<{ cpu: number; rss: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { cpu: (Number(fields[11]) + Number(fields[12])) * 10, rss: (Number(fields[21]) * 4096) / 1e6 };
}

/** Asks the gateway every few milliseconds, over a connection with a token, until `work` is done. */
export async function watch<T>(
  gateway: Gateway,
  client: Client,
  work: () => Promise<T>,
): Promise<Figures & { readonly result: T }> {
  await client.ok('GET', '/version');
  const begin = await processTimes(gateway.pid);
  const from = performance.now();
  let isDone = false;
  let pause = 0;
  let peak = begin.rss;
  const asking = (async (): Promise<void> => {
    while (!isDone) {
      const asked = performance.now();
      await client.ok('GET', '/version', undefined, { within: 120_000 });
      pause = Math.max(pause, performance.now() - asked);
      peak = Math.max(peak, (await processTimes(gateway.pid)).rss);
      await sleep(10);
    }
  })();
  let result: T;
  try {
    result = await work();
  } finally {
    isDone = true;
    await asking;
  }
  const end = await processTimes(gateway.pid);
  const cpu = (end.cpu - begin.cpu) / (performance.now() - from);
  return { result, pause, cpu, before: begin.rss, peak: Math.max(peak, end.rss) };
}
