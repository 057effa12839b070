import type { SpoolRecord } from '@tagway/sdk/spool';
import { expect } from 'chai';
import { until } from '../until.ts';
import { keys, Place, push } from './fixture.ts';

describe('a spool whose records are taken in order', () => {
  it('hands out nothing live while the backlog is read from the disk', async () => {
    await using place = await Place.make();
    const before = await place.open();
    push(before, keys(100));
    await before.close();

    const spool = await place.open();
    spool.connected();
    push(spool, keys(10, 100));
    expect(spool.take(), 'the file is not read yet').to.equal(undefined);
    const taken: SpoolRecord[] = [];
    await until('all are taken', () => {
      for (let next = spool.take(); next !== undefined; next = spool.take()) taken.push(next);
      return taken.length === 110;
    });
    expect(taken.map(({ key }) => key)).to.deep.equal(keys(110));
    for (const record of taken) spool.acknowledge(record);
  });

  it('hands out again what was not confirmed, before what came later', async () => {
    await using place = await Place.make();
    const spool = await place.open();
    spool.connected();
    push(spool, keys(3));
    const first = spool.take();
    spool.take();
    if (first !== undefined) spool.acknowledge(first);
    spool.disconnected();
    push(spool, ['3']);
    spool.connected();
    push(spool, ['4']);
    expect([1, 2, 3, 4, 5].map(() => spool.take()?.key)).to.deep.equal(['1', '2', '3', '4', undefined]);
  });

  it('keeps the order of live records of which the disk has some, because the receiver is slow', async () => {
    await using place = await Place.make();
    const spool = await place.open({ memory: 20_000, disk: 1_000_000 });
    spool.connected();
    const taken: string[] = [];
    const drain = (): void => {
      for (let next = spool.take(); next !== undefined; next = spool.take()) {
        taken.push(next.key);
        spool.acknowledge(next);
      }
    };
    for (const key of keys(200)) {
      await spool.drained;
      push(spool, [key]);
    }
    expect(await place.files()).to.have.length.greaterThan(0);
    await until('all are taken', () => {
      drain();
      return taken.length === 200;
    });
    expect(taken).to.deep.equal(keys(200));
  });
});
