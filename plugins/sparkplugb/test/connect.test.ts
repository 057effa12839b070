import { once } from 'node:events';
import net from 'node:net';
import { aedesBroker, hasMosquitto, layoutOf, mosquittoBroker, sampleWith } from '@tagway/mqtt-client/test';
import { expect } from 'chai';
import { DataType, LinkState } from '@tagway/sdk';
import { listenOn, until } from '@tagway/testkit';
import { shows } from './assertions.ts';
import { Host } from './host.ts';
import { decode, plain } from './oracle.ts';
import { feed, launchNode, startNode } from './nodes.ts';

/** The first packet that a node sends, of which `flags` are the CONNECT flags, and the bytes after them. */
async function connectOf(version: 4 | 5): Promise<{ flags: number; rest: Buffer }> {
  const server = net.createServer();
  await using broker = await listenOn(server);
  const connected = once(server, 'connection') as Promise<[net.Socket]>;
  await using run = await launchNode(broker.port, { version });
  const [socket] = await connected;
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  await run.stop();
  // Fixed header of two bytes, the protocol's name in six, its level in one.
  expect(bytes.subarray(4, 8).toString()).to.equal('MQTT');
  expect(bytes[8]).to.equal(version);
  return { flags: bytes[9] as number, rest: bytes.subarray(10) };
}

const layout = layoutOf([{ name: 'level', type: DataType.INT16 }]);

describe('the connection', () => {
  for (const version of [4, 5] as const) {
    it(`of MQTT level ${version} has a clean session and a will of quality of service 1, not retained`, async () => {
      const { flags, rest } = await connectOf(version);
      expect(flags & 0x02, 'clean session').to.equal(0x02);
      expect(flags & 0x04, 'will').to.equal(0x04);
      expect((flags & 0x18) >> 3, 'quality of service of the will').to.equal(1);
      expect(flags & 0x20, 'retained will').to.equal(0);
      // Session expiry interval is property 17: absent, it is 0.
      if (version === 5)
        expect(rest[2] === 0 || !rest.subarray(3, 3 + (rest[2] as number)).includes(17)).to.equal(true);
      expect(rest.includes('spBv1.0/plant/NDEATH/edge')).to.equal(true);
      shows('clean session and will');
    });
  }

  it('uses up a number of a session with every CONNECT, and none with an attempt that sends none', async () => {
    const sequences = new Map<string, number>();
    let attempts = 0;
    const hangUp = net.createServer((socket) => {
      attempts++;
      socket.destroy();
    });
    await using noTls = await listenOn(hangUp);
    await using secured = await launchNode(noTls.port, { ssl: true }, { sequences });
    await until('it has tried it twice', () => attempts > 1);
    await secured.stop();
    expect(sequences).to.deep.equal(new Map());

    const connects: Buffer[] = [];
    const refusing = net.createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (bytes: Buffer) => {
        connects.push(bytes);
        socket.destroy();
      });
    });
    await using broker = await listenOn(refusing);
    await using _ = await launchNode(broker.port, {}, { sequences });
    await until('it has sent two of them', () => connects.length > 1);
    const number = (bytes: Buffer | undefined): number | undefined => {
      // After the name of the metric: its timestamp, its type and a long value of one byte.
      const at = bytes?.indexOf(Buffer.from([0x20, 4, 0x58])) ?? -1;
      return at < 0 ? undefined : bytes?.[at + 3];
    };
    expect(connects.slice(0, 2).map(number)).to.deep.equal([0, 1]);
  }).timeout(30_000);

  it('subscribes to commands with quality of service 1 before the birth', async () => {
    await using broker = await aedesBroker();
    const steps: string[] = [];
    broker.aedes.on('subscribe', (topics) =>
      steps.push(...topics.map(({ topic, qos }) => `${topic} ${qos}`)),
    );
    broker.aedes.on('publish', ({ topic }, client) => {
      if (client !== null) steps.push(topic);
    });
    await using run = await startNode(broker.port, { 'primary-host-id': '' });
    await until('the node is born', () => steps.length >= 3);
    expect(steps.slice(0, 3)).to.deep.equal([
      'spBv1.0/plant/NCMD/edge 1',
      'spBv1.0/plant/DCMD/edge/+ 1',
      'spBv1.0/plant/NBIRTH/edge',
    ]);
    expect(run.link).to.equal(LinkState.CONNECTED);
    shows('command subscriptions');
  });

  for (const [name, present, open] of [
    ['aedes', true, () => aedesBroker()],
    [
      hasMosquitto ? 'mosquitto' : 'mosquitto (skipped: it is not installed)',
      hasMosquitto,
      () => mosquittoBroker(),
    ],
  ] as const) {
    (present ? it : it.skip)(`that breaks has ${name} publish the death`, async () => {
      await using broker = await open();
      await using host = await Host.connect(broker.port);
      const relay = await listenOn(
        net.createServer((near) => {
          const far = net.connect(broker.port, '127.0.0.1');
          near.pipe(far).on('error', () => undefined);
          far.pipe(near);
          near.on('close', () => far.destroy());
        }),
      );
      await using run = await startNode(relay.port);
      feed(run, sampleWith(layout, [1]));
      await host.wait('DBIRTH');
      await relay[Symbol.asyncDispose]();
      const death = await host.wait('NDEATH');
      expect(plain(death.payload.metrics[0] ?? {})).to.equal(0n);
      expect(death.qos).to.equal(1);
      shows('broken connection');
    });
  }

  it('that ends politely is preceded by the death, and a broken one costs no number twice', async () => {
    await using broker = await aedesBroker();
    const packets: string[] = [];
    broker.aedes.on('publish', ({ topic, payload }, client) => {
      if (client !== null && topic.includes('NDEATH'))
        packets.push(String(plain(decode(payload as Buffer).metrics[0] ?? {})));
    });
    broker.aedes.on('clientDisconnect', () => packets.push('gone'));
    await using run = await startNode(broker.port);
    await run.stop();
    await until('the connection is closed', () => packets.includes('gone'));
    expect(packets).to.deep.equal(['0', 'gone']);
    shows('polite end');
  });
});
