import { expect } from 'chai';
import { SeriesStarts } from '../../src/otlp/series-starts.ts';
import { pause, Rig } from './rig.ts';

describe('requests that wait for a collector', function () {
  this.timeout(30_000);

  it('take a bounded part of the memory, and the newest stay', async () => {
    await using rig = await Rig.start((_request, response) => response.writeHead(503).end());
    await rig.queue.add(new Uint8Array(100_000), 10);
    while (rig.log.length === 0) await pause();
    // An hour of a collector that is away, with a large request each second.
    for (let request = 1; request < 3600; request++) await rig.queue.add(new Uint8Array(100_000), 10);
    expect(rig.counts.waiting).to.be.within(4_000_000, 4 << 20);
    expect(rig.counts.dropped).to.equal((3600 - rig.counts.waiting / 100_000) * 10);
    await rig.queue.add(new Uint8Array(5 << 20), 1);
    expect(rig.counts.waiting).to.equal(5 << 20);
    expect(rig.log).to.have.length(1);
    expect(rig.requests).to.be.lessThan(20);
  });

  it('are given up when the collector does not answer in time, and the reason is said once', async () => {
    await using rig = await Rig.start((request, response) => {
      if (rig.requests > 2) response.end();
      else request.socket.setTimeout(0);
    });
    await rig.queue.add(new Uint8Array(10), 1);
    await rig.settled();
    expect(rig.requests).to.equal(3);
    expect(rig.counts).to.include({ sent: 1, dropped: 0 });
    expect(rig.log).to.have.length(2);
    expect(rig.log[0]).to.include('it did not answer within 1 s');
    expect(rig.log[1]).to.match(/takes metrics again, after \d+ s/);
  });

  it('become smaller where the collector finds them too large', async () => {
    await using rig = await Rig.start((_request, response) => response.writeHead(413).end());
    await rig.queue.add(new Uint8Array(10), 7);
    await rig.settled();
    expect(rig.tooLarge).to.equal(1);
    expect(rig.counts).to.include({ sent: 0, dropped: 7 });
  });

  it('are sent anew at once when a connection that was kept turns out to be closed', async () => {
    await using rig = await Rig.start((request, response) => {
      if (rig.requests === 2) request.socket.resetAndDestroy();
      else response.end();
    });
    await rig.queue.add(new Uint8Array(10), 1);
    await rig.settled();
    await rig.queue.add(new Uint8Array(10), 1);
    await rig.settled();
    expect(rig.requests).to.equal(3);
    expect(rig.counts.sent).to.equal(2);
    expect(rig.log).to.deep.equal([]);
  });
});

describe('the start of counters', () => {
  it('is when the gateway began, or the time before a counter was new or fell', () => {
    const starts = new SeriesStarts(100);
    expect(starts.of('reads', 5)).to.equal(100);
    starts.collected(200);
    expect(starts.of('reads', 7)).to.equal(100);
    expect(starts.of('writes', 1)).to.equal(200);
    starts.collected(300);
    expect(starts.of('reads', 2)).to.equal(300);
    starts.collected(400);
    expect(starts.of('reads', 2)).to.equal(300);
    starts.collected(500);
    // The node was deleted.
    starts.collected(600);
    expect(starts.of('reads', 9)).to.equal(600);
  });
});
