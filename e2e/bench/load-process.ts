// A load generator: connections that each send one request after the other. Argument: JSON of `Load`. It sends the
// latencies in milliseconds to the parent and ends.
import { Connection, requestBytes } from './connection.ts';
import type { Load } from './load.ts';

const { port, token, connections, warmUp, seconds, question } = JSON.parse(process.argv[2] ?? '{}') as Load;
const bytes = requestBytes(`127.0.0.1:${port}`, token, question);
const latencies: number[] = [];
const begin = performance.now() + warmUp * 1000;
const end = begin + seconds * 1000;

async function run(): Promise<void> {
  const connection = await Connection.open(port);
  for (let sent = performance.now(); sent < end; sent = performance.now()) {
    await connection.exchange(bytes);
    const now = performance.now();
    if (now >= begin && now < end) latencies.push(now - sent);
  }
  connection.close();
}

await Promise.all(Array.from({ length: connections }, run));
process.send?.(latencies, () => process.exit());
