import { writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { certify, hasOpenssl } from '../world/certificates.ts';
import { Child } from '../kit/child.ts';
import { useFolder } from '../kit/folder.ts';
import { Gateway } from '../kit/gateway.ts';
import { until } from '../kit/until.ts';

interface Seen {
  readonly status: number | undefined;
  /** Common name of the certificate. */
  readonly name: string;
}

function ping(url: string): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/api/v2/ping`,
      { method: 'POST', rejectUnauthorized: false, agent: false, timeout: 5_000 },
      (reply) => {
        const socket: unknown = reply.socket;
        const { subject } = (socket as Pick<TLSSocket, 'getPeerCertificate'>).getPeerCertificate();
        const name = String(subject.CN);
        reply.resume();
        reply.on('end', () => resolve({ status: reply.statusCode, name }));
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

describe(`HTTPS${hasOpenssl ? '' : ' (skipped: openssl, which makes the certificates, is not installed)'}`, function () {
  this.timeout(60_000);
  const folder = useFolder('https');
  let cert: string;
  let key: string;

  before(function () {
    if (!hasOpenssl) this.skip();
    cert = folder('cert.pem');
    key = folder('key.pem');
    certify(cert, key, 'first');
  });

  function start(): Promise<Child> {
    const args = ['--data', folder('data'), '--port', '0', '--tls-cert', cert, '--tls-key', key];
    return Child.start(process.execPath, [Gateway.main, ...args], {
      ready: /https:\/\/127\.0\.0\.1:\d+/,
      group: true,
    });
  }

  it('is served with the certificate given, which is read again on SIGHUP; a bad one changes nothing', async () => {
    const gateway = await start();
    const url = gateway.match?.[0] ?? '';
    expect(await ping(url)).to.deep.equal({ status: 200, name: 'first' });

    certify(cert, key, 'second');
    expect((await ping(url)).name).to.equal('first');
    gateway.signal('SIGHUP');
    await until('the new certificate is used', async () => (await ping(url)).name === 'second');

    await writeFile(cert, 'nonsense');
    gateway.signal('SIGHUP');
    await until('the gateway says what is wrong', () => gateway.output.includes('The old one stays.'));
    expect(await ping(url)).to.deep.equal({ status: 200, name: 'second' });

    const plain = await fetch(`${url.replace('https', 'http')}/api/v2/ping`, { method: 'POST' }).catch(
      () => undefined,
    );
    expect(plain).to.equal(undefined);
    expect(await ping(url)).to.deep.equal({ status: 200, name: 'second' });
    expect((await gateway.stop()).code).to.equal(0);
    gateway.release();
  });

  it('does not start with files that are not good, and names them', async () => {
    await writeFile(cert, 'nonsense');
    const failed = await start().catch((error: unknown) => error);
    expect(String(failed)).to.include(`HTTPS cannot be served with the files ${cert} and ${key}`);
  });
});
