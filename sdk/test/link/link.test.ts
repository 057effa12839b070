import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ErrorCode, LinkState } from '@tagway/schemas';
import type { Fault, FrameSource, Trace } from '@tagway/sdk';
import {
  disconnected,
  hexTrace,
  listenTcp,
  Link,
  tcpClient,
  tcpServer,
  type Handshake,
} from '@tagway/sdk/link';
import { Client, clientOf, rejection } from './client.ts';
import { contextFor, Device, frame, freePort } from './device.ts';
import { until } from '../until.ts';

const states = ({ record }: Client<never> | Client): LinkState[] => record.links.map(({ state }) => state);

describe('a link over TCP', () => {
  it('carries requests and counts what it carries', async () => {
    await using device = await new Device().listen();
    await using client = await clientOf(device.port);
    expect(client.link.up).to.equal(true);
    expect(await client.ask('hello')).to.equal('HELLO');
    expect(states(client)).to.deep.equal([LinkState.CONNECTING, LinkState.CONNECTED]);
    const { counts, rtts } = client.record;
    expect([counts.get('send_bytes'), counts.get('send_msgs')]).to.deep.equal([7, 1]);
    expect([counts.get('recv_bytes'), counts.get('recv_msgs')]).to.deep.equal([7, 1]);
    expect(rtts).to.have.length(1);
  });

  it('reports a refused connection once, with its step, and is there when the device is', async () => {
    const port = await freePort();
    await using client = await clientOf(port);
    expect(client.record.links.at(-1)).to.deep.include({ state: LinkState.DISCONNECTED });
    expect(client.record.links.at(-1)?.report.step).to.equal('connect');
    expect(client.record.links.at(-1)?.report.reason).to.match(
      new RegExp(`127.0.0.1:${port} refuses connections`),
    );
    expect(await rejection(client.ask('x'))).to.equal(disconnected);
    await sleep(400);
    expect(client.record.logs.filter((line) => line.startsWith('warn'))).to.have.length(1);
    await using device = await new Device().listen(port);
    await until('it is up', () => client.link.up);
    expect(await client.ask('x')).to.equal('X');
    expect(device.connections).to.equal(1);
  });

  it('reports an unknown name with its step', async () => {
    const client = new Client(tcpClient({ host: 'no-such-host.invalid', port: 1 }));
    await client.link.open();
    await until('the resolution failed', () => client.record.links.length > 1);
    expect(client.record.links.at(-1)?.report.step).to.equal('resolve');
    await client.link.close();
  });

  it('goes to the backup and back', async () => {
    const port = await freePort();
    await using backup = await new Device().listen();
    await using client = new Client(
      tcpClient([
        { host: '127.0.0.1', port },
        { host: '127.0.0.1', port: backup.port },
      ]),
    );
    await client.link.open();
    await until('the backup is reached', () => client.link.up);
    expect(await client.ask('a')).to.equal('A');
    await using device = await new Device().listen(port);
    await backup[Symbol.asyncDispose]();
    await until('the first is reached', () => device.connections > 0);
  });

  it('waits longer and longer for a device that only hangs up', async () => {
    await using device = await new Device().listen();
    const moments: number[] = [];
    device.greet = (socket) => {
      moments.push(performance.now());
      socket.destroy();
    };
    await using client = await clientOf(device.port);
    await until('it has tried five times', () => moments.length >= 5);
    expect(client.link.generation).to.be.at.least(1);
    const pauses = moments.slice(1).map((moment, index) => moment - moments[index]!);
    for (const [index, least] of [75, 150, 300, 600].entries())
      expect(pauses[index]).to.be.at.least(least - 5);
  });

  it('dials at once when a connection that served is lost', async () => {
    await using device = await new Device().listen();
    await using client = await clientOf(device.port);
    await client.ask('a');
    device.cut();
    await until('it is back', () => device.connections === 2 && client.link.up);
    expect(client.record.pauses).to.deep.equal([0]);
  });

  it('keeps a short loss to itself within the grace time', async () => {
    await using device = await new Device().listen();
    await using client = await clientOf(device.port, {}, { grace: 2000 });
    await client.ask('a');
    device.cut();
    await until('it is back', () => device.connections === 2 && client.link.up);
    expect(await client.ask('b')).to.equal('B');
    expect(states(client)).to.deep.equal([LinkState.CONNECTING, LinkState.CONNECTED]);
    await device[Symbol.asyncDispose]();
    await until('the loss is reported', () => states(client).at(-1) === LinkState.DISCONNECTED);
  });

  it('fails what is in flight when the connection goes, and nothing of the old one reaches the new one', async () => {
    await using device = await new Device().listen();
    await using client = await clientOf(device.port);
    const late: (() => void)[] = [];
    device.script = ({ id, text, send }) => late.push(() => send(frame(id, `late ${text}`)));
    const asking = rejection(client.ask('one', { timeout: 20_000 }));
    await until('it was asked', () => late.length === 1);
    device.cut();
    expect(((await asking) as Fault).code).to.equal(ErrorCode.DISCONNECTED);
    await until('it is back', () => client.link.up);
    expect(client.link.generation).to.equal(2);
    expect(client.record.links.at(-1)?.report.step ?? 'none').to.equal('first answer');
  });

  it('is connected again only when something is answered after a connection without any answer', async () => {
    await using device = await new Device().listen();
    const { script } = device;
    device.script = () => device.cut();
    await using client = await clientOf(device.port);
    await rejection(client.ask('one'));
    await until('it is back', () => client.link.up && device.connections === 2);
    expect(states(client).at(-1)).to.equal(LinkState.DISCONNECTED);
    device.script = script;
    expect(await client.ask('two')).to.equal('TWO');
    expect(states(client).at(-1)).to.equal(LinkState.CONNECTED);
  });

  it('drops a connection that carries garbage, or skips it, as the protocol chooses', async () => {
    await using device = await new Device().listen();
    device.script = ({ id, text, send }) =>
      send(Buffer.concat([Buffer.from([0, 1, 0]), frame(id, text.toUpperCase())]));
    await using dropping = await clientOf(device.port);
    expect(((await rejection(dropping.ask('one'))) as Fault).code).to.equal(ErrorCode.DECODE_FAILED);
    expect(dropping.record.counts.get('malformed_frames')).to.equal(1);
    await using skipping = await clientOf(device.port, {}, {}, { garbage: 'skip' });
    expect(await skipping.ask('one')).to.equal('ONE');
    expect(skipping.record.counts.get('skipped_bytes')).to.equal(3);
    expect(skipping.link.generation).to.equal(1);
  });

  it('shows frames to a trace', async () => {
    await using device = await new Device().listen();
    const { context, record } = contextFor();
    await using client = await clientOf(device.port, {}, { trace: hexTrace(context.log) });
    await client.ask('ab');
    expect(record.logs).to.deep.equal(['debug Sent 4 bytes: 04016162', 'debug Received 4 bytes: 04014142']);
  });
});

describe('a link whose node may be traced', () => {
  it('passes on every frame from the handshake on, also of several that are sent at once, and stops when it is to', async () => {
    await using device = await new Device().listen();
    device.script = ({ id, text, send }) => send(frame(id, text === 'hi' ? '7' : text.toUpperCase()));
    const sources: FrameSource[] = [];
    const frames: string[] = [];
    const trace: Trace = (direction, data, at, end) =>
      frames.push(`${direction} ${data.toString('latin1', at + 2, end)}`);
    const traceable = (source: FrameSource): Disposable => {
      sources.push(source);
      source.trace(trace);
      return { [Symbol.dispose]: () => void sources.splice(sources.indexOf(source), 1) };
    };
    const handshake = async (channel: Handshake): Promise<number> => {
      channel.send(frame(1, 'hi'));
      return Number((await channel.next()).toString('latin1', 2));
    };
    {
      const transport = tcpClient({ host: '127.0.0.1', port: device.port });
      const format = { frames: { port: 99 } };
      await using client = new Client<number>(transport, {}, format, { handshake }, { traceable });
      await client.link.open();
      expect(frames.splice(0)).to.deep.equal(['sent hi', 'received 7']);
      const [source] = sources;
      expect(source).to.deep.include({ format: { port: 99 }, datagrams: false, isPiecemeal: false });
      expect([source?.peer(), source?.generation()]).to.deep.equal([`127.0.0.1:${device.port}`, 1]);
      client.link.send(Buffer.concat([frame(200, 'x'), frame(201, 'yz')]));
      expect(frames.splice(0)).to.deep.equal(['sent x', 'sent yz']);
      source?.trace(undefined);
      await client.ask('ab');
      expect(frames).to.deep.equal([]);
    }
    expect(sources, 'what can be traced of a link that is closed').to.deep.equal([]);
  });
});

describe('a handshake', () => {
  it('makes the session, and frames that came behind it follow', async () => {
    await using device = await new Device().listen();
    device.script = ({ id, text, send }) =>
      text === 'hi' ? send(Buffer.concat([frame(id, '7'), frame(255, 'news')])) : send(frame(id, text));
    await using client = await clientOf<number>(
      device.port,
      {},
      {},
      {
        handshake: async (channel) => {
          channel.send(frame(1, 'hi'));
          return Number((await channel.next()).toString('latin1', 2));
        },
      },
    );
    expect(client.link.session).to.equal(7);
    expect(client.unasked).to.deep.equal(['news']);
    expect(client.sessions).to.deep.equal([7]);
  });

  for (const [what, hangsUp, reason] of [
    ['hangs up', true, /closed.*; it has no route for us\.$/],
    ['stays silent', false, /did not answer in the handshake; it has no route for us\.$/],
  ] as const) {
    it(`with a device that ${what} is reported with the usual cause`, async () => {
      await using device = await new Device().listen();
      device.script = () => {
        if (hangsUp) device.cut();
      };
      await using client = await clientOf(
        device.port,
        {},
        { timeout: 200 },
        {
          handshakeHint: 'it has no route for us',
          handshake: async (channel) => {
            channel.send(frame(1, 'hi'));
            await channel.next();
          },
        },
      );
      await until('it is reported', () => client.record.links.length > 1);
      expect(client.record.links[1]?.report.reason).to.match(reason);
      expect(client.record.links[1]?.report.step).to.equal('handshake');
    });
  }

  it('that gets no answer or refuses is reported with its step', async () => {
    await using device = await new Device().listen();
    device.script = () => undefined;
    await using silent = await clientOf(
      device.port,
      {},
      { timeout: 50 },
      {
        handshake: async (channel) => {
          channel.send(frame(1, 'hi'));
          await channel.next();
        },
      },
    );
    await until('it is reported', () => silent.record.links.length > 1);
    expect(silent.record.links[1]?.report.step).to.equal('handshake');
    expect(silent.record.links[1]?.report.reason).to.match(/did not answer in the handshake/);
    await using refusing = await clientOf(
      device.port,
      {},
      {},
      {
        handshake: () => Promise.reject(new Error('the PLC refuses rack 0, slot 9')),
      },
    );
    await until('it is reported', () => refusing.record.links.length > 1);
    expect(refusing.record.links[1]?.report.reason).to.equal(
      'The link to the device is down: the PLC refuses rack 0, slot 9.',
    );
    expect(refusing.link.up).to.equal(false);
  });

  it('ends when the connection goes', async () => {
    await using device = await new Device().listen();
    let ended: unknown;
    await using client = await clientOf(
      device.port,
      {},
      { timeout: 20_000 },
      {
        handshake: async (channel) => {
          try {
            await channel.next();
          } catch (error) {
            ended = error;
            throw error;
          }
        },
      },
    );
    await until('it is connected', () => device.sockets.size === 1);
    device.cut();
    await until('it ended', () => ended === disconnected);
    expect(client.link.up).to.equal(false);
  });
});

describe('a farewell', () => {
  it('goes out before the connection is closed', async () => {
    await using device = await new Device().listen();
    const client = await clientOf(
      device.port,
      {},
      {},
      {
        farewell: async () => {
          await client.ask('bye');
        },
      },
    );
    await client.link.close();
    expect(device.asked).to.deep.equal(['bye']);
    expect(states(client).at(-1)).to.equal(LinkState.DISCONNECTED);
  });

  it('takes a second at most', async () => {
    await using device = await new Device().listen();
    const client = await clientOf(device.port, {}, {}, { farewell: () => new Promise(() => undefined) });
    const begin = performance.now();
    await client.link.close();
    expect(performance.now() - begin).to.be.within(900, 3000);
  });
});

describe('a link to a device that dials in', () => {
  it('serves the newest connection', async () => {
    const port = await freePort();
    await using client = new Client(tcpServer({ host: '127.0.0.1', port }));
    await client.link.open();
    expect(client.record.links.at(-1)?.report.reason).to.match(/no device has connected/);
    const peers = [
      new Client(tcpClient({ host: '127.0.0.1', port })),
      new Client(tcpClient({ host: '127.0.0.1', port })),
    ];
    for (const [index, peer] of peers.entries()) {
      await peer.link.open();
      await until('it is up', () => client.link.generation === index + 1 && client.link.up);
    }
    expect(states(client).at(-1)).to.equal(LinkState.CONNECTED);
    await Promise.all(peers.map((peer) => peer.link.close()));
    await until('the loss is reported', () => states(client).at(-1) === LinkState.DISCONNECTED);
  });

  it('is one of several when they are reported apart', async () => {
    const links: Link<string>[] = [];
    const { context, record } = contextFor();
    await using listener = await listenTcp({ host: '127.0.0.1', port: 0 }, (transport) => {
      const link: Link<string> = new Link<string>(
        context,
        transport,
        {
          length: (bytes, at) => bytes[at]!,
          handshake: async (channel) => (await channel.next()).toString('latin1', 2),
          frame: () => undefined,
        },
        { part: `peer ${links.length}` },
      );
      links.push(link);
      void link.open();
    });
    const peers = ['a', 'b'].map(
      (name) =>
        new Client<void>(
          tcpClient({ host: '127.0.0.1', port: listener.port }),
          {},
          {},
          {
            handshake: (channel) => {
              channel.send(frame(1, name));
              return Promise.resolve();
            },
          },
        ),
    );
    for (const peer of peers) await peer.link.open();
    await until(
      'both are known',
      () =>
        links
          .map(({ session }) => session)
          .sort()
          .join() === 'a,b',
    );
    await peers[0]?.link.close();
    await until('one is gone', () => links.filter(({ up }) => up).length === 1);
    expect(new Set(record.links.map(({ report }) => report.part))).to.deep.equal(
      new Set(['peer 0', 'peer 1']),
    );
    await peers[1]?.link.close();
    await Promise.all(links.map((link) => link.close()));
  });

  it('cannot be opened on a port that is taken, and says which', async () => {
    await using device = await new Device().listen();
    const client = new Client(tcpServer({ host: '127.0.0.1', port: device.port }));
    const fault = (await rejection(client.link.open())) as Fault;
    expect(fault.code).to.equal(ErrorCode.DISCONNECTED);
    expect(fault.message).to.include(`127.0.0.1:${device.port}`);
    await client.link.close();
  });
});
