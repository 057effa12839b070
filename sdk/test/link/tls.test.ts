import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { tcpClient, type TlsOptions } from '@tagway/sdk/link';
import { Client } from './client.ts';
import { Device } from './device.ts';
import { until } from '../until.ts';

const hasOpenssl = spawnSync('openssl', ['version']).error === undefined;

interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** A certificate for 127.0.0.1 that vouches for itself. */
function identity(): Identity {
  const folder = mkdtempSync(join(tmpdir(), 'tagway-link-'));
  try {
    const [cert, key] = ['cert.pem', 'key.pem'].map((name) => join(folder, name)) as [string, string];
    const args = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '1',
    ];
    const subject = [
      '-subj',
      '/CN=device',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
      '-out',
      cert,
      '-keyout',
      key,
    ];
    const { status, stderr } = spawnSync('openssl', [...args, ...subject], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A device that answers over TLS with what it was sent. */
async function secured(device: Identity): Promise<{ port: number } & AsyncDisposable> {
  const sockets = new Set<TLSSocket>();
  const server = createServer({ ...device }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function withOpenssl(title: string, work: () => Promise<void>): void {
  if (hasOpenssl) it(title, work);
  else it.skip(`${title} (skipped: openssl is not installed)`);
}

const clientOver = (port: number, tls: TlsOptions, timeout = 3000): Client =>
  new Client(tcpClient({ host: '127.0.0.1', port }, { tls, timeout }));

describe('a link over TLS', () => {
  withOpenssl('carries requests to a device that it trusts', async () => {
    const device = identity();
    await using server = await secured(device);
    await using client = clientOver(server.port, { ca: device.cert });
    await client.link.open();
    await until('it is up', () => client.link.up);
    expect(await client.ask('hello')).to.equal('hello');
  });

  withOpenssl('tells a device that it does not trust by the step', async () => {
    const device = identity();
    const other = identity();
    await using server = await secured(device);
    await using client = clientOver(server.port, { ca: other.cert });
    await client.link.open();
    await until('it is told', () => client.record.links.length > 1);
    expect(client.link.up).to.equal(false);
    expect(client.record.links[1]?.report.step).to.equal('handshake');
  });

  it('tells a device that speaks no TLS by the step', async () => {
    await using device = await new Device().listen();
    await using client = clientOver(device.port, {}, 300);
    await client.link.open();
    await until('it is told', () => client.record.links.length > 1);
    expect(client.record.links[1]?.report.step).to.equal('handshake');
  });
});
