// A load generator: connections that each send one request after the other. Argument: JSON of `Load`. It sends the
// latencies in milliseconds to the parent and ends.
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, requestBytes } from './connection.ts';
import type { Load } from './load.ts';

const load = JSON.parse(process.argv[2] ?? '{}') as Load;
const { url, token, connections, warmUp = 0, seconds, question, rate = Infinity } = load;
const bytes = requestBytes(url, token, question);
const latencies: number[] = [];
/** Milliseconds between two requests of a connection. */
const pause = (1000 * connections) / rate;
const start = performance.now();
const begin = start + warmUp * 1000;
const end = begin + seconds * 1000;

async function run(_: unknown, index: number): Promise<void> {
  const connection = await Connection.open(url);
  let due = start + (index / connections) * pause;
  for (let sent = performance.now(); sent < end; sent = performance.now()) {
    if (due > sent) {
      await sleep(due - sent);
      continue;
    }
    due += pause;
    await connection.exchange(bytes);
    const now = performance.now();
    if (now >= begin && now < end) latencies.push(now - sent);
  }
  connection.close();
}

await Promise.all(Array.from({ length: connections }, run));
process.send?.(latencies, () => process.exit());
