import { DataType } from '@tagway/sdk';
import { hasOpenssl, type Identity, identityOf, randomOf, until } from '@tagway/testkit';
import { expect } from 'chai';
import { once } from 'node:events';
import { connect as connectSecurely } from 'node:tls';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Master } from './kit/master.ts';
import { line, TestServer } from './kit/server.ts';

const rows = Array.from({ length: 125 }, (_, index) =>
  line(`t${index}`, 1, 'holding', index + 1, 'UINT16', '', '', 'rw'),
);
const values = Object.fromEntries(
  rows.map((_, index) => [`plant/fast/t${index}`, { value: index, type: DataType.UINT16 }]),
);
const everything = '03 0000 007d';

async function start(settings: object = {}): Promise<TestServer> {
  const server = await TestServer.start(rows, settings);
  server.take(values);
  return server;
}

/** Milliseconds of hostile bytes. HOSTILE_SECONDS makes them a minute. */
const hostileTime = 1000 * Number(process.env['HOSTILE_SECONDS'] ?? 2);

describe('connections of masters', function () {
  this.timeout(hostileTime + 60_000);

  it('answer requests that come in pieces, and many that come at once, in order', async () => {
    await using server = await start();
    await using master = await Master.connect(server.port);
    const request = Buffer.from('000100000006010300000001', 'hex');
    for (const byte of request) {
      master.send(Buffer.of(byte));
      await sleep(1);
    }
    await until('it is answered', () => master.wire.some(({ fromClient }) => !fromClient));
    const answers = await Promise.all(Array.from({ length: 1000 }, () => master.ask(everything)));
    expect(new Set(answers).size).to.equal(1);
    const ids = master.wire.filter(({ fromClient }) => !fromClient).map(({ bytes }) => bytes.readUInt16BE(0));
    expect(ids.slice(1)).to.deep.equal(Array.from({ length: 1000 }, (_, index) => index + 1));
    expect(server.app.clients()[0]).to.include({
      name: `127.0.0.1:${master.socket.localPort} (1001 requests, 0 exceptions)`,
    });
    expect(server.record.counts.get('recv_msgs_total')).to.equal(1001);
    expect(server.record.counts.get('send_msgs_total')).to.equal(1001);
  });

  it('are as many as are set, from the addresses that may, and end when nothing is asked', async () => {
    await using server = await start({ max_connections: 2, addresses: '127.0.0.1, 127.0.1.0/24', idle: 1 });
    expect(server.record.places).to.deep.equal([
      {
        host: '127.0.0.1',
        port: server.port,
        protocol: 'Modbus TCP',
        isEncrypted: false,
        isRestricted: true,
        mayWrite: true,
      },
    ]);
    await using stranger = await Master.connect(server.port, { localAddress: '127.0.0.9' });
    await until('the stranger is refused', () => stranger.isClosed);
    await using one = await Master.connect(server.port);
    await using other = await Master.connect(server.port, { localAddress: '127.0.1.7' });
    expect(await other.ask('03 0000 0001')).to.equal('03020000');
    await using third = await Master.connect(server.port);
    await until('the third is refused', () => third.isClosed);
    await until('the idle ones are closed', () => one.isClosed && other.isClosed);
    expect(server.record.counts.get('refused_connections_total')).to.equal(4);
    expect(server.gauges.get('connections')).to.equal(0);
  });

  it('of one who reads nothing is paused and closed, and the others are served', async () => {
    await using server = await start();
    await using greedy = await Master.connect(server.port);
    greedy.socket.pause();
    const request = Buffer.from('00010000000601030000007d', 'hex');
    const many = Buffer.concat(Array.from({ length: 1000 }, () => request));
    let flowing = true;
    const flood = (async () => {
      while (flowing && !greedy.isClosed) {
        greedy.socket.write(many);
        await sleep(greedy.socket.writableNeedDrain ? 100 : 1);
      }
    })();
    await using other = await Master.connect(server.port);
    const before = process.memoryUsage().rss;
    await until('it is closed', () => server.app.clients().length === 1, 30_000);
    flowing = false;
    expect(await other.ask('03 0000 0001')).to.equal('03020000');
    expect(process.memoryUsage().rss - before).to.be.below(200_000_000);
    greedy.socket.destroy();
    await flood;
    expect(server.record.logs.join('\n')).to.match(/has not read what it was sent for 10 s/);
  });

  it('of a thousand masters are all served', async () => {
    await using server = await start({ max_connections: 1000 });
    const masters = await Promise.all(Array.from({ length: 1000 }, () => Master.connect(server.port)));
    try {
      for (let round = 0; round < 3; round++) {
        const answers = await Promise.all(masters.map((master) => master.ask(everything)));
        expect(new Set(answers).size).to.equal(1);
      }
      expect(server.app.clients()).to.have.length(1000);
    } finally {
      await Promise.all(masters.map((master) => master[Symbol.asyncDispose]()));
    }
    await until('all are gone', () => server.app.clients().length === 0);
  });

  it('with hostile bytes end, while another master is served', async () => {
    await using server = await start({ max_connections: 50 });
    await using good = await Master.connect(server.port);
    const random = randomOf(7);
    const end = Date.now() + hostileTime;
    const expected = await good.ask(everything);
    let attacks = 0;
    const attack = async (): Promise<void> => {
      while (Date.now() < end) {
        const socket: Socket = connect({ port: server.port, host: '127.0.0.1' });
        socket.on('error', () => undefined);
        await once(socket, 'connect').catch(() => undefined);
        socket.resume();
        for (let round = 0; round < 20 && !socket.destroyed; round++) {
          socket.write(hostileBytes(random));
          await sleep(random(3));
        }
        attacks++;
        socket.destroy();
      }
    };
    const attackers = Promise.all(Array.from({ length: 10 }, attack));
    let served = 0;
    let slowest = 0;
    while (Date.now() < end) {
      const from = performance.now();
      expect(await good.ask(everything)).to.equal(expected);
      slowest = Math.max(slowest, performance.now() - from);
      served++;
      await sleep(5);
    }
    await attackers;
    expect(attacks).to.be.above(5);
    expect(served).to.be.above(10);
    expect(slowest).to.be.below(5000);
    // Hostile writes are sound now and then; nothing but the values of the tags may come of them.
    for (const { writes } of server.written)
      for (const { value } of writes) expect(value).to.be.within(0, 65_535);
    await until('only the good one is left', () => server.app.clients().length === 1);
  });

  const itWithTls = hasOpenssl ? it : it.skip;
  itWithTls(
    'are secured where that is set, with certificates of both sides, and the name may decide who writes',
    async () => {
      const own = identityOf('gateway');
      const hmi = identityOf('hmi');
      const viewer = identityOf('viewer');
      const base64 = (file: Buffer): string => file.toString('base64');
      await using server = await start({
        tls: true,
        tls_cert: base64(own.cert),
        tls_key: base64(own.key),
        tls_ca: base64(Buffer.concat([hmi.cert, viewer.cert])),
        write_names: 'hmi',
      });
      const ask = async ({ cert, key }: Identity): Promise<string> => {
        const socket = connectSecurely({
          port: server.port,
          host: '127.0.0.1',
          cert,
          key,
          rejectUnauthorized: false,
        });
        await once(socket, 'secureConnect');
        socket.write(Buffer.from('000100000006010600000007', 'hex'));
        // Whose certificate is refused is closed on, with or without an alert.
        const closed = once(socket, 'close').then(() => Promise.reject(new Error('It was closed.')));
        const [data] = (await Promise.race([once(socket, 'data'), closed])) as [Buffer];
        closed.catch(() => undefined);
        socket.destroy();
        return data.toString('hex', 7);
      };
      expect(await ask(hmi)).to.equal('0600000007');
      expect(await ask(viewer)).to.equal('8602');
      const stranger = identityOf('stranger');
      const refusal: unknown = await ask(stranger).catch((error: unknown) => error);
      expect(refusal).to.be.an('error');
      await until('it is counted', () => (server.record.counts.get('refused_connections_total') ?? 0) > 0);
    },
  );
});

/** Random bytes, random requests with a sound header, and sound requests that are cut or repeated. */
function hostileBytes(random: (most: number) => number): Buffer {
  const bytes = (size: number): Buffer => Buffer.from(Array.from({ length: size }, () => random(256)));
  const kind = random(4);
  if (kind === 0) return bytes(1 + random(300));
  const pdu = bytes(1 + random(252));
  pdu[0] = [1, 2, 3, 4, 5, 6, 15, 16, 22, 23, 43][random(11)]!;
  const header = Buffer.from([0, 1, 0, 0, (pdu.length + 1) >> 8, (pdu.length + 1) & 0xff, random(3)]);
  const frame = Buffer.concat([header, pdu]);
  if (kind === 1) return frame;
  if (kind === 2) return frame.subarray(0, 1 + random(frame.length));
  return Buffer.concat(Array.from({ length: 50 }, () => Buffer.from('00010000000601030000007d', 'hex')));
}
