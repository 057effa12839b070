import { expect } from 'chai';
import { Attribute, DataType, LinkState } from '@tagway/sdk';
import { statesOf, until } from '@tagway/testkit';
import { StatusCodes } from 'node-opcua-client';
import { type Chunk, type Fate, Message, Relay } from './relay.ts';
import { pointsOf, Fixture } from './fixture.ts';
import { Server } from './server.ts';

const { INT16, STRING } = DataType;
const { READ, SUBSCRIBE } = Attribute;

/** Where the limits of the server lie in its acknowledgement (OPC 10000-6, 7.1.2.4). */
const ack = { receiveBufferSize: 12, maxMessageSize: 20 } as const;

const tooLarge = StatusCodes.BadResponseTooLarge.value;

/** What a server does with an answer that is larger than it can send. */
const ways: Readonly<Record<string, Exclude<Fate, string>>> = {
  'ends the connection': { error: tooLarge },
  'breaks the answer off': { abort: tooLarge },
};

const atMost =
  (bytes: number, fate: Fate) =>
  ({ kind, size }: Chunk): Fate =>
    kind === 'MSG' && size > bytes ? fate : 'pass';

/** At most one session a second, with one more at once after one that was lost. */
function expectPace({ times }: Relay): void {
  for (let index = 2; index < times.length; index++)
    expect((times[index] ?? 0) - (times[index - 2] ?? 0), `connection ${index}`).to.be.greaterThan(800);
}

describe('answers that are too large for an OPC UA server or its connection', function () {
  this.timeout(200_000);
  let server: Server;

  before(async () => {
    server = await Server.start({ counting: 1001, texts: 5 });
  });
  after(() => server?.[Symbol.asyncDispose]());

  const counters = (from: number, to: number, attribute: number = READ): [string, DataType, number][] =>
    Array.from({ length: to - from }, (_, index) => [`1!tag${from + index}`, INT16, attribute]);
  const texts = (attribute: number = READ): [string, DataType, number][] =>
    Array.from({ length: 5 }, (_, index) => [`1!text${index}`, STRING, attribute]);

  for (const [what, fate] of Object.entries(ways)) {
    for (const mode of [1, 2]) {
      it(`texts that are too large together cost other tags nothing where the server ${what} (update_mode ${mode})`, async () => {
        await using relay = await Relay.start(server.port);
        relay.toClient = atMost(300_000, fate);
        await using fixture = await Fixture.connected({
          url: relay.url,
          update_mode: mode,
          publishing_interval: 50,
        });
        const large = fixture.watch(
          pointsOf(...texts(READ | SUBSCRIBE), ...counters(1, 5, READ | SUBSCRIBE)),
        );
        const good = fixture.watch(pointsOf(...counters(5, 25, READ | SUBSCRIBE)));
        const polled = pointsOf(...counters(25, 35));
        const isThere = (values: unknown, first: number): boolean =>
          Array.isArray(values) && values.every((value, index) => value === first + index);
        await until(
          'everything is there',
          async () =>
            isThere(await fixture.read(polled), 25) &&
            isThere(good.latest, 5) &&
            isThere(large.latest.slice(5), 1) &&
            large.latest.slice(0, 5).every((text) => typeof text === 'string' && text.length === 100_000) &&
            large.polled.length === 0 &&
            good.polled.length === 0 &&
            performance.now() - (relay.times.at(-1) ?? 0) > 3_000,
          90_000,
        );
        for (const round of [1, 2]) {
          for (let text = 0; text < 5; text++)
            await server.set(`text${text}`, `${round}`.repeat(100_000 - round));
          await server.set('tag5', 1000 + round);
          await until('the good one is reported', () => good.latest[0] === 1000 + round);
          await until('the texts are reported', () =>
            large.latest
              .slice(0, 5)
              .every((text) => typeof text === 'string' && text.length === 100_000 - round),
          );
        }
        expectPace(relay);
        expect(relay.connections).to.be.at.most(12);
        await server.set('tag5', 5);
        for (let text = 0; text < 5; text++) await server.set(`text${text}`, `${text}`.repeat(100_000));
      });
    }
  }

  for (const [what, fate] of Object.entries({ ...ways, 'refuses the request': { fault: tooLarge } }))
    it(`a thousand values that do not fit one message come in several where the server ${what}`, async () => {
      await using relay = await Relay.start(server.port);
      relay.toClient = atMost(8192, fate);
      await using fixture = await Fixture.connected({
        url: relay.url,
        update_mode: 1,
        publishing_interval: 50,
      });
      const watch = fixture.watch(pointsOf(...counters(1, 1001)));
      await until(
        'all are reported',
        () => watch.polled.length === 0 && watch.latest.every((value, index) => value === index + 1),
        90_000,
      );
      expectPace(relay);
      expect(relay.connections).to.be.at.most('fault' in fate ? 1 : 12);
    });

  for (const bytes of [8192, 300_000])
    it(`a limit of ${bytes} bytes for what the server takes is none for what it sends`, async () => {
      await using relay = await Relay.start(server.port);
      relay.toClient = ({ bytes: chunk, kind }) => {
        if (kind === 'ACK') chunk.writeUInt32LE(bytes, ack.maxMessageSize);
        return 'pass';
      };
      await using fixture = await Fixture.connected({
        url: relay.url,
        update_mode: 1,
        publishing_interval: 50,
      });
      const watch = fixture.watch(pointsOf(...counters(1, 1001), ...texts()));
      await until('all are reported', () =>
        watch.latest.every((value, index) =>
          index < 1000 ? value === index + 1 : typeof value === 'string' && value.length === 100_000,
        ),
      );
      expect(await fixture.read(pointsOf(...counters(1, 1001)))).to.have.length(1000);
      expect(relay.connections).to.equal(1);
    });

  it('chunks to the server are as small as it asks for, those from it as large as they are', async () => {
    await using relay = await Relay.start(server.port);
    let longest = 0;
    relay.toClient = ({ bytes, kind }) => {
      if (kind === 'ACK') bytes.writeUInt32LE(8192, ack.receiveBufferSize);
      return 'pass';
    };
    relay.toServer = ({ bytes }) => {
      longest = Math.max(longest, bytes.length);
      return 'pass';
    };
    await using fixture = await Fixture.connected({ url: relay.url });
    const values = await fixture.read(pointsOf(...counters(1, 1001), ...texts()));
    expect((values as unknown[]).slice(0, 1000)).to.deep.equal(
      Array.from({ length: 1000 }, (_, index) => index + 1),
    );
    expect(longest).to.be.within(4096, 8192);
  });

  describe('that only seem to be, as bytes were spoilt on their way', () => {
    /** The next `count` answers to a read of values begin with a chunk of an impossible size. */
    const spoilReads = (relay: Relay, count: number): void => {
      let left = count;
      relay.toClient = ({ bytes, message }) => {
        // The questions of the session itself have short answers.
        if (message === Message.READ_RESPONSE && bytes.length > 90 && left > 0) {
          left--;
          bytes.writeUInt32LE(0x00ff_ffff, 4);
        }
        return 'pass';
      };
    };

    it('a small node has its value again with the next session', async () => {
      await using relay = await Relay.start(server.port);
      await using fixture = await Fixture.connected({ url: relay.url });
      const points = pointsOf(['1!text0', STRING]);
      spoilReads(relay, 1);
      const outcomes: unknown[] = [];
      await until('it is read', async () => {
        const outcome = await fixture.read(points);
        outcomes.push(outcome);
        return Array.isArray(outcome) && typeof outcome[0] === 'string';
      });
      expect(outcomes.flat()).to.not.include(3000);
      expect(statesOf(fixture.record).filter((state) => state === LinkState.CONNECTED)).to.have.length(2);
    });

    it('many nodes are read in one request again after a minute', async () => {
      await using relay = await Relay.start(server.port);
      await using fixture = await Fixture.connected({ url: relay.url });
      const points = pointsOf(...counters(1, 101));
      let requests = 0;
      relay.toServer = ({ bytes, message }) => {
        if (message === Message.READ_REQUEST && bytes.length > 500) requests++;
        return 'pass';
      };
      spoilReads(relay, 2);
      await until('they are read', async () => Array.isArray(await fixture.read(points)));
      requests = 0;
      await fixture.read(points);
      expect(requests, 'requests of a pass').to.be.greaterThan(1);
      for (let minutes = 1; minutes <= 4; minutes++) {
        fixture.record.clockOffset += 61_000;
        await fixture.read(points);
      }
      requests = 0;
      expect(await fixture.read(points)).to.have.length(100);
      expect(requests, 'requests of a pass').to.equal(1);
    });
  });
});
