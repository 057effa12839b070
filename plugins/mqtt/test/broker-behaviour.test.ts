import {
  aedesBroker,
  Gate,
  hasMosquitto,
  layoutOf,
  mosquittoBroker,
  Peer,
  sampleWith,
} from '@tagway/mqtt-client/test';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { DataType, LinkState } from '@tagway/sdk';
import type { Subscription } from '@tagway/sdk';
import { listenOn, type ListeningServer, randomOf, until } from '@tagway/testkit';
import type { Params } from '../src/topics.ts';
import { sampleOf, startNode, subscription } from './nodes.ts';

const route: Subscription<Params> = { ...subscription, params: { topic: 'up' } };
const mosquitto = hasMosquitto ? 'mosquitto' : 'mosquitto (skipped: it is not installed)';

/** A server that answers every connection with the next of the given bytes. */
async function babbler(answers: readonly Buffer[]): Promise<ListeningServer & { served(): number }> {
  let served = 0;
  const server = net.createServer((socket) => {
    socket.once('data', () => {
      const answer = answers[served % answers.length] as Buffer;
      served++;
      socket.end(answer);
    });
  });
  return { ...(await listenOn(server)), served: () => served };
}

/** A server of MQTT 5 that answers the publications of QoS 1, one after the other, with the codes that `next` gives. */
function judge(next: (payload: string) => number): Promise<ListeningServer> {
  const server = net.createServer((socket) => {
    let rest = Buffer.alloc(0);
    socket.on('data', (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      // Lengths of one byte or two are all that these packets have.
      for (;;) {
        const long = (rest[1] ?? 0) >= 0x80;
        const start = long ? 3 : 2;
        const length = long ? ((rest[1] ?? 0) & 0x7f) + (rest[2] ?? 0) * 128 : (rest[1] ?? 0);
        if (rest.length < start + length || rest.length < 2) return;
        const kind = rest[0] ?? 0;
        const body = rest.subarray(start, start + length);
        rest = rest.subarray(start + length);
        if (kind === 0x10) socket.write(Buffer.of(0x20, 3, 0, 0, 0));
        if (kind === 0x82) socket.write(Buffer.of(0x90, 7, ...body.subarray(0, 2), 0, 1, 1, 1, 1));
        if (kind !== 0x32) continue;
        const id = 2 + body.readUInt16BE();
        socket.write(Buffer.of(0x40, 3, ...body.subarray(id, id + 2), next(body.toString('utf8', id + 3))));
      }
    });
  });
  return listenOn(server);
}

describe('what a broker may do', () => {
  it('may refuse a message for now, which costs nothing, or for good, which costs this one', async () => {
    const quotaExceeded = 0x97;
    const notAuthorized = 0x87;
    let refusals = 0;
    const taken: string[] = [];
    await using server = await judge((payload) => {
      const value = /"tag0":(\d+)/.exec(payload)?.[1] ?? '';
      if (value === '2') return notAuthorized;
      if (value === '3' && ++refusals <= 3) return quotaExceeded;
      if (value === '4') return quotaExceeded;
      taken.push(value);
      return 0;
    });
    await using run = await startNode({ host: '127.0.0.1', port: server.port, version: 5 }, 100);
    run.app.subscriptionsChanged([route]);
    for (let value = 1; value <= 5; value++) run.deliver(sampleOf(value), route);
    await until('what may pass has passed', () => new Set(taken).size === 3);
    await until('two are given up', () => run.count('send_msg_errors_total') === 2);
    expect([...new Set(taken)].sort()).to.deep.equal(['1', '3', '5']);
    expect(refusals).to.be.greaterThan(3);
  });

  for (const version of [4, 5]) {
    it(`survives any bytes over MQTT level ${version}`, async () => {
      const random = randomOf(version);
      const connack = version === 4 ? [0x20, 2, 0, 0] : [0x20, 3, 0, 0, 0];
      const answers = Array.from({ length: 400 }, (_, index) => {
        const noise = Array.from({ length: random(60) }, () => random(256));
        // A plausible length makes the parser look inside.
        if (index % 2 === 0 && noise.length > 2) noise[1] = noise.length - 2;
        return Buffer.from(index % 4 === 3 ? noise : [...connack, ...noise]);
      });
      await using server = await babbler(answers);
      const uncaught: unknown[] = [];
      const note = (error: unknown): void => void uncaught.push(error);
      process.on('uncaughtException', note);
      process.on('unhandledRejection', note);
      try {
        await using run = await startNode({ host: '127.0.0.1', port: server.port, version }, 10_000);
        run.app.subscriptionsChanged([route]);
        for (let index = 0; index < 20; index++) run.deliver(sampleOf(index), route);
        await until('all noise is served', () => server.served() >= answers.length || uncaught.length > 0);
      } finally {
        process.off('uncaughtException', note);
        process.off('unhandledRejection', note);
      }
      expect(uncaught).to.deep.equal([]);
    });
  }

  it('takes user name and password, and says so when the broker refuses them', async () => {
    await using broker = await aedesBroker();
    broker.aedes.authenticate = (_client, username, password, done) => {
      done(null, username === 'user' && String(password) === 'secret');
    };
    const base = { host: '127.0.0.1', port: broker.port, username: 'user' };
    await using good = await startNode({ ...base, password: 'secret' });
    await until('the node is connected', () => good.link === LinkState.CONNECTED);
    await using bad = await startNode({ ...base, password: 'wrong' });
    await until('the broker refuses the node', () => bad.link === LinkState.DISCONNECTED);
    expect(bad.lines.join()).to.match(/authorized|password/i);
    expect(bad.links).to.not.include(LinkState.CONNECTED);
  });
});

(hasMosquitto ? describe : describe.skip)(`limits of a broker: ${mosquitto}`, () => {
  it('gives up a message that MQTT 5 says is too large, and sends the others', async () => {
    await using broker = await mosquittoBroker(['allow_anonymous true', 'max_packet_size 2000']);
    await using peer = await Peer.connect(broker.port, 'up');
    await using run = await startNode({ host: '127.0.0.1', port: broker.port, version: 5 });
    const tags = Array.from({ length: 1000 }, (_, index) => ({ name: `tag${index}`, type: DataType.INT16 }));
    const large = { ...route, id: 2, layout: layoutOf(tags) };
    run.app.subscriptionsChanged([route, large]);
    run.deliver(sampleWith(large.layout, new Array<number>(1000).fill(0)), large);
    run.deliver(sampleOf(1), route);
    await until('the small message arrives', () => peer.received.length === 1);
    expect(run.count('send_msg_errors_total')).to.equal(1);
    expect(run.lines.join()).to.contain('larger than the broker takes');
  });

  it('keeps to the QoS that MQTT 5 says is allowed', async () => {
    await using broker = await mosquittoBroker(['allow_anonymous true', 'max_qos 1']);
    await using peer = await Peer.connect(broker.port, 'up');
    await using run = await startNode({ host: '127.0.0.1', port: broker.port, version: 5, qos: 2 });
    run.app.subscriptionsChanged([route]);
    run.deliver(sampleOf(1), route);
    await until('the message arrives at the QoS that the broker allows', () => peer.received.length === 1);
    expect(peer.received[0]?.qos).to.equal(1);
    await sleep(50);
    expect(run.links.filter((link) => link === LinkState.CONNECTED)).to.have.length(1);
  });
});

describe(`the will: ${mosquitto}`, () => {
  (hasMosquitto ? it : it.skip)(
    'is published when the broker loses the node, and not after a farewell',
    async () => {
      await using broker = await mosquittoBroker();
      await using peer = await Peer.connect(broker.port, 'plant/state');
      await using gate = await Gate.before(broker);
      await gate.open();
      const will = { 'will-topic': 'plant/state', 'will-payload': 'gone' };
      for (const version of [4, 5]) {
        await using run = await startNode({ host: '127.0.0.1', port: gate.port, version, ...will });
        await until('the node is connected', () => run.link === LinkState.CONNECTED);
        const before = peer.received.length;
        gate.drop();
        await until('the will arrives', () => peer.received.length === before + 1);
        expect(peer.received.at(-1)).to.deep.include({ text: 'gone', qos: 1, retain: false });
        await until('the node is connected again', () => run.link === LinkState.CONNECTED);
        await run.stop();
        await sleep(100);
        expect(peer.received).to.have.length(before + 1);
      }
    },
  );
});
