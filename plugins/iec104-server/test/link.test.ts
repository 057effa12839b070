import { DataType } from '@tagway/sdk';
import { hasOpenssl, identityOf, mutate, randomOf, until } from '@tagway/testkit';
import { expect } from 'chai';
import { Centre, U } from './kit/centre.ts';
import { Station, tagsOf } from './kit/station.ts';

const one = tagsOf(DataType.FLOAT);
const table = 'tag,type,object\nt0,36,100';
const fast = { t1: 2, t2: 1, t3: 1 };

/** For how long others send anything. By hand: `HOSTILE_SECONDS=60 npm test -- plugins/iec104-server/test/link.test.ts`. */
const hostileSeconds = Number(process.env['HOSTILE_SECONDS'] ?? 3);

/** Delivers changes of the one tag, one event each. */
async function change(station: Station, ...values: readonly number[]): Promise<void> {
  for (const value of values) await station.deliver({ t0: { value } });
}

const values = (centre: Centre): number[] =>
  centre.reported.filter(({ cause }) => cause === 3).map(({ element }) => element.readFloatLE(0));

describe('a connection', () => {
  it('is started and stopped, and confirms a stop when everything is acknowledged', async () => {
    await using station = await Station.start(one, table, { k: 4 });
    await change(station, 1, 2);
    await using centre = await Centre.connect(station.port, { acknowledgesAfter: 0 });
    centre.control(U.STOPDT);
    await until('a stop is confirmed', () => centre.controls.join() === String(U.STOPPED));
    centre.control(U.STARTDT);
    await until('the event is there', () => values(centre).length === 1);
    expect(centre.units[0], 'end of initialisation').to.include({ type: 70, cause: 4, ca: 1 });
    centre.control(U.STOPDT);
    await until('it is about to stop', () => station.app.clients()[0]?.name === 'all (stopping)');
    await change(station, 3);
    expect(centre.controls).to.deep.equal([U.STOPPED, U.STARTED]);
    centre.acknowledge();
    await until('the stop is confirmed', () => centre.controls.includes(U.STOPPED, 1));
    expect(values(centre), 'nothing is sent after the stop').to.deep.equal([2]);
    centre.control(U.STARTDT);
    await until('the other event is there', () => values(centre).length === 2);
    expect(centre.units.filter(({ type }) => type === 70)).to.have.length(1);
  });

  it('is tested after t3, and closed when the test is not answered within t1', async () => {
    await using station = await Station.start(one, table, fast);
    await using centre = await Centre.connect(station.port);
    centre.control(U.TEST);
    await until('a test is answered', () => centre.controls.includes(U.TESTED));
    await until('it is tested', () => centre.controls.includes(U.TEST));
    expect(centre.isClosed).to.equal(false);
    centre.answersTests = false;
    await until('it is closed', () => centre.isClosed);
    expect(station.record.logs.join('\n')).to.include(
      'the control centre did not answer a test frame within t1',
    );
  });

  it('has at most k frames without acknowledgement, and is closed when none comes within t1', async () => {
    await using station = await Station.start(one, table, { ...fast, k: 3, w: 2 });
    await using centre = await Centre.start(station.port, { acknowledgesAfter: 0 });
    for (let value = 1; value <= 200; value++) await change(station, value);
    await until('the window is full', () => centre.units.length === 3);
    await until('it is closed', () => centre.isClosed);
    expect(centre.units).to.have.length(3);
    expect(station.record.logs.join('\n')).to.include(
      'the control centre did not acknowledge a frame within t1',
    );
  });

  it('acknowledges after w frames, and after t2', async () => {
    await using station = await Station.start(one, table, { ...fast, w: 3 });
    await using centre = await Centre.start(station.port);
    await until('it has begun', () => centre.units.length === 1);
    const answerless = (): void => centre.send(103, 10, 0, [0, 0, 0, 0, 1, 1, 24], 1);
    for (let at = 0; at < 3; at++) answerless();
    await until('three are acknowledged', () => centre.acknowledged === 3);
    answerless();
    await until('the fourth is acknowledged after t2', () => centre.acknowledged === 4, 3000);
  });

  it('ends for data before STARTDT, wrong numbers, and what no control centre sends', async () => {
    await using station = await Station.start(one, table);
    const bad: readonly ((centre: Centre) => void)[] = [
      (centre) => centre.control(U.STARTED),
      (centre) => centre.raw(Buffer.from([0x68, 4, 1, 0, 200, 0])),
      (centre) => {
        centre.vs = 5;
        centre.send(100, 6, 0, [20]);
      },
      (centre) => centre.raw(Buffer.from('GET / HTTP/1.1')),
      (centre) => centre.raw(Buffer.from([0x68, 3, 0, 0, 0])),
      (centre) => centre.raw(Buffer.from([0x68, 5, 1, 0, 0, 0, 0])),
    ];
    for (const [index, send] of bad.entries()) {
      await using centre = await Centre.start(station.port);
      send(centre);
      await until(`number ${index} is closed`, () => centre.isClosed);
    }
    await using early = await Centre.connect(station.port);
    early.send(100, 6, 0, [20]);
    await until('it is closed', () => early.isClosed);
  });

  it(`survives hostile bytes for ${hostileSeconds} seconds, while another one is served`, async function () {
    await using station = await Station.start(one, table, {
      max_connections: 50,
      centres: 'good = 127.0.0.2; hostile = 127.0.0.1',
    });
    await using centre = await Centre.start(station.port, { localAddress: '127.0.0.2' });
    await change(station, 0);
    const random = randomOf(20_261_125);
    const real = [
      Buffer.from([0x68, 4, 7, 0, 0, 0]),
      Buffer.from([0x68, 14, 0, 0, 0, 0, 100, 1, 6, 0, 1, 0, 0, 0, 0, 20]),
      Buffer.from([0x68, 14, 2, 0, 0, 0, 45, 1, 6, 0, 1, 0, 100, 0, 0, 1]),
      Buffer.from([0x68, 13, 4, 0, 0, 0, 102, 1, 5, 0, 1, 0, 100, 0, 0]),
    ];
    let sent = 0;
    let slowest = 0;
    const end = performance.now() + hostileSeconds * 1000;
    for (let round = 1; round <= 20 || performance.now() < end; round++) {
      const hostile = await Centre.connect(station.port, { acknowledgesAfter: round % 2 });
      for (let at = 0; at < 20; at++) {
        const frame = real[random(real.length)]!;
        hostile.raw(random(3) === 0 ? mutate(frame, random) : frame);
        sent++;
      }
      const began = performance.now();
      await change(station, round);
      await until('the event is there', () => values(centre).at(-1) === round);
      slowest = Math.max(slowest, performance.now() - began);
      await hostile[Symbol.asyncDispose]();
    }
    this.test!.title += `: ${sent} frames, an event took ${Math.round(slowest)} ms at most`;
    expect(sent).to.be.at.least(400);
    await until('only one is left', () => station.app.clients().length === 1);
    expect(centre.fault).to.equal('');
  }).timeout(hostileSeconds * 1000 + 60_000);

  it('that does not read is ended, while another one is served', async () => {
    const centres = 'good = 127.0.0.2; other = 127.0.0.3';
    await using station = await Station.start(one, table, { ...fast, centres });
    await using centre = await Centre.start(station.port, { localAddress: '127.0.0.2' });
    await using unread = await Centre.start(station.port, { localAddress: '127.0.0.3' });
    unread.socket.pause();
    for (let value = 0; value <= 300; value++) await change(station, value);
    await until('all events are there', () => values(centre).length === 300);
    await until('it has been ended', () => station.app.clients().length === 1, 10_000);
    expect(station.record.logs.join('\n')).to.include(
      'the control centre did not acknowledge a frame within t1',
    );
    await change(station, 301);
    await until('events go on', () => values(centre).at(-1) === 301);
  }).timeout(30_000);

  it('is refused above the most connections, and from addresses that are not allowed', async () => {
    const centres = 'north = 127.0.0.2, 127.0.0.3; south = 127.0.1.0/24';
    await using station = await Station.start(one, table, { centres, max_connections: 3 });
    await using stranger = await Centre.connect(station.port);
    await until('a stranger is not let in', () => stranger.isClosed);
    expect(station.refused.map(({ from, request }) => `${from} ${request}`)).to.deep.equal([
      '127.0.0.1 a connection',
    ]);
    expect(station.places).to.deep.equal([
      {
        host: '127.0.0.1',
        port: station.port,
        protocol: 'IEC 60870-5-104',
        isEncrypted: false,
        isRestricted: true,
        mayWrite: true,
      },
    ]);
    await using first = await Centre.start(station.port, { localAddress: '127.0.0.2' });
    await using _second = await Centre.connect(station.port, { localAddress: '127.0.0.3' });
    await using _third = await Centre.start(station.port, { localAddress: '127.0.1.9' });
    await using fourth = await Centre.connect(station.port, { localAddress: '127.0.1.9' });
    await until('the fourth is not let in', () => fourth.isClosed);
    expect(first.isClosed).to.equal(false);
    expect(station.app.clients().map(({ name }) => name)).to.deep.equal([
      'north (started)',
      'north (stopped)',
      'south (started)',
    ]);
    expect(station.app.clients()[0]?.address).to.equal(`127.0.0.2:${first.socket.localPort}`);
  });

  const secured = 'is secured with certificates of both sides, whose names may say who commands';
  it(hasOpenssl ? secured : `${secured} (skipped: openssl is not installed)`, async function () {
    if (!hasOpenssl) this.skip();
    const [own, north, south] = ['station', 'north', 'south'].map((name) => identityOf(name));
    const file = (...bytes: Buffer[]): string => Buffer.concat(bytes).toString('base64');
    await using station = await Station.start(tagsOf(DataType.BIT), 'tag,type,object\nt0,45,7', {
      tls: true,
      tls_cert: file(own!.cert),
      tls_key: file(own!.key),
      tls_ca: file(north!.cert, south!.cert),
      command_names: 'north',
    });
    const tls = { ca: own!.cert, servername: 'station' };
    await using first = await Centre.start(station.port, { tls: { ...tls, ...north } });
    await using second = await Centre.start(station.port, { tls: { ...tls, ...south } });
    first.control(U.STARTDT);
    await until('both are there', () => station.app.clients().length === 2);
    expect(station.app.clients().map(({ user, security }) => `${user} ${security}`)).to.deep.equal([
      'north TLS',
      'south TLS',
    ]);
    expect((await first.ask(45, 6, 7, [1])).isNegative, 'of north').to.equal(false);
    second.control(U.STARTDT);
    await until('the other is started', () => station.app.clients()[1]?.name === 'all (started)');
    expect((await second.ask(45, 6, 7, [1])).isNegative, 'of south').to.equal(true);
    const stranger = await Centre.connect(station.port);
    stranger.control(U.STARTDT);
    await until('who speaks without TLS is closed', () => stranger.isClosed);
  });

  it('of a station whose port is taken does not start, and says which port', async () => {
    await using station = await Station.start(one, table);
    let message = '';
    try {
      await Station.start(one, table, { port: station.port });
    } catch (error) {
      message = String(error);
    }
    expect(message).to.include(`The node cannot listen on 127.0.0.1:${station.port}: another program`);
  });
});
