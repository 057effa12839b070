import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { tcpClient, type TlsOptions } from '@tagway/sdk/link';
import { Client } from './client.ts';
import { Device } from './device.ts';
import { hasOpenssl, identity, type Identity } from './identity.ts';
import { until } from '../until.ts';

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
