// A load generator: connections that each send one request after the other, written for little more than the sockets' own
// cost. Argument: JSON of `Load`. It sends the latencies in milliseconds to the parent and ends.
import { connect } from 'node:net';
import type { Load } from './load.ts';

const { port, connections, warmUp, seconds, request } = JSON.parse(process.argv[2] ?? '{}') as Load;
const bytes = Buffer.from(request);
const latencies: number[] = [];
const begin = performance.now() + warmUp * 1000;
const end = begin + seconds * 1000;

/** Length of the reply at the start of the data, or undefined when its head is not complete. */
function replyLength(data: Buffer): number | undefined {
  const head = data.indexOf('\r\n\r\n');
  if (head === -1) return undefined;
  const text = data.toString('latin1', 0, head);
  const length = /^content-length: *(\d+)/im.exec(text)?.[1];
  if (!text.startsWith('HTTP/1.1 200') || length === undefined)
    throw new Error(`The reply is not as expected: ${text}`);
  return head + 4 + Number(length);
}

function run(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let sent = 0;
    let chunks: Buffer[] = [];
    let received = 0;
    let expected: number | undefined;
    const next = (): void => {
      sent = performance.now();
      socket.write(bytes);
    };
    socket.on('connect', next);
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      received += chunk.length;
      if (expected === undefined) {
        const data = chunks.length === 1 ? chunk : Buffer.concat(chunks);
        chunks = [data];
        expected = replyLength(data);
      }
      if (expected === undefined || received < expected) return;
      const now = performance.now();
      if (now >= begin && now < end) latencies.push(now - sent);
      chunks = [];
      received = 0;
      expected = undefined;
      if (now < end) return next();
      socket.destroy();
      resolve();
    });
  });
}

await Promise.all(Array.from({ length: connections }, run));
process.send?.(latencies, () => process.exit());
