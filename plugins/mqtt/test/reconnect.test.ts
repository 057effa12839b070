import {
  aedesBroker,
  Gate,
  hasMosquitto,
  mosquittoBroker,
  Peer,
  type AedesBroker,
} from '@tagway/mqtt-client/test';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { LinkState } from '@tagway/sdk';
import type { Subscription } from '@tagway/sdk';
import { freePort, listenOn, until } from '@tagway/testkit';
import type { Params } from '../src/topics.ts';
import { type MqttTestNode, sampleOf, startNode, subscription } from './nodes.ts';

const route: Subscription<Params> = { ...subscription, params: { topic: 'up' } };
const mosquitto = hasMosquitto ? 'mosquitto' : 'mosquitto (skipped: it is not installed)';

async function started(params: Record<string, unknown>, speed?: number): Promise<MqttTestNode> {
  const run = await startNode({ host: '127.0.0.1', ...params }, speed);
  run.app.subscriptionsChanged([route]);
  return run;
}

async function connected(run: MqttTestNode): Promise<void> {
  await until('the node is connected', () => run.link === LinkState.CONNECTED);
}

function tag0(peer: Peer): number[] {
  return peer.texts('up').map((text) => (JSON.parse(text) as { values: { tag0: number } }).values.tag0);
}

function upTo(count: number, from = 0): number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

/** Withholds the broker's confirmation of every message until `release`. */
function withhold({ aedes }: AedesBroker): { readonly held: string[]; release(): void } {
  const held: string[] = [];
  const waiting: (() => void)[] = [];
  let open = false;
  aedes.authorizePublish = (_client, packet, done) => {
    if (open) {
      done(null);
      return;
    }
    held.push(packet.payload.toString());
    waiting.push(() => {
      done(null);
    });
  };
  return {
    held,
    release: () => {
      open = true;
      for (const done of waiting) done();
    },
  };
}

describe('without a broker', () => {
  it('starts, says that it connects, and delivers what waited once there is one', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, 'up');
    await using gate = await Gate.before(broker);
    await using run = await started({ port: gate.port });
    for (const value of upTo(50)) run.deliver(sampleOf(value), route);
    await until('the first attempt has failed', () => run.links.includes(LinkState.DISCONNECTED));
    expect(run.links[0]).to.equal(LinkState.CONNECTING);
    expect(run.links).to.not.include(LinkState.CONNECTED);
    expect(run.gauges.get('cached_msgs')).to.equal(50);
    await gate.open();
    await until('what waited arrives', () => peer.received.length === 50);
    expect(tag0(peer)).to.deep.equal(upTo(50));
    expect(run.lines.filter((line) => line.includes('ECONNREFUSED'))).to.have.length(1);
    await until('nothing is cached', () => run.gauges.get('cached_msgs') === 0);
  });

  it('keeps the newest messages within its bound, counts the others and says so once', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, 'up');
    await using gate = await Gate.before(broker);
    const cache = { 'cache-mem-size': 1, 'cache-disk-size': 1, 'cache-sync-interval': 10 };
    await using run = await started({ port: gate.port, ...cache });
    for (const value of upTo(10_000)) run.deliver(sampleOf(value), route);
    const dropped = run.count('send_msg_errors_total');
    const kept = run.gauges.get('cached_msgs') as number;
    expect(kept + dropped).to.equal(10_000);
    expect(kept * 100).to.be.lessThan(1_000_000);
    expect(kept * 400).to.be.greaterThan(1_000_000);
    expect(run.lines.filter((line) => line.includes('dropped'))).to.have.length(1);
    await gate.open();
    await until('the oldest that was kept arrives', () => peer.received.length > 3);
    expect(tag0(peer).slice(0, 3)).to.deep.equal(upTo(3, dropped));
  });

  it('sends the cache at its pace and lets live samples pass', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, 'up');
    await using gate = await Gate.before(broker);
    const cache = { 'cache-mem-size': 1, 'cache-disk-size': 1, 'cache-sync-interval': 500 };
    await using run = await started({ port: gate.port, ...cache });
    for (const value of upTo(3)) run.deliver(sampleOf(value), route);
    await until('the first attempt has failed', () => run.links.includes(LinkState.DISCONNECTED));
    await gate.open();
    await connected(run);
    run.deliver(sampleOf(100), route);
    await until('all arrive', () => peer.received.length === 4);
    expect(tag0(peer)).to.deep.equal([0, 100, 1, 2]);
  });
});

describe('a connection that is lost', () => {
  it('is made again, and messages that were not confirmed are sent again', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, 'up');
    await using run = await started({ port: broker.port });
    await connected(run);
    run.deliver(sampleOf(0), route);
    await until('the first sample arrives', () => peer.received.length === 1);
    const { held, release } = withhold(broker);
    for (const value of upTo(10, 1)) run.deliver(sampleOf(value), route);
    await until('the broker has all messages and confirmed none', () => held.length === 10);
    broker.drop();
    await until('the node sees that the broker is gone', () => run.link !== LinkState.CONNECTED);
    expect(run.gauges.get('cached_msgs')).to.equal(10);
    release();
    await connected(run);
    await until('all samples arrive', () => new Set(tag0(peer)).size === 11);
    await until('nothing is cached', () => run.gauges.get('cached_msgs') === 0);
    expect(run.count('send_msg_errors_total')).to.equal(0);
  });

  it('has a bounded number of messages in flight while the broker confirms none', async () => {
    await using broker = await aedesBroker();
    await using run = await started({ port: broker.port });
    await connected(run);
    run.deliver(sampleOf(0), route);
    await until('the first sample is confirmed', () => run.gauges.get('cached_msgs') === 0);
    await sleep(50);
    const { held, release } = withhold(broker);
    for (const value of upTo(500, 1)) run.deliver(sampleOf(value), route);
    await until('the window is full', () => held.length === 20);
    await sleep(100);
    expect(held.length).to.equal(20);
    expect(run.gauges.get('cached_msgs')).to.equal(480);
    release();
    await until('all are sent', () => run.gauges.get('cached_msgs') === 0);
  });

  it('waits before it connects again, longer each time', async () => {
    const times: number[] = [];
    await using server = await listenOn(
      net.createServer((socket) => {
        times.push(performance.now());
        socket.destroy();
      }),
    );
    {
      await using _ = await started({ port: server.port });
      await until('the node has tried four times', () => times.length === 4);
    }
    const waits = times.slice(1).map((time, index) => time - (times[index] as number));
    // Each wait is at least half of 500, 1000 and 2000 ms: the other half is chance.
    expect(waits[0]).to.be.greaterThan(240);
    expect(waits[1]).to.be.greaterThan(490);
    expect(waits[2]).to.be.greaterThan(990);
  });

  it('gives up a message that ends every connection, and sends those around it', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, 'up');
    await using run = await started({ port: broker.port }, 100);
    let ended = 0;
    broker.aedes.authorizePublish = (client, packet, done) => {
      if (!packet.payload.toString().includes('"tag0":13,')) {
        done(null);
        return;
      }
      ended++;
      client?.conn.destroy();
    };
    for (const value of upTo(30)) run.deliver(sampleOf(value), route);
    await until('all others arrive', () => new Set(tag0(peer)).size === 29);
    await until('the message is given up', () => run.count('send_msg_errors_total') === 1);
    expect(tag0(peer)).to.not.include(13);
    // Eight times alone, and before that in the company of messages that were not confirmed yet.
    expect(ended).to.be.within(9, 25);
    expect(run.lines.filter((line) => line.includes('gave up'))).to.have.length(1);
  });
});

(hasMosquitto ? describe : describe.skip)(`a broker that is away or hangs: ${mosquitto}`, () => {
  for (const qos of [0, 1, 2]) {
    it(`loses nothing at QoS ${qos} while there is no way to it`, async () => {
      await using broker = await mosquittoBroker();
      await using peer = await Peer.connect(broker.port, 'up');
      await using gate = await Gate.before(broker);
      await gate.open();
      await using run = await started({ port: gate.port, qos });
      await connected(run);
      await gate.shut();
      await until('the node sees that the broker is gone', () => run.link !== LinkState.CONNECTED);
      for (const value of upTo(100)) run.deliver(sampleOf(value), route);
      await gate.open();
      await until('all samples arrive', () => new Set(tag0(peer)).size === 100);
      expect(tag0(peer)).to.deep.equal(upTo(100));
    });
  }

  it('holds samples while a broker hangs at QoS 1, and delivers them when it goes on', async () => {
    await using broker = await mosquittoBroker();
    await using peer = await Peer.connect(broker.port, 'up');
    await using run = await started({ port: broker.port });
    await connected(run);
    broker.kill('SIGSTOP');
    for (const value of upTo(100)) run.deliver(sampleOf(value), route);
    await until('one message is in flight, the others wait', () => run.gauges.get('cached_msgs') === 99);
    await sleep(100);
    broker.kill('SIGCONT');
    await until('all samples arrive', () => peer.received.length === 100);
    expect(tag0(peer)).to.deep.equal(upTo(100));
  });
});

describe('the end of a run', () => {
  it('waits for messages to be confirmed, says goodbye and leaves nothing open', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, 'up');
    await using gate = await Gate.before(broker);
    await gate.open();
    await using run = await started({ port: gate.port });
    await connected(run);
    for (const value of upTo(100)) run.deliver(sampleOf(value), route);
    await run.stop();
    await until('the broker has all', () => peer.received.length === 100);
    expect([...gate.last.subarray(-2)], 'a DISCONNECT packet').to.deep.equal([0xe0, 0]);
    expect(run.link).to.equal(LinkState.DISCONNECTED);
    run.deliver(sampleOf(1), route);
    // Longer than the wait before a second attempt.
    await sleep(600);
    expect(broker.aedes.connectedClients).to.equal(1);
    expect(run.link).to.equal(LinkState.DISCONNECTED);
  });

  it('comes soon when there is no broker, or one that does not answer', async () => {
    const port = await freePort();
    await using without = await started({ port });
    await without.stop();
    await using silent = await listenOn(net.createServer((socket) => void socket.resume()));
    await using waiting = await started({ port: silent.port });
    await until('the node has dialled', () => silent.sockets.size === 1);
    await waiting.stop();
    await until('its socket is closed', () => silent.sockets.size === 0);
    expect(waiting.link).to.equal(LinkState.DISCONNECTED);
  });
});
