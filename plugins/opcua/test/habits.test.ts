import { networkInterfaces } from 'node:os';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { DataType } from '@tagway/sdk';
import { callOf, listenOn, type ReportRecorder, until } from '@tagway/testkit';
import { StatusCodes } from 'node-opcua-client';
import { capSession, isSecuredOpening, Message, Relay, spoil } from './relay.ts';
import { pointsOf, Fixture } from './fixture.ts';
import { Server } from './server.ts';

const { INT16, INT32, DOUBLE, STRING } = DataType;

/** A text of one character as the last value of a message: the byte that tells its type, its length, itself. */
const variantLength = 1 + 4 + 1;
const scalarString = 12;

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

describe('habits of OPC UA servers', function () {
  this.timeout(60_000);
  let server: Server;

  before(async () => {
    server = await Server.start({ counting: 300, secured: true });
  });
  after(() => server?.[Symbol.asyncDispose]());

  const counters = (count: number): [string, DataType][] =>
    Array.from({ length: count }, (_, index) => [`1!tag${index + 1}`, INT16]);

  /** Reads until a read brings something for every point but those in `except`. */
  const readAll = async (
    fixture: Fixture,
    points: ReturnType<typeof pointsOf>,
    good: number,
  ): Promise<ReportRecorder> => {
    let report: ReportRecorder | undefined;
    await until('the others are read', async () => {
      const result = await fixture.report(points);
      if ('latest' in result) report = result;
      return report?.latest.slice(0, good).every((value, index) => value === index + 1) ?? false;
    });
    return report as ReportRecorder;
  };

  it('an ERR for an answer that is too large: what is too large alone has its own error, for all sessions to come', async () => {
    await using relay = await Relay.start(server.port);
    relay.toClient = ({ bytes, kind }) =>
      kind === 'MSG' && bytes.length > 60_000 ? { error: StatusCodes.BadResponseTooLarge.value } : 'pass';
    await using fixture = await Fixture.connected({ url: relay.url });
    fixture.record.sleepSpeed = 20;
    const points = pointsOf(...counters(99), ['1!Large', STRING]);
    const { faults } = await readAll(fixture, points, 99);
    expect(faults[99]).to.include({ code: 3000 });
    expect(faults[99]?.message).to.match(/too large.*BadResponseTooLarge/);
    await readAll(fixture, points, 99);
    const { connections } = relay;
    for (let times = 0; times < 20; times++) await readAll(fixture, points, 99);
    expect(relay.connections, 'connections since').to.equal(connections);
    expect(connections).to.be.lessThan(14);
    relay.cut();
    await until('there is a new session', () => fixture.isUp && relay.connections > connections);
    const since = relay.connections;
    await readAll(fixture, points, 99);
    await readAll(fixture, pointsOf(...counters(50), ['1!Large', STRING]), 50);
    expect(relay.connections, 'in another session and another group').to.equal(since);
  });

  it('the same with several groups at a time, of which the others have no error', async () => {
    await using relay = await Relay.start(server.port);
    relay.toClient = ({ bytes, kind }) =>
      kind === 'MSG' && bytes.length > 60_000 ? { error: StatusCodes.BadResponseTooLarge.value } : 'pass';
    await using fixture = await Fixture.connected({ url: relay.url });
    fixture.record.sleepSpeed = 20;
    const groups = [
      pointsOf(['1!tag1', INT16]),
      pointsOf(['1!tag1', INT16], ['1!Large', STRING]),
      pointsOf(['1!tag1', INT16], ['1!tag2', INT16]),
    ];
    let good = 0;
    await until('all but one are read', async () => {
      const results = await Promise.all(groups.map((points) => fixture.report(points)));
      for (const index of [0, 2])
        for (const fault of (results[index] as Partial<ReportRecorder>).faults ?? [])
          expect(fault, `group ${index}`).to.equal(undefined);
      good = results.filter((result) => 'latest' in result).length;
      return good === 3;
    });
    const { faults } = await readAll(fixture, groups[1]!, 1);
    expect(faults[1]?.message).to.match(/too large/);
  });

  it('an answer of many values that is too large as a whole: smaller requests from then on', async () => {
    await using relay = await Relay.start(server.port);
    relay.toClient = ({ bytes, message }) =>
      message === Message.READ_RESPONSE && bytes.length > 2_000
        ? { error: StatusCodes.BadResponseTooLarge.value }
        : 'pass';
    await using fixture = await Fixture.connected({ url: relay.url });
    fixture.record.sleepSpeed = 20;
    await readAll(fixture, pointsOf(...counters(299)), 299);
    const { connections } = relay;
    await readAll(fixture, pointsOf(...counters(298)), 298);
    expect(relay.connections, 'another group knows').to.equal(connections);
  });

  it('an answer that cannot be decoded costs what it is about, not the session', async () => {
    await using relay = await Relay.start(server.port);
    await using fixture = await Fixture.connected({ url: relay.url });
    relay.toClient = (chunk) => {
      if (chunk.message === Message.READ_RESPONSE && chunk.bytes.includes('zwölf')) spoil(chunk);
      return 'pass';
    };
    const points = pointsOf(...counters(20), ['1!String', STRING]);
    const { latest } = await readAll(fixture, points, 20);
    expect(latest[20]).to.equal(3009);
    expect(relay.connections).to.equal(1);
    expect(fixture.isUp).to.equal(true);
  });

  it('an ERR after the opening of a secured channel: the certificate is to be trusted there, with its path and fingerprint', async () => {
    await using relay = await Relay.start(server.port);
    relay.toServer = (chunk) =>
      isSecuredOpening(chunk) ? { error: StatusCodes.BadSecurityChecksFailed.value } : 'pass';
    await using fixture = new Fixture({ url: relay.url, security_mode: 2, trust: 1 });
    await fixture.driver.start();
    await until('the log says why', () => fixture.lines.length > 0);
    expect(fixture.lines[0]).to.match(
      /does not trust the gateway's certificate\. It is in .*own\/certificate\.der and has the SHA-1 fingerprint [0-9A-F:]{59}/,
    );
    const report = fixture.record.links
      .map(({ report }) => report)
      .find(({ reason }) => reason !== undefined);
    expect(report).to.deep.equal({ reason: fixture.lines[0], step: 'handshake' });
  });

  it('one that closes every connection is logged once, whatever numbers the library gives its transports', async () => {
    let connections = 0;
    await using rude = await listenOn(
      createServer((socket) => {
        connections++;
        socket.once('data', () => socket.destroy());
      }),
    );
    await using fixture = new Fixture({ url: `opc.tcp://127.0.0.1:${rude.port}`, timeout: 1000 });
    fixture.record.sleepSpeed = 50;
    await fixture.driver.start();
    await until('it was tried some times', () => connections >= 5);
    expect(fixture.lines).to.have.length(1);
    const reasons = fixture.record.links.flatMap(({ report }) => report.reason ?? []);
    expect(new Set(reasons).size).to.equal(1);
  });

  it('one that closes the connection at every read is spoken of once, and is not connected to all the time', async () => {
    await using relay = await Relay.start(server.port);
    await using fixture = await Fixture.connected({ url: relay.url });
    relay.toClient = ({ bytes, message }) =>
      message === Message.READ_RESPONSE && bytes.length > 1_000
        ? { error: StatusCodes.BadInternalError.value }
        : 'pass';
    const points = pointsOf(...counters(100));
    const begin = performance.now();
    await until('it has closed some', async () => {
      await fixture.read(points);
      return relay.connections >= 6;
    });
    const seconds = (performance.now() - begin) / 1000;
    expect(relay.connections).to.be.at.most(3 + 3 * seconds);
    expect(fixture.lines.filter((line) => line.includes('is lost'))).to.have.length(1);
    expect(fixture.lines.find((line) => line.includes('is lost'))).to.match(/with BadInternalError/);
  });

  it('a short time for sessions: one that is not used is kept', async () => {
    await using relay = await Relay.start(server.port);
    relay.toServer = (chunk) => {
      if (chunk.message === Message.CREATE_SESSION_REQUEST) capSession(chunk, 1500);
      return 'pass';
    };
    await using fixture = await Fixture.connected({ url: relay.url, timeout: 5000 });
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    expect(fixture.lines.filter((line) => line.includes('is lost'))).to.deep.equal([]);
    expect(await fixture.read(pointsOf(['1!tag1', INT16]))).to.deep.equal([1]);
    expect(relay.connections).to.equal(1);
  });

  it('short sessions: the first attempt after each is at once', async () => {
    await using relay = await Relay.start(server.port);
    await using fixture = await Fixture.connected({ url: relay.url });
    for (let cuts = 1; cuts <= 5; cuts++) {
      // Longer than what counts as all the time, and much shorter than what once counted as a session.
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      const begin = performance.now();
      relay.cut();
      await until('the link is down', () => !fixture.isUp || relay.connections > cuts);
      await until('there is a session again', () => fixture.isUp && relay.connections > cuts);
      expect(performance.now() - begin, `after ${cuts} cuts`).to.be.lessThan(450);
    }
  });

  it(`IPv6 addresses${hasIpv6 ? '' : ': skipped, this machine has no ::1'}`, async function () {
    if (!hasIpv6) this.skip();
    await using relay = await Relay.start(server.port, '::1');
    for (const security of [{}, { security_mode: 1, trust: 1 }]) {
      await using fixture = await Fixture.connected({ url: relay.url, ...security });
      expect(await fixture.read(pointsOf(['1!tag1', INT16]))).to.deep.equal([1]);
    }
  });

  it('node ids that look like something else can be found and read', async () => {
    await using fixture = await Fixture.connected({ url: server.url });
    const rows: [string, string][] = [
      ['LooksNumeric', '1!i=5'],
      ['LooksQualified', '1!ns=2;s=Tank'],
      ['Digits', '1s!1001'],
      ['LooksLikeGuid', '1s!0f3a0e4c-9b1d-4c3e-8a55-0123456789ab'],
      ['Opaque', '1b!AAEC/w=='],
    ];
    const top = await fixture.driver.browse({ id: '' }, callOf());
    const id = top.entries.find(({ name }) => name === 'Machines')?.id ?? '';
    const { entries } = await fixture.driver.browse({ id }, callOf());
    for (const [name, address] of rows)
      expect(
        entries.find((entry) => entry.name === name),
        name,
      ).to.include({ id: address, type: INT32 });
    const points = pointsOf(...rows.map(([, address]) => [address, INT32] as const));
    expect(await fixture.read(points)).to.deep.equal([101, 102, 103, 104, 105]);
  });

  it('minus zero stays what it is, on both ways', async () => {
    await using fixture = await Fixture.connected({ url: server.url });
    const points = pointsOf(['1!NegativeZero', DOUBLE]);
    const isMinusZero = (values: unknown): boolean => Object.is((values as unknown[])[0], -0);
    expect(isMinusZero(await fixture.read(points))).to.equal(true);
    await fixture.write([[points[0]!, 0]]);
    expect(isMinusZero(await fixture.read(points))).to.equal(false);
    expect(await fixture.write([[points[0]!, -0]])).to.deep.equal([0]);
    expect(isMinusZero(await fixture.read(points))).to.equal(true);
  });

  it('a part of a text is written as what was read, a text, and one of an array as an array', async () => {
    await using relay = await Relay.start(server.port);
    const variants: number[] = [];
    relay.toServer = (chunk) => {
      if (chunk.message === Message.WRITE_REQUEST) variants.push(chunk.bytes.at(-variantLength) ?? 0);
      return 'pass';
    };
    await using fixture = await Fixture.connected({ url: relay.url });
    const points = pointsOf(['1[0]!String', STRING], ['1[0]!StringArray', STRING]);
    expect(await fixture.read(points)).to.deep.equal(['z', 'a']);
    await fixture.write([[points[0]!, 'Z']]);
    await fixture.write([[points[1]!, 'a'.repeat(5)]]);
    expect(variants).to.deep.equal([scalarString, 0]);
    expect(await fixture.read(points)).to.deep.equal(['z', 'aaaaa']);
    await server.set('StringArray', ['a', 'b']);
  });

  it('texts of 64 kB are read and written', async () => {
    await using fixture = await Fixture.connected({ url: server.url });
    const text = 'ä'.repeat(0x8000);
    const points = pointsOf(['1!String', STRING]);
    expect(await fixture.write([[points[0]!, text]])).to.deep.equal([0]);
    expect(await fixture.read(points)).to.deep.equal([text]);
    await server.set('String', 'zwölf');
  });
});
