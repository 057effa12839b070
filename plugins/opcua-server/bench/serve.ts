// Measures the built plugin in a process of its own: what tags, clients and samples cost it. `node bench/serve.ts TAGS CLIENTS BEATS HEAP INTERVAL
// HISTORY PROFILE`, built before; HEAP is what `--runner-memory` gives the process, in megabytes, INTERVAL the milliseconds between two beats, in
// each of which all tags change; with HISTORY 1 each tag has a history. PROFILE names a file for a CPU profile of the server during the beats, which
// developer tools show.
// The figures are CPU time and resident memory of the process of the server alone, not of its clients.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [tags = 10_000, clients = 1, beats = 15, heap = 256, interval = 1000, history = 0] = process.argv
  .slice(2, 8)
  .map(Number);
const profile = process.argv[8];
const folder = mkdtempSync(join(tmpdir(), 'tagway-opcua-bench-'));
const socket = createServer().listen(0, '127.0.0.1');
await once(socket, 'listening');
const { port } = socket.address() as AddressInfo;
socket.close();
const at = (file: string): string => join(import.meta.dirname, file);

interface Message {
  readonly op: 'started' | 'subscribed' | 'figures';
  readonly [figure: string]: unknown;
}

const server = fork(at('serve-process.ts'), [JSON.stringify({ tags, port, folder, history })], {
  // As a runner has them: host/src/core/system/v8-flags.ts.
  execArgv: [
    `--max-old-space-size=${heap}`,
    '--max-semi-space-size=1',
    '--minor-gc-task-trigger=10',
    '--no-parallel-scavenge',
    '--invocation-count-for-maglev=1000',
    '--invocation-count-for-turbofan=7500',
    '--heap-growing-percent=50',
    '--expose-gc',
  ],
});
const print = (figures: object): void => void process.stdout.write(`${JSON.stringify(figures)}\n`);
const say = async (child: typeof server): Promise<Message> =>
  ((await once(child, 'message')) as [Message])[0];
print(await say(server));
const watchers = [];
for (let client = 0; client < clients; client++) {
  const watcher = fork(at('watch-process.ts'), [JSON.stringify({ tags, port })], {
    execArgv: ['--conditions=source'],
  });
  await say(watcher);
  watchers.push(watcher);
}
server.send({ beats, interval, profile });
const { op: _, ...figures } = await say(server);
print({ tags, clients, interval, history, ...figures });
for (const watcher of watchers) {
  watcher.send({});
  const { values, lost } = await say(watcher);
  print({ expected: beats * tags, values, lost });
  watcher.kill();
}
server.kill();
rmSync(folder, { recursive: true, force: true });
