import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { LinkState } from '@tagway/sdk';
import type { Route } from '@tagway/sdk';
import type { Params } from '../src/topics.ts';
import { aedesBroker } from './brokers.ts';
import type { AedesBroker } from './brokers.ts';
import { layout, Run, sampleOf, until } from './run.ts';

const route: Route<Params> = { group: 1, params: { topic: 'up' }, layout };
const hasOpenssl = spawnSync('openssl', ['version']).error === undefined;

interface Certificates {
  /** PEM by name: ca, broker, client, other (a CA that signed neither), and their keys; `locked` is the client's key with a password. */
  readonly pem: Readonly<Record<string, string>>;
  readonly base64: (name: string) => string;
}

function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'tagway-certificates-'));
  const openssl = (...args: string[]): void => {
    const { status, stderr } = spawnSync('openssl', args, { cwd: folder });
    if (status !== 0) throw new Error(String(stderr));
  };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const authority = (name: string): void => {
    openssl(
      'req',
      '-x509',
      ...key,
      '-subj',
      `/CN=${name}`,
      '-days',
      '2',
      '-keyout',
      `${name}-key.pem`,
      '-out',
      `${name}.pem`,
    );
  };
  const signed = (name: string, extension: string): void => {
    writeFileSync(join(folder, `${name}.ext`), extension);
    openssl('req', ...key, '-subj', `/CN=${name}`, '-keyout', `${name}-key.pem`, '-out', `${name}.csr`);
    const ca = ['-CA', 'ca.pem', '-CAkey', 'ca-key.pem', '-CAcreateserial'];
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      ...ca,
      '-days',
      '2',
      '-extfile',
      `${name}.ext`,
      '-out',
      `${name}.pem`,
    );
  };
  try {
    authority('ca');
    authority('other');
    signed('broker', 'subjectAltName=IP:127.0.0.1,DNS:localhost');
    signed('client', 'extendedKeyUsage=clientAuth');
    openssl('pkcs8', '-topk8', '-in', 'client-key.pem', '-out', 'locked.pem', '-passout', 'pass:secret');
    const names = ['ca', 'other', 'broker', 'broker-key', 'client', 'client-key', 'locked'];
    const pem = Object.fromEntries(
      names.map((name) => [name, readFileSync(join(folder, `${name}.pem`), 'utf8')]),
    );
    return { pem, base64: (name) => Buffer.from(pem[name] as string).toString('base64') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const title = hasOpenssl ? 'TLS' : 'TLS (skipped: there is no openssl to make certificates with)';
(hasOpenssl ? describe : describe.skip)(title, () => {
  let certificates: Certificates;
  before(() => {
    certificates = makeCertificates();
  });

  function broker(mutual = false): Promise<AedesBroker> {
    const { pem } = certificates;
    const client = mutual ? { ca: pem['ca'], requestCert: true, rejectUnauthorized: true } : {};
    return aedesBroker({ tls: { cert: pem['broker'], key: pem['broker-key'], ...client } });
  }

  /** Connects with these settings and publishes. Returns what the broker got, or the line that says why there is no connection. */
  async function outcome({ port, aedes }: AedesBroker, params: Record<string, unknown>): Promise<string> {
    let got: string | undefined;
    aedes.on('publish', (packet) => {
      if (packet.topic === 'up') got = packet.payload.toString();
    });
    await using run = await Run.start({ host: '127.0.0.1', port, ssl: true, ...params });
    run.app.routes([route]);
    run.app.deliver(sampleOf(1), route);
    const failure = (): string | undefined => run.lines.find((line) => line.includes('no connection'));
    await until(
      () => got !== undefined || failure() !== undefined,
      'the message arrives or the connection fails',
    );
    if (got === undefined) expect(run.links).to.not.include(LinkState.CONNECTED);
    return got ?? (failure() as string);
  }

  it('connects to a broker whose certificate its CA signed', async () => {
    await using server = await broker();
    for (const qos of [0, 1]) {
      expect(await outcome(server, { ca: certificates.base64('ca'), qos })).to.contain('"tag0":1');
    }
    expect(await outcome(server, { ca: certificates.base64('ca'), host: 'localhost' })).to.contain(
      '"tag0":1',
    );
  });

  it('refuses a broker that another CA signed, and says why', async () => {
    await using server = await broker();
    expect(await outcome(server, { ca: certificates.base64('other') })).to.match(/certificate/);
  });

  it('shows its own certificate, whose key may have a password', async () => {
    await using server = await broker(true);
    const ca = certificates.base64('ca');
    const cert = certificates.base64('client');
    expect(await outcome(server, { ca, cert, key: certificates.base64('client-key') })).to.contain(
      '"tag0":1',
    );
    expect(
      await outcome(server, { ca, cert, key: certificates.base64('locked'), keypass: 'secret' }),
    ).to.contain('"tag0":1');
    expect(await outcome(server, { ca })).to.contain('no connection');
    expect(
      await outcome(server, { ca, cert, key: certificates.base64('locked'), keypass: 'wrong' }),
    ).to.contain('no connection');
  });

  it('says so when a file is not PEM', async () => {
    await using server = await broker();
    const line = await outcome(server, { ca: Buffer.from('nonsense').toString('base64') });
    expect(line).to.contain('no connection');
  });
});
