import { once } from 'node:events';
import net from 'node:net';
import { aedesBroker, hasMosquitto, layoutOf, mosquittoBroker, sampleWith } from '@tagway/broker/test';
import { expect } from 'chai';
import { DataType, LinkState } from '@tagway/sdk';
import { listening, until } from '@tagway/testkit';
import { Host } from './host.ts';
import { plain } from './oracle.ts';
import { decode } from './oracle.ts';
import { feed, launchRun, startRun } from './run.ts';

/** The first packet that a node sends, of which `flags` are the CONNECT flags, and the bytes after them. */
async function connectOf(version: 4 | 5): Promise<{ flags: number; rest: Buffer }> {
  const server = net.createServer();
  await using broker = await listening(server);
  const connected = once(server, 'connection') as Promise<[net.Socket]>;
  await using run = await launchRun(broker.port, { version });
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
    });
  }

  it('subscribes to commands with quality of service 1 before the birth', async () => {
    await using broker = await aedesBroker();
    const steps: string[] = [];
    broker.aedes.on('subscribe', (topics) =>
      steps.push(...topics.map(({ topic, qos }) => `${topic} ${qos}`)),
    );
    broker.aedes.on('publish', ({ topic }, client) => {
      if (client !== null) steps.push(topic);
    });
    await using run = await startRun(broker.port, { 'primary-host-id': '' });
    await until('the node is born', () => steps.length >= 3);
    expect(steps.slice(0, 3)).to.deep.equal([
      'spBv1.0/plant/NCMD/edge 1',
      'spBv1.0/plant/DCMD/edge/+ 1',
      'spBv1.0/plant/NBIRTH/edge',
    ]);
    expect(run.link).to.equal(LinkState.CONNECTED);
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
      const relay = await listening(
        net.createServer((near) => {
          const far = net.connect(broker.port, '127.0.0.1');
          near.pipe(far).on('error', () => undefined);
          far.pipe(near);
          near.on('close', () => far.destroy());
        }),
      );
      await using run = await startRun(relay.port);
      feed(run, sampleWith(layout, [1]));
      await host.wait('DBIRTH');
      await relay[Symbol.asyncDispose]();
      const death = await host.wait('NDEATH');
      expect(plain(death.payload.metrics[0] ?? {})).to.equal(0n);
      expect(death.qos).to.equal(1);
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
    await using run = await startRun(broker.port);
    await run.stop();
    await until('the connection is closed', () => packets.includes('gone'));
    expect(packets).to.deep.equal(['0', 'gone']);
  });
});
