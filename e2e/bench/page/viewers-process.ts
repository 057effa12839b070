// Streams of one group, one for each simulated browser. Argument: JSON of `Order`. Says when all are open and, when it is asked, what
// came since then.
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';

export interface Order {
  readonly url: string;
  readonly token: string;
  readonly count: number;
  readonly node: string;
  readonly group: string;
}

/** What came to all streams together. */
export interface Seen {
  readonly values: number;
  readonly seconds: number;
}

const { url, token, count, node, group } = JSON.parse(process.argv[2] ?? '{}') as Order;

let values = 0;
let from = performance.now();

async function open(): Promise<void> {
  const asked = request(new URL('/live/events', url), {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
  });
  asked.end(JSON.stringify({ states: true, values: [{ node, group }] }));
  const [reply] = (await once(asked, 'response')) as [IncomingMessage];
  if (reply.statusCode !== 200) throw new Error(`A stream is refused with ${reply.statusCode}.`);
  // A record has one name. The text is cut anywhere, so a few are not seen.
  reply.on('data', (piece: Buffer) => {
    for (let at = piece.indexOf('"name"'); at >= 0; at = piece.indexOf('"name"', at + 6)) values += 1;
  });
}

await Promise.all(Array.from({ length: count }, open));
process.send?.('open');
values = 0;
from = performance.now();
process.on('message', () => {
  process.send?.({ values, seconds: (performance.now() - from) / 1000 } satisfies Seen);
});
process.on('disconnect', () => process.exit());
