import { connect, createServer as listen } from 'node:net';
import { createServer } from 'node:tls';
import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/sdk';
import {
  hasOpenssl,
  identityOf,
  listenOn,
  until,
  type Identity,
  type ListeningServer,
} from '@tagway/testkit';
import { checkTls } from '../src/transport.ts';
import { pointsOf, Fixture, settingsOf } from './fixture.ts';
import { Station } from './station.ts';

/** A station behind TLS that asks for the certificate of the other side. */
function secured(port: number, own: Identity, ca: Buffer): Promise<ListeningServer> {
  const server = createServer({ ...own, ca, requestCert: true, rejectUnauthorized: true }, (socket) => {
    const inner = connect(port, '127.0.0.1');
    socket.on('error', () => inner.destroy());
    inner.on('error', () => socket.destroy());
    socket.pipe(inner).pipe(socket);
  });
  return listenOn(server);
}

describe(`TLS${hasOpenssl ? '' : ' (skipped: openssl is not installed)'}`, () => {
  before(function () {
    if (!hasOpenssl) this.skip();
  });

  it('secures the connection with certificates of both sides', async () => {
    const theirs = identityOf('station');
    const ours = identityOf('station');
    await using station = await Station.start();
    station.add(11, 1, 5, 0, 0);
    await using server = await secured(station.port, theirs, ours.cert);
    const file = (bytes: Buffer): string => bytes.toString('base64');
    const tls = {
      tls: true,
      tls_ca: file(theirs.cert),
      tls_cert: file(ours.cert),
      tls_key: file(ours.key),
      tls_name: 'station',
    };
    expect(checkTls(settingsOf({ host: 'rtu', ...tls }))).to.equal(undefined);
    const wrongKey = settingsOf({ host: 'rtu', ...tls, tls_key: file(theirs.key) });
    expect(checkTls(wrongKey)?.code).to.equal(ErrorCode.NODE_SETTING_INVALID);
    await using fixture = await Fixture.connected(server.port, tls);
    const report = fixture.watch(pointsOf([1, DataType.INT16]));
    await until('values are there', () => report.latest[0] === 5);

    const stranger = { host: '127.0.0.1', port: server.port, ...tls, tls_ca: file(ours.cert) };
    await using refused = new Fixture(stranger);
    await refused.driver.start();
    await until('a station with another authority is refused', () => refused.reason !== '');
    expect(refused.isUp).to.equal(false);
    expect(refused.reason).to.match(/certificate/);
  });

  it('is given up when it is not made within t0', async () => {
    // It takes connections and says nothing.
    await using silent = await listenOn(listen());
    const tls_ca = identityOf('station').cert.toString('base64');
    await using fixture = new Fixture({
      host: '127.0.0.1',
      port: silent.port,
      tls: true,
      tls_ca,
      t0: 1,
      t1: 60,
    });
    const from = performance.now();
    await fixture.driver.start();
    await until('it is given up', () => fixture.reason !== '');
    expect(performance.now() - from).to.be.within(900, 8000);
    expect(fixture.isUp).to.equal(false);
  });
});
