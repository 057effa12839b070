import { expect } from 'chai';
import { DataType } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { Proxy, type Tamper } from './proxy.ts';
import { pointsOf, Fixture } from './fixture.ts';
import { Server } from './server.ts';

/** A generator of whole numbers below a bound, the same for the same seed (mulberry32). */
function randomOf(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000) * bound);
  };
}

/** Passes most pieces; flips bytes of others, shortens them, doubles them, puts noise in their place or cuts the connection. */
function spoil(random: (bound: number) => number, spoilt: () => void): Tamper {
  return (piece) => {
    if (random(8) > 0) return piece;
    spoilt();
    const bytes = Buffer.from(piece);
    switch (random(6)) {
      case 0:
      case 1: {
        for (let flips = 1 + random(8); flips > 0; flips--) bytes[random(bytes.length)] = random(256);
        return bytes;
      }
      case 2:
        return bytes.subarray(0, random(bytes.length));
      case 3:
        return Buffer.concat([bytes, bytes]);
      case 4:
        return Buffer.from(Array.from({ length: 1 + random(200) }, () => random(256)));
      default:
        return undefined;
    }
  };
}

describe('bytes that are not OPC UA', function () {
  this.timeout(60_000);
  let server: Server;
  const uncaught: unknown[] = [];
  const note = (error: unknown): void => void uncaught.push(error);

  before(async () => {
    server = await Server.start({ counting: 20 });
  });
  after(() => server?.[Symbol.asyncDispose]());

  beforeEach(() => {
    uncaught.length = 0;
  });

  for (const seed of [15, 16]) {
    it(`on their way from the server cost a connection at most, and the driver works afterwards (seed ${seed})`, async () => {
      await using proxy = await Proxy.start(server.port);
      await using fixture = new Fixture({
        url: proxy.url,
        update_mode: 1,
        publishing_interval: 20,
        timeout: 1000,
      });
      fixture.record.sleepSpeed = 50;
      const earlier = process.listeners('uncaughtException');
      process.removeAllListeners('uncaughtException');
      process.on('uncaughtException', note);
      process.on('unhandledRejection', note);
      try {
        const random = randomOf(seed);
        let spoilt = 0;
        proxy.toClient = spoil(random, () => spoilt++);
        await fixture.driver.start();
        const points = pointsOf(
          ...Array.from({ length: 19 }, (_, index) => [`1!tag${index + 1}`, DataType.INT16] as const),
        );
        const watch = fixture.watch(points);
        const end = performance.now() + 15_000;
        while (spoilt < 8 && performance.now() < end) {
          await fixture.read(points);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        expect(spoilt, 'pieces that were spoilt').to.be.greaterThan(1);
        proxy.toClient = (piece) => piece;
        await until('there is a session', () => fixture.isUp);
        await until('a read succeeds', async () => Array.isArray(await fixture.read(points)));
        await until('monitored values are there', () => watch.latest[18] === 19);
        await fixture.stop();
        expect(uncaught.map(String)).to.deep.equal([]);
      } finally {
        process.off('uncaughtException', note);
        process.off('unhandledRejection', note);
        for (const listener of earlier) process.on('uncaughtException', listener);
      }
    });
  }
});
