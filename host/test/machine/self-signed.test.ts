import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { expect } from 'chai';
import { derElements, derOid, oidOf } from '../../src/core/access/der.ts';
import { selfSigned } from '../../src/machine/self-signed.ts';

describe('a certificate that a gateway makes for itself', () => {
  const names = [
    'gateway.plant',
    'localhost',
    '127.0.0.1',
    '10.20.30.40',
    '::1',
    'fd00:1::2:ab',
    '2001:db8::',
  ];
  const { cert, key } = selfSigned(names);
  const certificate = new X509Certificate(cert);

  it('is for the names and addresses given, and no authority', () => {
    expect(certificate.subject).to.equal('CN=gateway.plant');
    expect(certificate.checkHost('gateway.plant')).to.equal('gateway.plant');
    expect(certificate.checkHost('other.plant')).to.equal(undefined);
    for (const name of names.slice(2)) expect(certificate.checkIP(name), name).to.equal(name);
    expect(certificate.checkIP('10.20.30.41')).to.equal(undefined);
    expect(certificate.ca).to.equal(false);
  });

  it('is signed by its own key, and holds whatever the clock of the machine says', () => {
    expect(certificate.verify(certificate.publicKey)).to.equal(true);
    expect(certificate.checkPrivateKey(createPrivateKey(key))).to.equal(true);
    expect([certificate.validFrom, certificate.validTo]).to.deep.equal([
      'Jan  1 00:00:00 2020 GMT',
      'Dec 31 23:59:59 2049 GMT',
    ]);
    expect(new X509Certificate(selfSigned(names).cert).serialNumber).not.to.equal(certificate.serialNumber);
  });

  it('is believed by a client that was given it', async () => {
    const server = createServer({ cert, key }, (socket) => socket.end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (const [ca, isKnown] of [
      [cert, true],
      [selfSigned(names).cert, false],
    ] as const) {
      const socket = connect({ host: '127.0.0.1', port, ca, servername: 'gateway.plant' });
      const outcome = await new Promise((resolve) => {
        socket.once('secureConnect', () => resolve(true));
        socket.once('error', () => resolve(false));
      });
      expect(outcome).to.equal(isKnown);
      socket.destroy();
    }
    server.close();
    await once(server, 'close');
  });

  it('has room for the names of a machine with very many addresses', () => {
    const many = Array.from({ length: 200 }, (_, i) => `10.0.${i}.1`);
    expect(new X509Certificate(selfSigned(['gateway', ...many]).cert).checkIP('10.0.199.1')).to.equal(
      '10.0.199.1',
    );
  });

  it('takes object identifiers as they are written', () => {
    for (const oid of ['2.5.29.17', '1.2.840.10045.4.3.2', '1.3.6.1.5.5.7.3.1']) {
      const [element] = derElements(derOid(oid));
      expect(element && oidOf(element)).to.equal(oid);
    }
  });
});
