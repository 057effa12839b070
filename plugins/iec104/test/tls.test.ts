import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer as listen, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { checkTls } from '../src/transport.ts';
import { pointsOf, Run, settingsOf } from './run.ts';
import { Station } from './station.ts';

const hasOpenssl = spawnSync('openssl', ['version']).error === undefined;

/** A certificate that vouches for itself, for the name `station`, and its key. */
function identity(): { readonly cert: Buffer; readonly key: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'tagway-iec104-'));
  try {
    const [cert, key] = ['cert.pem', 'key.pem'].map((name) => join(folder, name)) as [string, string];
    const { status, stderr } = spawnSync('openssl', [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '1',
      ],
      ...['-subj', '/CN=station', '-addext', 'subjectAltName=DNS:station', '-out', cert, '-keyout', key],
    ]);
    if (status !== 0) throw new Error(stderr.toString());
    return { cert: readFileSync(cert), key: readFileSync(key) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A station behind TLS that asks for the certificate of the other side. */
async function secured(port: number, own: ReturnType<typeof identity>, ca: Buffer) {
  const sockets = new Set<TLSSocket>();
  const server = createServer({ ...own, ca, requestCert: true, rejectUnauthorized: true }, (socket) => {
    sockets.add(socket);
    const inner = connect(port, '127.0.0.1');
    socket.on('error', () => inner.destroy());
    inner.on('error', () => socket.destroy());
    socket.pipe(inner).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

describe(`TLS${hasOpenssl ? '' : ' (skipped: openssl is not installed)'}`, () => {
  before(function () {
    if (!hasOpenssl) this.skip();
  });

  it('secures the connection with certificates of both sides', async () => {
    const [theirs, ours] = [identity(), identity()];
    await using station = await Station.start();
    station.add(11, 1, 5, 0, 0);
    await using server = await secured(station.port, theirs, ours.cert);
    const file = (bytes: Buffer): string => bytes.toString('base64');
    const tls = {
      ...{ tls: true, tls_ca: file(theirs.cert), tls_cert: file(ours.cert), tls_key: file(ours.key) },
      tls_name: 'station',
    };
    expect(checkTls(settingsOf({ host: 'rtu', ...tls }))).to.equal(undefined);
    const wrongKey = settingsOf({ host: 'rtu', ...tls, tls_key: file(theirs.key) });
    expect(checkTls(wrongKey)?.code).to.equal(ErrorCode.NODE_SETTING_INVALID);
    await using run = await Run.connected(server.port, tls);
    const taken = run.watch(pointsOf([1, DataType.INT16]));
    await until('values are there', () => taken.latest[0] === 5);

    const stranger = { host: '127.0.0.1', port: server.port, ...tls, tls_ca: file(ours.cert) };
    await using refused = new Run(stranger);
    await refused.driver.start();
    await until('a station with another authority is refused', () => refused.reason !== '');
    expect(refused.isUp).to.equal(false);
    expect(refused.reason).to.match(/certificate/);
  });

  it('is given up when it is not made within t0', async () => {
    // It takes connections and says nothing.
    const sockets = new Set<Socket>();
    const server = listen((socket) => sockets.add(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const tls_ca = identity().cert.toString('base64');
    try {
      await using run = new Run({ host: '127.0.0.1', port, tls: true, tls_ca, t0: 1, t1: 60 });
      const from = performance.now();
      await run.driver.start();
      await until('it is given up', () => run.reason !== '');
      expect(performance.now() - from).to.be.within(900, 8000);
      expect(run.isUp).to.equal(false);
    } finally {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    }
  });
});
