import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { LinkState } from '@tagway/sdk';
import { Spool } from '@tagway/sdk/spool';
import { until } from '@tagway/testkit';
import { BrokerLink, Sender, type Broker, type BrokerClient, type Encode } from '../src/index.ts';
import { aedesBroker, brokers, contextOf, Gate, Peer, type ContextRecord } from './kit/index.ts';

/** A session of its own on a broker: a spool, a sender and a link. */
class TestClient implements AsyncDisposable {
  readonly record: ContextRecord = {
    links: [],
    reports: [],
    lines: [],
    counts: new Map(),
    gauges: new Map(),
  };
  readonly sender: Sender;
  readonly link: BrokerLink;
  readonly #spool: Spool;
  readonly #folder: string;

  private constructor(folder: string, spool: Spool, session: BrokerClient, encode?: Encode) {
    this.#folder = folder;
    this.#spool = spool;
    const context = contextOf({ node: 'app', settings: {}, dataDir: folder }, this.record);
    this.sender = new Sender(context, spool, 0, encode);
    this.link = new BrokerLink(context, session, this.sender);
  }

  static async open(session: BrokerClient, encode?: Encode): Promise<TestClient> {
    const folder = await mkdtemp(join(tmpdir(), 'tagway-session-'));
    const spool = await Spool.open({
      folder,
      memory: 1_000_000,
      disk: 0,
      onReady: () => undefined,
      onLost: () => undefined,
      onError: () => undefined,
    });
    return new TestClient(folder, spool, session, encode);
  }

  send(text: string): void {
    void this.sender.send('up', Buffer.from(text));
  }

  get isConnected(): boolean {
    return this.record.links.at(-1) === LinkState.CONNECTED;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.link.stop();
    await this.#spool.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function brokerAt(port: number, more: Partial<Broker> = {}): Broker {
  return {
    host: '127.0.0.1',
    port,
    clientId: 'session',
    username: undefined,
    password: undefined,
    version: 4,
    qos: 0,
    tls: undefined,
    will: undefined,
    ...more,
  };
}

const quiet = { topics: ['in'], subscribeQos: 1, received: () => undefined } as const;

describe('a session', () => {
  it('asks for the broker at each attempt, and has a will of its own quality of service', async () => {
    await using broker = await aedesBroker();
    await using gate = await Gate.before(broker);
    await gate.open();
    await using peer = await Peer.connect(broker.port, 'will');
    let attempts = 0;
    await using client = await TestClient.open({
      ...quiet,
      broker: () => {
        const payload = Buffer.from(String(attempts++));
        return Promise.resolve(brokerAt(gate.port, { will: { topic: 'will', payload, qos: 1 } }));
      },
    });
    client.link.start();
    for (const count of [1, 2]) {
      await until('the node is connected', () => client.isConnected);
      gate.drop();
      await until('the will is published', () => peer.texts('will').length === count);
      await until('the node has noticed', () => !client.isConnected);
    }
    expect(peer.texts('will')).to.deep.equal(['0', '1']);
    expect(peer.received.map(({ qos }) => qos)).to.deep.equal([1, 1]);
  });

  it('opens after the subscriptions and before queued messages, which wait for it', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, 'up', 'birth');
    const steps: string[] = [];
    broker.aedes.on('subscribe', (_topics, client) => {
      if (client.id === 'session') steps.push('subscribed');
    });
    const opening = Promise.withResolvers<void>();
    await using client = await TestClient.open({
      ...quiet,
      broker: () => brokerAt(broker.port),
      async opened(connection) {
        steps.push('opened');
        await opening.promise;
        connection.publish('birth', Buffer.from('birth'));
      },
    });
    client.send('queued');
    client.link.start();
    await until('the session is opened', () => steps.includes('opened'));
    expect(steps).to.deep.equal(['subscribed', 'opened']);
    expect(client.record.links).not.to.include(LinkState.CONNECTED);
    opening.resolve();
    await until('both messages arrive', () => peer.received.length === 2);
    expect(peer.received.map(({ text }) => text)).to.deep.equal(['birth', 'queued']);
    expect(client.isConnected).to.equal(true);
  });

  it('encodes in the order on the wire, tells the backlog apart, and may have no use for a record', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, 'up');
    let sequence = 0;
    await using client = await TestClient.open(
      { ...quiet, broker: () => brokerAt(broker.port) },
      (record, backlog) => {
        const text = Buffer.from(record.data).toString();
        if (text === 'useless') return undefined;
        const payload = Buffer.from(`${sequence++} ${text} ${backlog}`);
        return { topic: record.key, payload };
      },
    );
    for (const text of ['a', 'useless', 'b']) client.send(text);
    client.link.start();
    await until('the backlog arrives', () => peer.received.length === 2);
    client.send('c');
    await until('all arrive', () => peer.received.length === 3);
    expect(peer.texts('up')).to.deep.equal(['0 a true', '1 b true', '2 c false']);
    expect(client.record.counts.get('dropped_msgs_total')).to.equal(1);
  });

  it('can be held, and goes on', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, 'up', 'mark');
    await using client = await TestClient.open({ ...quiet, broker: () => brokerAt(broker.port) });
    client.link.start();
    await until('the node is connected', () => client.isConnected);
    client.sender.hold();
    client.send('held');
    await peer.client.publishAsync('mark', 'mark');
    await until('another message has passed', () => peer.texts('mark').length === 1);
    expect(peer.texts('up')).to.deep.equal([]);
    client.sender.resume();
    await until('the message arrives', () => peer.texts('up').length === 1);
  });

  it('takes its leave while the wire is open, and begins again', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, 'death');
    let opened = 0;
    await using client = await TestClient.open({
      ...quiet,
      broker: () => brokerAt(broker.port),
      opened() {
        opened++;
      },
      closing: (connection) =>
        new Promise((resolve) => connection.publish('death', Buffer.from('death'), () => resolve(), 1)),
    });
    client.link.start();
    await until('the node is connected', () => client.isConnected);
    await client.link.reconnect('The host is away.');
    expect(await peer.first('death')).to.equal('death');
    await until('the session is opened again', () => opened === 2);
    expect(client.record.reports.map(({ reason }) => reason).join()).to.contain('The host is away.');
  });

  it('says how far an attempt came', async () => {
    await using broker = await aedesBroker();
    await using gate = await Gate.before(broker);
    await using client = await TestClient.open({ ...quiet, broker: () => brokerAt(gate.port) });
    client.link.start();
    await until('the attempt has failed', () => client.record.reports.length > 0);
    expect(client.record.reports[0]).to.include({ step: 'connect' });
    expect(client.record.reports[0]?.reason).to.match(
      /^There is no connection to the broker 127\.0\.0\.1:\d+: .*ECONNREFUSED/,
    );
  });
});

for (const [name, present, open] of brokers) {
  (present ? describe : describe.skip)(`messages of QoS 0 with proof, on ${name}`, () => {
    it('are settled when the broker has read them, in any number', async () => {
      await using broker = await open();
      await using peer = await Peer.connect(broker.port, 'up');
      await using client = await TestClient.open({
        ...quiet,
        broker: () => brokerAt(broker.port, { confirmsByPing: true }),
      });
      client.link.start();
      await until('the node is connected', () => client.isConnected);
      for (let count = 0; count < 500; count++) client.send(String(count));
      await until('all arrive', () => peer.received.length >= 500);
      expect(peer.texts('up')).to.deep.equal(Array.from({ length: 500 }, (_, count) => String(count)));
      await client.sender.flush(2000);
      expect(client.record.gauges.get('cached_msgs')).to.equal(0);
    });

    it('are sent again when the way was dead, of which the system says nothing', async () => {
      await using broker = await open();
      await using peer = await Peer.connect(broker.port, 'up');
      await using gate = await Gate.before(broker);
      gate.behaviour = { cutAfter: 100_000 };
      await gate.open();
      await using client = await TestClient.open({
        ...quiet,
        broker: () => brokerAt(gate.port, { confirmsByPing: true }),
      });
      client.link.start();
      await until('the node is connected', () => client.isConnected);
      const texts = Array.from({ length: 300 }, (_, count) => `${count} ${'x'.repeat(1000)}`);
      for (const text of texts) client.send(text);
      await until('the connection breaks', () => !client.isConnected);
      gate.behaviour = {};
      await until('all arrive', () => new Set(peer.texts('up')).size === 300);
      expect([...new Set(peer.texts('up'))]).to.have.members(texts);
    });
  });
}
