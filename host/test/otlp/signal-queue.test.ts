import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import type { OtlpConfig } from '../../src/config/otlp-option.ts';
import type { SignalCounts } from '../../src/core/ports/telemetry.ts';
import { Collector } from '../../src/otlp/collector.ts';
import { Outages } from '../../src/otlp/outages.ts';
import { SeriesStarts } from '../../src/otlp/series-starts.ts';
import { SignalQueue } from '../../src/otlp/signal-queue.ts';

const pause = (): Promise<void> => setTimeout(20);

/** A queue before a server that answers as it is asked to. */
class Rig implements AsyncDisposable {
  readonly counts: SignalCounts = { signal: 'metrics', sent: 0, dropped: 0, waiting: 0 };
  readonly log: string[] = [];
  readonly queue: SignalQueue;
  requests = 0;
  tooLarge = 0;
  readonly #server: Server;
  readonly #collector: Collector;

  private constructor(server: Server, port: number) {
    this.#server = server;
    const config: OtlpConfig = {
      endpoint: `http://127.0.0.1:${port}`,
      interval: 60,
      timeout: 1,
      compression: 'none',
      resource: {},
      headers: undefined,
      ca: undefined,
      cert: undefined,
      key: undefined,
    };
    this.#collector = new Collector(config);
    const say = (line: string): void => void this.log.push(line);
    this.queue = new SignalQueue({
      collector: this.#collector,
      outages: new Outages(config.endpoint, { warn: say, notice: say }),
      counts: this.counts,
      isCompressed: false,
      rejectedIn: () => ({ items: 0, reason: '' }),
      isTooLarge: () => this.tooLarge++,
    });
  }

  static async start(listener: RequestListener): Promise<Rig> {
    const server = createServer((request, response) => {
      rig.requests++;
      request.resume().on('end', () => listener(request, response));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const rig = new Rig(server, (server.address() as AddressInfo).port);
    return rig;
  }

  /** Waits until there are no more requests of the queue under way. */
  async settled(): Promise<void> {
    while (this.counts.waiting > 0) await pause();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.queue.close(0);
    this.#collector.close();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

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
