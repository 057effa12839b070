// A gateway's store whose own disk hangs with the second change, which etcd has by then. Arguments: folder, pair, fence, members of etcd.
import { join } from 'node:path';
import { ConfigLog } from '../../src/pair/config/config-log.ts';
import { Etcd } from '../../src/pair/etcd/etcd.ts';
import { LocalCopy } from '../../src/pair/config/local-copy.ts';
import { PairStore } from '../../src/pair/config/pair-store.ts';
import { openSqliteStore } from '../../src/store/store.ts';

const [folder = '', pairId = '', fence = '', ...endpoints] = process.argv.slice(2);
const sqlite = openSqliteStore(join(folder, 'west.sqlite'));
const disk = { hangs: false };
const log = new ConfigLog(new Etcd({ endpoints }), pairId);
const report = (): void => undefined;
const local = new LocalCopy(
  {
    load: () => sqlite.load(),
    commit: (changes) => (disk.hangs ? new Promise(() => undefined) : sqlite.commit(changes)),
  },
  report,
);
const store = new PairStore({
  log,
  local,
  report,
  secretsMark: 'the key',
  whoIsActive: () => '',
  packages: [],
});
await store.open(fence, undefined);
await store.commit({ set: [['a', 1]] });
disk.hangs = true;
// Nothing else keeps the process.
setInterval(() => undefined, 1000);
process.stdout.write('the disk hangs\n');
await store.commit({ set: [['b', 2]] });
