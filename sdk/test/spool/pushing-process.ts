// Pushes a record into a spool every few milliseconds and prints the time of each. Argument: the folder.
import { Spool } from '@tagway/sdk/spool';

const [folder = ''] = process.argv.slice(2);
const nothing = (): void => undefined;
const spool = await Spool.open({
  folder,
  memory: 1_000_000,
  disk: 10_000_000,
  flushInterval: 100,
  onReady: nothing,
  onLost: nothing,
  onError: nothing,
});
let next = 0;
setInterval(() => {
  spool.push(String(next++), Buffer.alloc(500));
  process.stdout.write(`${performance.now()}\n`);
}, 4);
