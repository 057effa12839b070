import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, rm } from 'node:fs/promises';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { keys, Place, push, pushPatiently } from './fixture.ts';
import { until } from '../until.ts';

describe('a process with a spool that is killed', function () {
  this.timeout(30_000);
  for (let round = 1; round <= 2; round++) {
    it(`loses at most what was younger than the flush interval (round ${round})`, async () => {
      await using place = await Place.make();
      const child = spawn(
        process.execPath,
        [...process.execArgv, join(import.meta.dirname, 'pushing-process.ts'), place.folder],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const exited = once(child, 'exit');
      const pushed: number[] = [];
      createInterface({ input: child.stdout }).on('line', (line) => pushed.push(Number(line)));
      await until('it has pushed for a while', () => pushed.length > 320 + round * 37);
      child.kill('SIGKILL');
      await exited;
      const spool = await place.open();
      const stored = await place.drain(spool);
      expect(stored).to.deep.equal(keys(stored.length));
      // The interval is 100 ms; the rest is for a machine that is busy.
      const last = pushed.at(-1) as number;
      const certain = pushed.filter((at) => at < last - 1000).length;
      expect(certain).to.be.greaterThan(0);
      expect(stored.length).to.be.at.least(certain);
      expect([place.lost, place.troubles]).to.deep.equal([0, []]);
    });
  }
});

/** Mounts a small file system of its own. */
function mount(folder: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0;
}

function unmount(folder: string): void {
  spawnSync('umount', [folder]);
}

const canMount = ((): boolean => {
  if (process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), 'tagway-mount-'));
  const done = mount(folder);
  if (done) unmount(folder);
  rmdirSync(folder);
  return done;
})();

/** Gives `work` a place in which the folder `disk` is a file system of 1 MB. */
async function onSmallDisk(work: (place: Place, disk: string) => Promise<void>): Promise<void> {
  await using place = await Place.make();
  const disk = join(place.root, 'disk');
  await mkdir(disk);
  expect(mount(disk)).to.equal(true);
  try {
    await work(place, disk);
  } finally {
    unmount(disk);
  }
}

const full = canMount ? 'a full disk' : 'a full disk (skipped: only root can mount a small one)';
(canMount ? describe : describe.skip)(full, () => {
  it('makes a spool drop the oldest records, count them and say so; it goes on when there is room', () =>
    onSmallDisk(async (place, disk) => {
      const folder = join(disk, 'spool');
      const spool = await place.open({ folder, memory: 200_000, flushInterval: 5 });
      await pushPatiently(spool, keys(3000));
      await until('the disk is full', () => place.troubles.length + place.lost > 0);
      expect(spool.backlog + place.lost).to.equal(3000);
      expect([...new Set(place.reasons)].join()).to.match(/disk is full|memory is full/);
      const before = place.lost;
      // The newest that fit are there.
      expect(3000 - before).to.be.greaterThan(500);
      expect(await place.drain(spool)).to.deep.equal(keys(3000 - before, before));
      push(spool, keys(100, 3000));
      await until('the disk takes records again', () => spool.inMemory === 0);
      await spool.close();
      const successor = await place.open({ folder });
      expect(await place.drain(successor)).to.deep.equal(keys(100, 3000));
      await successor.close();
    }));
});

(canMount ? describe : describe.skip)(full.replace('a full disk', 'a disk that others have filled'), () => {
  it('is tried once every flush interval, which is said', () =>
    onSmallDisk(async (place, disk) => {
      const folder = join(disk, 'spool');
      const spool = await place.open({ folder, memory: 100_000, flushInterval: 200 });
      await appendFile(join(disk, 'other'), Buffer.alloc(1 << 24)).catch(() => undefined);
      const from = performance.now();
      push(spool, keys(2000));
      await until('it says so', () => place.troubles.length > 2);
      expect(place.troubles[0]).to.match(/wait in memory alone/);
      expect(place.troubles.length).to.be.at.most(2 + (performance.now() - from) / 100);
      await rm(join(disk, 'other'));
      await until('the disk takes them', () => spool.inMemory === 0);
      expect(await place.drain(spool)).to.deep.equal(keys(2000 - place.lost, place.lost));
      await spool.close();
    }));
});

describe('a disk that takes nothing', () => {
  it('leaves the records in memory, where the oldest are dropped, and says why', async () => {
    await using place = await Place.make();
    // A file stands where the folder should be.
    const spool = await place.open({
      folder: join(process.execPath, 'spool'),
      memory: 100_000,
      flushInterval: 5,
    });
    push(spool, keys(300));
    await until('it says so', () => place.troubles.join().includes('wait in memory alone'));
    expect(place.reasons.at(-1)).to.equal('the memory is full');
    expect(spool.backlog + place.lost).to.equal(300);
    expect(await place.drain(spool)).to.deep.equal(keys(300 - place.lost, place.lost));
  });
});
