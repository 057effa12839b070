import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { expect } from 'chai';
import type { Fault } from '@tagway/sdk';
import {
  AddressList,
  type Connected,
  type Failure,
  type Listener,
  type ListenOptions,
  listenTcp,
  type Transport,
} from '@tagway/sdk/link';
import { rejection } from './client.ts';
import { contextFor } from './device.ts';
import { hasOpenssl, identity } from './identity.ts';
import { until } from '../until.ts';

/** A listener that keeps what happens at each of its connections. */
class Host implements AsyncDisposable {
  readonly peers: { transport: Transport; who: Connected; bytes: number; failure?: Failure }[] = [];
  readonly refusals: string[] = [];
  listener: Listener | undefined;

  static async listen(options: ListenOptions = {}): Promise<Host> {
    const host = new Host();
    const { context } = contextFor();
    host.listener = await listenTcp(
      { host: '127.0.0.1', port: 0 },
      (transport, _peer, who) => {
        const peer: Host['peers'][number] = { transport, who, bytes: 0 };
        host.peers.push(peer);
        void transport.open(
          {
            opened: () => undefined,
            received: (_data, end) => void (peer.bytes += end),
            closed: (failure) => void (peer.failure = failure),
          },
          context.clock,
        );
      },
      { refused: (reason) => void host.refusals.push(reason), ...options },
    );
    return host;
  }

  get port(): number {
    return this.listener?.port ?? 0;
  }

  async connect(localAddress = '127.0.0.1'): Promise<Socket> {
    const socket = connect({ host: '127.0.0.1', port: this.port, localAddress });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.listener?.[Symbol.asyncDispose]();
  }
}

const closed = (socket: Socket): Promise<void> => until('it is closed', () => socket.closed);

describe('a listener', () => {
  it('says who has connected', async () => {
    await using host = await Host.listen();
    const socket = await host.connect('127.0.0.3');
    await until('it is there', () => host.peers.length === 1);
    expect(host.peers[0]?.who).to.deep.equal({ address: '127.0.0.3', port: socket.localPort });
    socket.destroy();
    await until('the end is reported', () => host.peers[0]?.failure?.kind === 'closed');
  });

  it('takes connections of allowed addresses alone, and says whom it refused', async () => {
    await using host = await Host.listen({ allowed: new AddressList('127.0.0.2, 127.0.1.0/24') });
    await closed(await host.connect('127.0.0.1'));
    const let1 = await host.connect('127.0.0.2');
    const let2 = await host.connect('127.0.1.77');
    await until('they are there', () => host.peers.length === 2);
    expect(host.refusals.join()).to.match(
      /^The connection of 127\.0\.0\.1:\d+ was refused: its address is not among those that are allowed\.$/,
    );
    let1.destroy();
    let2.destroy();
  });

  it('takes as many connections as it may, and one more when one has gone', async () => {
    await using host = await Host.listen({ mostConnections: 2 });
    const first = await host.connect();
    const second = await host.connect();
    await until('they are there', () => host.peers.length === 2);
    await closed(await host.connect());
    expect(host.refusals.join()).to.match(/was refused: there are 2 connections, and no more are taken\.$/);
    first.destroy();
    await until('its end is known', () => host.peers[0]?.failure !== undefined);
    const third = await host.connect();
    await until('it is there', () => host.peers.length === 3);
    second.destroy();
    third.destroy();
  });

  it('lists its clients and counts them, and those whom it refused with their addresses', async () => {
    const gauges: number[] = [];
    const counted = new Map<string, number>();
    const refused: string[] = [];
    await using host = await Host.listen({
      allowed: new AddressList('127.0.0.2'),
      refused: (_reason, address) => {
        refused.push(address);
      },
      meters: {
        gauge: (name, value) => {
          if (name === 'connections') gauges.push(value);
        },
        count: (name, add) => {
          counted.set(name, (counted.get(name) ?? 0) + add);
        },
      },
    });
    const before = Date.now();
    const first = await host.connect('127.0.0.2');
    const second = await host.connect('127.0.0.2');
    await closed(await host.connect('127.0.0.9'));
    await until('they are there', () => host.peers.length === 2);
    const clients = host.listener!.clients();
    const places = [first, second].map(({ localPort }) => `127.0.0.2:${localPort}`);
    expect(clients.map(({ name, address }) => `${name} ${address}`)).to.deep.equal(
      places.map((place) => `${place} ${place}`),
    );
    expect(clients[0]?.since).to.be.within(before, Date.now());
    first.destroy();
    await until('its end is counted', () => gauges.join() === '1,2,1');
    expect(host.listener!.clients().map(({ name }) => name)).to.deep.equal(places.slice(1));
    second.destroy();
    expect(refused).to.deep.equal(['127.0.0.9']);
    expect(Object.fromEntries(counted)).to.deep.equal({ refused_connections_total: 1 });
  });

  it('closes a connection on which nothing comes', async () => {
    await using host = await Host.listen({ idle: 100 });
    const socket = await host.connect();
    socket.resume();
    await closed(socket);
    expect(host.peers[0]?.failure?.reason).to.match(/^127\.0\.0\.1:\d+ has sent nothing for 0\.1 s$/);
  });

  it('takes nothing more from a client that does not read, and closes it when it goes on so', async () => {
    const mostUnread = 100_000;
    await using host = await Host.listen({ mostUnread, patience: 400 });
    const socket = await host.connect();
    socket.pause();
    await until('it is there', () => host.peers.length === 1);
    const peer = host.peers[0]!;
    // More than the buffers of both kernels take.
    for (let at = 0; at < 100; at++) peer.transport.send(Buffer.alloc(200_000));
    const { bytes } = peer;
    socket.write(Buffer.alloc(1000));
    await until('it is closed', () => peer.failure !== undefined);
    expect(peer.bytes, 'bytes that were taken from it').to.equal(bytes);
    expect(peer.failure?.reason).to.match(/^127\.0\.0\.1:\d+ has not read what it was sent for 0\.4 s$/);
    socket.destroy();
  });

  it('goes on with a client that reads again', async () => {
    await using host = await Host.listen({ mostUnread: 100_000, patience: 10_000 });
    const socket = await host.connect();
    socket.pause();
    await until('it is there', () => host.peers.length === 1);
    const peer = host.peers[0]!;
    for (let at = 0; at < 100; at++) peer.transport.send(Buffer.alloc(200_000));
    socket.write(Buffer.alloc(1000));
    socket.resume();
    await until('what it asked for is taken', () => peer.bytes === 1000);
    expect(peer.failure).to.equal(undefined);
    socket.destroy();
  });

  it('says why it cannot listen', async () => {
    await using host = await Host.listen();
    const fault = (await rejection(
      listenTcp({ host: '127.0.0.1', port: host.port }, () => undefined),
    )) as Fault;
    expect(fault.message).to.match(
      /^The node cannot listen on 127\.0\.0\.1:\d+: another program or node has it/,
    );
  });

  it('refuses a text that is no list of addresses', () => {
    for (const text of ['plc', '10.0.0.1/33', '10.0.0.0/8/8', '10.0.0.1 10.0.0.2'])
      expect(() => new AddressList(text), text).to.throw(`"${text}" is neither an address nor a network`);
    expect(new AddressList('::1, 10.0.0.0/8').has('::1')).to.equal(true);
    expect(new AddressList('10.0.0.0/8').has('::ffff:10.1.2.3'), 'IPv4 at a socket of IPv6').to.equal(true);
  });

  const secured = 'asks for certificates, says whose it was shown, and refuses those of another authority';
  it(hasOpenssl ? secured : `${secured} (skipped: openssl is not installed)`, async function () {
    if (!hasOpenssl) this.skip();
    const [own, client, stranger] = ['server', 'scada', 'scada'].map((name) => identity(name));
    await using host = await Host.listen({
      tls: { cert: own!.cert, key: own!.key, clientCa: client!.cert },
      mostConnections: 1,
    });
    const place = { host: '127.0.0.1', port: host.port, ca: own!.cert };
    const plain = await host.connect();
    plain.write('no handshake');
    await closed(plain);
    for (const shown of [{}, stranger]) {
      const refused = connectSecurely({ ...place, ...shown });
      refused.on('error', () => undefined);
      refused.resume();
      await closed(refused);
    }
    expect(host.peers).to.have.length(0);
    expect(host.refusals.length).to.be.greaterThan(2);
    const socket = connectSecurely({ ...place, ...client });
    await once(socket, 'secureConnect');
    socket.write('hello');
    await until('it has come', () => host.peers[0]?.bytes === 5);
    expect(host.peers[0]?.who.name).to.equal('scada');
    socket.destroy();
  });
});
