import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Gate, hasMosquitto, layoutOf, mosquittoBroker, Peer, sampleWith } from '@tagway/mqtt-client/test';
import { expect } from 'chai';
import { DataType, Fault, LinkState } from '@tagway/sdk';
import { freePort, until } from '@tagway/testkit';
import { connectAsync } from 'mqtt';
import { Host } from './host.ts';
import { decode, plain, type WireMetric } from './oracle.ts';
import { feed, launchNode, type SparkplugTestNode, settingsAt } from './nodes.ts';

const name = hasMosquitto ? 'mosquitto' : 'mosquitto (skipped: it is not installed)';
const layout = layoutOf([{ name: 'level', type: DataType.INT16 }]);
const pairId = '0011223344556677';

/** A host as the specification has it: a death counts only if it carries the number of the latest birth. */
class PairHost implements AsyncDisposable {
  /** Births and deaths of the node with their numbers, such as `NBIRTH 0`. */
  readonly messages: string[] = [];
  readonly #close: () => Promise<void>;
  #born: string | undefined;

  private constructor(close: () => Promise<void>) {
    this.#close = close;
  }

  static async connect(port: number): Promise<PairHost> {
    const client = await connectAsync({ host: '127.0.0.1', port });
    const host = new PairHost(() => client.endAsync(true));
    client.on('message', (topic, bytes) => host.#take(topic.split('/')[2] ?? '', bytes));
    await client.subscribeAsync('spBv1.0/plant/+/edge', { qos: 1 });
    return host;
  }

  get isBorn(): boolean {
    return this.#born !== undefined;
  }

  async wait(message: string): Promise<void> {
    await until(`${message} has come after ${this.messages.join(', ')}`, () =>
      this.messages.includes(message),
    );
  }

  #take(type: string, bytes: Buffer): void {
    const number = String(plain(decode(bytes).metrics.find((metric) => metric.name === 'bdSeq') ?? {}));
    this.messages.push(`${type} ${number}`);
    if (type === 'NBIRTH') this.#born = number;
    else if (this.#born === number) this.#born = undefined;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}

/** The node at one gateway of a pair; `sequences` are what both share. */
function gatewayAt(
  port: number,
  sequences: Map<string, number>,
  params: object = {},
): Promise<SparkplugTestNode> {
  return launchNode(port, { ...params }, { pairId, sequences });
}

(hasMosquitto ? describe : describe.skip)(`an edge node of a pair of gateways on ${name}`, () => {
  for (const version of [4, 5] as const) {
    describe(`MQTT level ${version}`, () => {
      it('is born at the other gateway within 2 s, with the next number, after the death of the session before', async () => {
        await using broker = await mosquittoBroker();
        await using host = await PairHost.connect(broker.port);
        const sequences = new Map<string, number>();
        await using west = await gatewayAt(broker.port, sequences, { version });
        feed(west, sampleWith(layout, [1], { timestamp: Date.now() }));
        await host.wait('NBIRTH 0');
        const begun = performance.now();
        await using east = await gatewayAt(broker.port, sequences, { version });
        await host.wait('NBIRTH 1');
        expect(performance.now() - begun).to.be.lessThan(2000);
        expect(host.messages).to.deep.equal(['NBIRTH 0', 'NDEATH 0', 'NBIRTH 1']);
        expect(host.isBorn).to.equal(true);
        await until('the first gateway has lost its session', () => west.link === LinkState.DISCONNECTED);
        // It is being ended; by 3.5 s at the latest.
        await new Promise((resolve) => setTimeout(resolve, 3500));
        expect(host.messages).to.have.length(3);
        expect(east.link).to.equal(LinkState.CONNECTED);
        await west.stop();
        expect(host.isBorn).to.equal(true);
      }).timeout(15_000);

      it('stays born when the death of the session before comes late', async () => {
        await using broker = await mosquittoBroker();
        await using gate = await Gate.before(broker);
        await gate.open();
        await using host = await PairHost.connect(broker.port);
        const sequences = new Map<string, number>();
        // Another client id, so that the broker finds out late that the first gateway is gone.
        await using _ = await gatewayAt(gate.port, sequences, { version, 'client-id': 'west' });
        await host.wait('NBIRTH 0');
        await using east = await gatewayAt(broker.port, sequences, { version });
        await host.wait('NBIRTH 1');
        await gate.shut();
        await host.wait('NDEATH 0');
        expect(host.messages).to.deep.equal(['NBIRTH 0', 'NBIRTH 1', 'NDEATH 0']);
        expect(host.isBorn, 'the number of the death is that of another birth').to.equal(true);
        expect(east.link).to.equal(LinkState.CONNECTED);
      });
    });
  }

  const cache = { 'cache-mem-size': 1, 'cache-disk-size': 10, 'cache-sync-interval': 10 };

  /** A gateway that found no broker for twenty readings, the first of which was then, and has ended. */
  async function outage(then: number, params: object): Promise<SparkplugTestNode> {
    const run = await gatewayAt(await freePort(), new Map(), { ...cache, ...params });
    const subscription = feed(run, sampleWith(layout, [0], { timestamp: then }));
    for (let level = 1; level < 20; level++)
      run.deliver(sampleWith(layout, [level], { timestamp: then + level }), subscription);
    await run.stop();
    return run;
  }

  for (const alias of [false, true])
    it(`has the other gateway send, as historical, what the one before could not${alias ? ', by aliases' : ''}`, async () => {
      await using broker = await mosquittoBroker();
      await using host = await Host.connect(broker.port);
      const then = Date.now() - 60_000;
      await using west = await outage(then, { alias });
      const settings = settingsAt(broker.port, { ...cache, alias });
      const tail = west.tail(settings);
      await until('the standby waits for the active gateway', () => west.link === LinkState.CONNECTED);
      await using east = await gatewayAt(broker.port, new Map(), { alias });
      const subscription = feed(east, sampleWith(layout, [100], { timestamp: Date.now() }));
      await host.wait('DBIRTH');
      await tail;
      east.deliver(sampleWith(layout, [101], { timestamp: Date.now() }), subscription);
      // What the active gateway itself had before its first birth is historical too.
      const isOld = ({ isHistorical, timestamp }: WireMetric): boolean =>
        isHistorical === true && Number(timestamp) < then + 1000;
      const old = (): WireMetric[] =>
        host.of('DDATA').flatMap(({ payload }) => payload.metrics.filter(isOld));
      await until('all arrive', () => old().length >= 20 && host.value('level') === 101);
      expect(old().map((metric) => metric.timestamp?.toNumber())).to.deep.equal(
        Array.from({ length: 20 }, (_, level) => then + level),
      );
      expect(old().map((metric) => plain(metric))).to.deep.equal([...Array(20).keys()]);
      expect(host.of('NBIRTH')).to.have.length(1);
      expect(east.link).to.equal(LinkState.CONNECTED);
      const before = west.links.length;
      await west.tail(settings);
      expect(west.links.slice(0, before), 'nothing is left, and nothing is connected to').to.deep.equal([]);
    }).timeout(30_000);

  it('goes back and forth with numbers one by one', async () => {
    await using broker = await mosquittoBroker();
    await using host = await PairHost.connect(broker.port);
    const sequences = new Map([['bdSeq', 252]]);
    for (let turn = 0; turn < 6; turn++) {
      await using _ = await gatewayAt(broker.port, sequences);
      await host.wait(`NBIRTH ${(253 + turn) % 256}`);
    }
    const births = host.messages.filter((message) => message.startsWith('NBIRTH'));
    expect(births).to.deep.equal([253, 254, 255, 0, 1, 2].map((number) => `NBIRTH ${number}`));
  });

  it('goes on from the number that it kept by itself before, once', async () => {
    await using broker = await mosquittoBroker();
    await using host = await PairHost.connect(broker.port);
    const folder = await mkdtemp(join(tmpdir(), 'tagway-app-'));
    await writeFile(join(folder, 'bd-seq'), '255');
    const sequences = new Map<string, number>();
    await using west = await launchNode(broker.port, {}, { folder, sequences });
    await host.wait('NBIRTH 0');
    expect(await readdir(folder)).to.not.include('bd-seq');
    await west.stop();
    await using _ = await launchNode(broker.port, {}, { sequences });
    await host.wait('NBIRTH 1');
    expect(sequences).to.deep.equal(new Map([['bdSeq', 257]]));
  });

  it('does not connect when the gateway cannot keep the number, and says why', async () => {
    await using broker = await mosquittoBroker();
    await using peer = await Peer.connect(broker.port, 'spBv1.0/#');
    const refuse = (): Promise<never> =>
      Promise.reject(new Fault(9002, 'This gateway is not the active one of its pair.'));
    await using run = await launchNode(broker.port, {}, { sequence: refuse });
    await until('the attempt has failed', () => run.link === LinkState.DISCONNECTED);
    expect(run.reports.at(-1)?.reason).to.contain('not the active one of its pair');
    expect(peer.received).to.deep.equal([]);
  });
});
