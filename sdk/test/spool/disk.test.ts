import { appendFile, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { SpoolRecord } from '@tagway/sdk/spool';
import { keys, Place, push, pushPatiently } from './fixture.ts';
import { until } from '../until.ts';

/** Changes one byte of a file. */
async function flip(path: string, at: number): Promise<void> {
  const file = await open(path, 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, at);
  byte[0] = (byte[0] ?? 0) ^ 0xff;
  await file.write(byte, 0, 1, at);
  await file.close();
}

async function sizes(place: Place): Promise<number[]> {
  const files = await place.files();
  return Promise.all(files.map(async (name) => (await stat(join(place.folder, name))).size));
}

describe('a spool on disk', () => {
  it('writes nothing while records are confirmed in time', async () => {
    await using place = await Place.make();
    const spool = await place.open({ flushInterval: 20 });
    spool.connected();
    for (const key of keys(100)) {
      push(spool, [key]);
      const record = spool.takeLive() as SpoolRecord;
      spool.acknowledge(record);
      if (Number(key) % 10 === 0) await sleep(5);
    }
    await sleep(50);
    expect(await readdir(place.root)).to.deep.equal([]);
  });

  it('has on disk what is older than the flush interval, whoever kills the process', async () => {
    await using place = await Place.make();
    const spool = await place.open({ flushInterval: 20 });
    push(spool, keys(10));
    await until('all is stored', () => spool.inMemory === 0);
    // A second spool on the same files sees what a new process would.
    const successor = await place.open();
    expect(successor.backlog).to.equal(10);
    expect(await place.drain(successor)).to.deep.equal(keys(10));
  });

  it('stores also what is out, and hands it out again when the receiver goes', async () => {
    await using place = await Place.make();
    const spool = await place.open({ flushInterval: 20 });
    spool.connected();
    push(spool, keys(4));
    const records = [0, 1, 2].map(() => spool.takeLive() as SpoolRecord);
    await until('all is stored', () => spool.inMemory === 0);
    spool.acknowledge(records[1] as SpoolRecord);
    // What is out is passed over while it is out.
    const next = (await place.next(spool)) as SpoolRecord;
    expect(next.key).to.equal('3');
    spool.disconnected();
    expect(spool.backlog).to.equal(3);
    expect(await place.drain(spool)).to.deep.equal(['0', '2', '3']);
    await until('the file is removed', async () => (await place.files()).length === 0);
  });

  it('goes on where it was after an ordered end, and leaves nothing when all is done', async () => {
    await using place = await Place.make();
    const first = await place.open();
    push(first, keys(100));
    expect(await place.drain(first, 30)).to.deep.equal(keys(30));
    first.takeBacklog();
    await first.close();
    expect(await place.files()).to.have.length(1);
    const second = await place.open();
    expect(second.backlog).to.equal(70);
    push(second, keys(5, 100));
    expect(await place.drain(second, 20)).to.deep.equal(keys(20, 30));
    await second.close();
    const third = await place.open();
    expect(await place.drain(third)).to.deep.equal(keys(55, 50));
    await third.close();
    expect(await place.files()).to.deep.equal([]);
    expect([place.lost, place.troubles]).to.deep.equal([0, []]);
  });

  it('numbers records upwards over restarts', async () => {
    await using place = await Place.make();
    let last = 0;
    for (let round = 0; round < 3; round++) {
      const spool = await place.open();
      push(spool, keys(3));
      await spool.close();
    }
    const spool = await place.open();
    for (let index = 0; index < 9; index++) {
      const record = (await place.next(spool)) as SpoolRecord;
      expect(record.sequence).to.be.greaterThan(last);
      last = record.sequence;
    }
  });

  it('keeps all of a burst that is much larger than its memory when the producer waits for room', async () => {
    await using place = await Place.make();
    const spool = await place.open({ memory: 100_000 });
    await pushPatiently(spool, keys(5000));
    expect(place.lost).to.equal(0);
    expect(spool.backlog).to.equal(5000);
    expect(spool.inMemory).to.be.lessThan(100);
    expect(await place.drain(spool)).to.deep.equal(keys(5000));
  });

  it('takes a record that is larger than its memory', async () => {
    await using place = await Place.make();
    const spool = await place.open({ memory: 100_000 });
    await pushPatiently(spool, keys(5), 300_000);
    expect(await place.drain(spool)).to.deep.equal(keys(5));
    spool.push('too large', Buffer.alloc(10_000_001));
    spool.push('k'.repeat(70_000), Buffer.alloc(1));
    expect(place.lost).to.equal(2);
  });

  it('drops the oldest files at its cap, counts their records exactly and keeps all others', async () => {
    await using place = await Place.make();
    const spool = await place.open({ memory: 100_000, disk: 1_000_000 });
    await pushPatiently(spool, keys(5000));
    await spool.close();
    const bytes = (await sizes(place)).reduce((sum, size) => sum + size, 0);
    expect(bytes).to.be.at.most(1_000_000);
    // The files of this cap have 65536 bytes.
    expect(bytes).to.be.at.least(1_000_000 - 2 * 65_536);
    expect(new Set(place.reasons)).to.deep.equal(new Set(['the disk cache is full']));
    const successor = await place.open({ disk: 1_000_000 });
    expect(successor.backlog + place.lost).to.equal(5000);
    expect(await place.drain(successor)).to.deep.equal(keys(5000 - place.lost, place.lost));
  });

  it('fits a smaller cap when it is opened, and hands everything out with none', async () => {
    await using place = await Place.make();
    const first = await place.open();
    push(first, keys(900));
    await first.close();
    const second = await place.open({ disk: 700_000 });
    expect(second.bytesOnDisk).to.be.at.most(700_000);
    expect(second.backlog + place.lost).to.equal(900);
    await second.close();
    const before = place.lost;
    const third = await place.open({ disk: 0 });
    expect(await place.drain(third)).to.deep.equal(keys(900 - before, before));
    expect(place.lost).to.equal(before);
  });

  it('does not count what was out as lost until the receiver goes', async () => {
    await using place = await Place.make();
    const spool = await place.open({ memory: 50_000, disk: 200_000 });
    await pushPatiently(spool, keys(100));
    const taken = [await place.next(spool), await place.next(spool)] as SpoolRecord[];
    await pushPatiently(spool, keys(400, 100));
    const before = place.lost;
    expect(spool.backlog + before + 2).to.equal(500);
    spool.acknowledge(taken[0] as SpoolRecord);
    spool.disconnected();
    expect(place.lost).to.equal(before + 1);
    expect(await place.drain(spool)).to.deep.equal(keys(500 - before - 2, before + 2));
  });
});

describe('what a crash leaves', () => {
  /** A file with the keys 0 to 99, as a killed process leaves it: complete records, no count in its name. */
  async function crashed(place: Place): Promise<string> {
    const spool = await place.open({ flushInterval: 20 });
    push(spool, keys(100));
    await until('all is stored', () => spool.inMemory === 0);
    const [name = ''] = await place.files();
    const content = await readFile(join(place.folder, name));
    await spool.close();
    for (const file of await place.files()) await rm(join(place.folder, file));
    await writeFile(join(place.folder, name), content);
    return join(place.folder, name);
  }

  it('is repeated from the last saved cursor, never skipped', async () => {
    await using place = await Place.make();
    const spool = await place.open({ flushInterval: 20 });
    push(spool, keys(100));
    await until('all is stored', () => spool.inMemory === 0);
    await place.drain(spool, 40);
    await until('the cursor is saved', async () => (await readdir(place.folder)).includes('cursor'));
    await place.drain(spool, 10);
    const successor = await place.open();
    const again = await place.drain(successor);
    expect(again.at(-1)).to.equal('99');
    expect(again.length).to.be.within(50, 60);
    expect(again).to.deep.equal(keys(again.length, 100 - again.length));
  });

  it('may be torn at the end, at any byte', async () => {
    for (const torn of [1, 3, 4, 11, 21, 22, 23, 500, 894]) {
      await using place = await Place.make();
      const path = await crashed(place);
      const { size } = await stat(path);
      await truncate(path, size - torn);
      const successor = await place.open();
      expect(await place.drain(successor), `${torn} bytes are missing`).to.deep.equal(keys(99));
      expect([place.lost, place.troubles]).to.deep.equal([0, []]);
    }
  });

  it('may end in bytes that mean nothing', async () => {
    for (const noise of [
      Buffer.alloc(5000),
      Buffer.from('TGS1TGS1TGS1'),
      Buffer.from('TGS1\xff\xff\xff\x7f'),
    ]) {
      await using place = await Place.make();
      const path = await crashed(place);
      await appendFile(path, noise);
      const successor = await place.open();
      expect(await place.drain(successor)).to.deep.equal(keys(100));
    }
  });

  it('may be damaged in the middle: only the damaged records are gone, and it is said', async () => {
    const length = 22 + 2 + 872;
    for (const at of [0, 5, 9, 15, 20, 25, 500]) {
      await using place = await Place.make();
      const path = await crashed(place);
      await flip(path, 50 * length - 10 + at);
      const successor = await place.open();
      const rest = await place.drain(successor);
      expect(
        keys(100).filter((key) => !rest.includes(key)),
        `byte ${at}`,
      ).to.have.length(1);
      expect(place.troubles.join()).to.match(/damaged/);
    }
  });

  it('may lose its cursor, or be all noise', async () => {
    await using place = await Place.make();
    const path = await crashed(place);
    await writeFile(join(place.folder, 'cursor'), 'noise noise!');
    const successor = await place.open();
    expect(await place.drain(successor)).to.deep.equal(keys(100));
    await successor.close();
    await writeFile(path, Buffer.alloc(100_000, 'TGS1'));
    await writeFile(join(place.folder, 'notes.txt'), 'of someone else');
    const next = await place.open();
    expect(next.backlog).to.equal(0);
    push(next, ['still works']);
    expect(await place.drain(next)).to.deep.equal(['still works']);
    expect(await readdir(place.folder)).to.include('notes.txt');
  });

  it('in files that were complete is counted exactly when it is damaged', async () => {
    await using place = await Place.make();
    const first = await place.open({ memory: 100_000, disk: 1_000_000 });
    await pushPatiently(first, keys(500));
    await first.close();
    const files = await place.files();
    expect(files.length).to.be.greaterThan(4);
    await flip(join(place.folder, files[2] as string), 100);
    await flip(join(place.folder, files[2] as string), 30_000);
    const successor = await place.open({ disk: 1_000_000 });
    expect(successor.backlog).to.equal(500);
    expect(await place.drain(successor)).to.have.length(498);
    expect([place.lost, successor.backlog]).to.deep.equal([2, 0]);
  });

  it('may miss a whole file', async () => {
    await using place = await Place.make();
    const first = await place.open({ memory: 100_000, disk: 1_000_000 });
    await pushPatiently(first, keys(500));
    await first.close();
    const successor = await place.open({ disk: 1_000_000, flushInterval: 5 });
    const [, second = ''] = await place.files();
    await rm(join(place.folder, second));
    const rest = await place.drain(successor);
    expect(rest.length + place.lost).to.equal(500);
    expect(place.lost).to.be.greaterThan(10);
    expect(rest.at(-1)).to.equal('499');
  });
});
