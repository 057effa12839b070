import { expect } from 'chai';
import type { Spool, SpoolRecord } from '@tagway/sdk/spool';
import { keys, Place, push } from './fixture.ts';

/** A spool without a disk that has room for `records` of a thousand bytes, all overhead included. */
function small(place: Place, records: number): Promise<Spool> {
  return place.open({ memory: records * 1002, disk: 0 });
}

function taken(record: SpoolRecord | undefined): SpoolRecord {
  if (record === undefined) throw new Error('There is no record.');
  return record;
}

describe('a spool in memory', () => {
  it('keeps the newest records and says how many it dropped', async () => {
    await using place = await Place.make();
    const spool = await small(place, 3);
    push(spool, ['a', 'b', 'c']);
    expect(place.lost).to.equal(0);
    push(spool, ['d', 'e']);
    expect(place.lost).to.equal(2);
    expect(spool.waiting).to.equal(3);
    expect(await place.drain(spool)).to.deep.equal(['c', 'd', 'e']);
  });

  it('drops what waits before what is out, and what is out when nothing waits', async () => {
    await using place = await Place.make();
    const spool = await small(place, 3);
    spool.connected();
    push(spool, ['a', 'b', 'c']);
    const first = taken(spool.takeLive());
    push(spool, ['d']);
    expect(place.lost).to.equal(1);
    spool.acknowledge(first);
    expect([spool.takeLive()?.key, spool.takeLive()?.key]).to.deep.equal(['c', 'd']);
    push(spool, ['e', 'f']);
    expect([place.lost, spool.inFlight]).to.deep.equal([2, 2]);
    expect(spool.takeLive()?.key).to.equal('f');
    push(spool, ['g']);
    expect([place.lost, spool.inFlight]).to.deep.equal([3, 2]);
  });

  it('drops a record that is larger than all its room, and only that', async () => {
    await using place = await Place.make();
    const spool = await small(place, 2);
    push(spool, ['a']);
    push(spool, ['large'], 3000);
    expect(place.reasons).to.deep.equal(['they are larger than all the room']);
    expect(await place.drain(spool)).to.deep.equal(['a']);
  });

  it('frees the room of what is confirmed, once', async () => {
    await using place = await Place.make();
    const spool = await small(place, 2);
    push(spool, ['a', 'b']);
    const first = taken(spool.takeBacklog());
    spool.acknowledge(first);
    spool.acknowledge(first);
    push(spool, ['c']);
    expect(place.lost).to.equal(0);
    push(spool, ['d']);
    expect(place.lost).to.equal(1);
  });

  it('hands unconfirmed records out again, in order, before what came later', async () => {
    await using place = await Place.make();
    const spool = await small(place, 10);
    spool.connected();
    push(spool, ['a', 'b', 'c', 'd']);
    const first = taken(spool.takeLive());
    const second = taken(spool.takeLive());
    spool.takeLive();
    spool.acknowledge(first);
    spool.disconnected();
    spool.acknowledge(second);
    push(spool, ['e']);
    spool.connected();
    push(spool, ['f']);
    expect(await place.drain(spool)).to.deep.equal(['b', 'c', 'd', 'e']);
    expect(spool.takeLive()?.key).to.equal('f');
  });

  it('lets live records pass the backlog', async () => {
    await using place = await Place.make();
    const spool = await small(place, 10);
    push(spool, ['old 1', 'old 2']);
    spool.connected();
    push(spool, ['live 1', 'live 2']);
    expect(spool.takeLive()?.key).to.equal('live 1');
    expect(spool.takeBacklog()?.key).to.equal('old 1');
    expect(spool.takeLive()?.key).to.equal('live 2');
    expect(spool.takeLive()).to.equal(undefined);
    expect([spool.backlog, spool.waiting, spool.inFlight]).to.deep.equal([1, 1, 3]);
  });

  it('stays in order over many records', async () => {
    await using place = await Place.make();
    const spool = await small(place, 100_000);
    let next = 0;
    for (const [index, key] of keys(20_000).entries()) {
      push(spool, [key]);
      if (index % 3 === 0) continue;
      const record = taken(spool.takeBacklog());
      expect(record.key).to.equal(String(next++));
      spool.acknowledge(record);
    }
    expect(await place.drain(spool)).to.deep.equal(keys(20_000 - next, next));
  });

  it('writes nothing and says what is lost at its end', async () => {
    await using place = await Place.make();
    const spool = await small(place, 10);
    push(spool, ['a', 'b']);
    await spool.close();
    expect(await place.files()).to.deep.equal([]);
    expect([place.lost, place.reasons]).to.deep.equal([2, ['the node has stopped']]);
  });
});
