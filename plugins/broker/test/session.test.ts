import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { LinkState } from '@tagway/sdk';
import { Spool } from '@tagway/sdk/spool';
import { until } from '@tagway/testkit';
import { Link, Sender, type Broker, type Encode, type Session } from '../src/index.ts';
import { aedesBroker, brokers, contextOf, Gate, Peer, type Noted } from './kit/index.ts';

/** A session of its own on a broker: a spool, a sender and a link. */
class Stand implements AsyncDisposable {
  readonly noted: Noted = { links: [], reports: [], lines: [], counts: new Map(), gauges: new Map() };
  readonly sender: Sender;
  readonly link: Link;
  readonly #spool: Spool;
  readonly #folder: string;

  private constructor(folder: string, spool: Spool, session: Session, encode?: Encode) {
    this.#folder = folder;
    this.#spool = spool;
    const context = contextOf({ node: 'app', settings: {}, dataDir: folder }, this.noted);
    this.sender = new Sender(context, spool, 0, encode);
    this.link = new Link(context, session, this.sender);
  }

  static async open(session: Session, encode?: Encode): Promise<Stand> {
    const folder = await mkdtemp(join(tmpdir(), 'tagway-session-'));
    const spool = await Spool.open({
      folder,
      memory: 1_000_000,
      disk: 0,
      onReady: () => undefined,
      onLost: () => undefined,
      onError: () => undefined,
    });
    return new Stand(folder, spool, session, encode);
  }

  send(text: string): void {
    void this.sender.send('up', Buffer.from(text));
  }

  get isConnected(): boolean {
    return this.noted.links.at(-1) === LinkState.CONNECTED;
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
    await using stand = await Stand.open({
      ...quiet,
      broker: () => {
        const payload = Buffer.from(String(attempts++));
        return Promise.resolve(brokerAt(gate.port, { will: { topic: 'will', payload, qos: 1 } }));
      },
    });
    stand.link.start();
    for (const count of [1, 2]) {
      await until('the node is connected', () => stand.isConnected);
      gate.drop();
      await until('the will is published', () => peer.texts('will').length === count);
      await until('the node has noticed', () => !stand.isConnected);
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
    await using stand = await Stand.open({
      ...quiet,
      broker: () => brokerAt(broker.port),
      async opened(connection) {
        steps.push('opened');
        await opening.promise;
        connection.publish('birth', Buffer.from('birth'));
      },
    });
    stand.send('queued');
    stand.link.start();
    await until('the session is opened', () => steps.includes('opened'));
    expect(steps).to.deep.equal(['subscribed', 'opened']);
    expect(stand.noted.links).not.to.include(LinkState.CONNECTED);
    opening.resolve();
    await until('both messages arrive', () => peer.received.length === 2);
    expect(peer.received.map(({ text }) => text)).to.deep.equal(['birth', 'queued']);
    expect(stand.isConnected).to.equal(true);
  });

  it('encodes in the order on the wire, tells the backlog apart, and may have no use for a record', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, 'up');
    let sequence = 0;
    await using stand = await Stand.open(
      { ...quiet, broker: () => brokerAt(broker.port) },
      (record, backlog) => {
        const text = Buffer.from(record.data).toString();
        if (text === 'useless') return undefined;
        const payload = Buffer.from(`${sequence++} ${text} ${backlog}`);
        return { topic: record.key, payload };
      },
    );
    for (const text of ['a', 'useless', 'b']) stand.send(text);
    stand.link.start();
    await until('the backlog arrives', () => peer.received.length === 2);
    stand.send('c');
    await until('all arrive', () => peer.received.length === 3);
    expect(peer.texts('up')).to.deep.equal(['0 a true', '1 b true', '2 c false']);
    expect(stand.noted.counts.get('dropped_msgs_total')).to.equal(1);
  });

  it('can be held, and goes on', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, 'up', 'mark');
    await using stand = await Stand.open({ ...quiet, broker: () => brokerAt(broker.port) });
    stand.link.start();
    await until('the node is connected', () => stand.isConnected);
    stand.sender.hold();
    stand.send('held');
    await peer.client.publishAsync('mark', 'mark');
    await until('another message has passed', () => peer.texts('mark').length === 1);
    expect(peer.texts('up')).to.deep.equal([]);
    stand.sender.resume();
    await until('the message arrives', () => peer.texts('up').length === 1);
  });

  it('takes its leave while the wire is open, and begins again', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, 'death');
    let opened = 0;
    await using stand = await Stand.open({
      ...quiet,
      broker: () => brokerAt(broker.port),
      opened() {
        opened++;
      },
      closing: (connection) =>
        new Promise((resolve) => connection.publish('death', Buffer.from('death'), () => resolve(), 1)),
    });
    stand.link.start();
    await until('the node is connected', () => stand.isConnected);
    await stand.link.leave('The host is away.');
    expect(await peer.first('death')).to.equal('death');
    await until('the session is opened again', () => opened === 2);
    expect(stand.noted.reports.map(({ reason }) => reason).join()).to.contain('The host is away.');
  });

  it('says how far an attempt came', async () => {
    await using broker = await aedesBroker();
    await using gate = await Gate.before(broker);
    await using stand = await Stand.open({ ...quiet, broker: () => brokerAt(gate.port) });
    stand.link.start();
    await until('the attempt has failed', () => stand.noted.reports.length > 0);
    expect(stand.noted.reports[0]).to.include({ step: 'connect' });
    expect(stand.noted.reports[0]?.reason).to.match(
      /^There is no connection to the broker 127\.0\.0\.1:\d+: .*ECONNREFUSED/,
    );
  });
});

for (const [name, present, open] of brokers) {
  (present ? describe : describe.skip)(`messages of QoS 0 with proof, on ${name}`, () => {
    it('are settled when the broker has read them, in any number', async () => {
      await using broker = await open();
      await using peer = await Peer.connect(broker.port, 'up');
      await using stand = await Stand.open({
        ...quiet,
        broker: () => brokerAt(broker.port, { proof: true }),
      });
      stand.link.start();
      await until('the node is connected', () => stand.isConnected);
      for (let count = 0; count < 500; count++) stand.send(String(count));
      await until('all arrive', () => peer.received.length >= 500);
      expect(peer.texts('up')).to.deep.equal(Array.from({ length: 500 }, (_, count) => String(count)));
      await stand.sender.flush(2000);
      expect(stand.noted.gauges.get('cached_msgs')).to.equal(0);
    });

    it('are sent again when the way was dead, of which the system says nothing', async () => {
      await using broker = await open();
      await using peer = await Peer.connect(broker.port, 'up');
      await using gate = await Gate.before(broker);
      gate.manner = { cutAfter: 100_000 };
      await gate.open();
      await using stand = await Stand.open({ ...quiet, broker: () => brokerAt(gate.port, { proof: true }) });
      stand.link.start();
      await until('the node is connected', () => stand.isConnected);
      const texts = Array.from({ length: 300 }, (_, count) => `${count} ${'x'.repeat(1000)}`);
      for (const text of texts) stand.send(text);
      await until('the connection breaks', () => !stand.isConnected);
      gate.manner = {};
      await until('all arrive', () => new Set(peer.texts('up')).size === 300);
      expect([...new Set(peer.texts('up'))]).to.have.members(texts);
    });
  });
}
