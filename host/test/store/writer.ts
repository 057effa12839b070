/**
 * Child process of the crash test: commits batches for ever and prints the number of each one that is durable. Each batch
 * sets a key of its own group, moves a counter and deletes the group before the last, so that a torn one shows.
 */
import { openSqliteStore } from '../../src/store/store.ts';

const [file = '', first = '0'] = process.argv.slice(2);
const store = openSqliteStore(file);

for (let batch = Number(first); ; batch++) {
  const keys = (of: number): string[] => Array.from({ length: 20 }, (_, i) => `tag/${of}/${i}`);
  await store.commit({
    set: [['counter', batch], ...keys(batch).map((key) => [key, { batch }] as const)],
    delete: keys(batch - 2),
  });
  process.stdout.write(`${batch}\n`);
}
