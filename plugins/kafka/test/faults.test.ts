import { layoutOf, sampleWith } from '@tagway/store/test';
import { expect } from 'chai';
import { type ConnectionStep, DataType, LinkState } from '@tagway/sdk';
import { freePort, until } from '@tagway/testkit';
import { hasMockCluster, kafka, MockCluster } from '@tagway/testkit/kafka-cluster';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import { ClusterProxy } from './cluster-proxy.ts';
import { type KafkaNode, paramsFor, sampleOf, startNode, subscription } from './nodes.ts';

const topic = 'tagway.modbus.grp';
const textLayout = layoutOf([{ name: 'text', type: DataType.STRING }]);

function deliver(run: KafkaNode, from: number, to: number): void {
  for (let value = from; value < to; value++) run.deliver(sampleOf(value), subscription);
}

function span(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

async function tag0(cluster: MockCluster): Promise<number[]> {
  const records = await cluster.consume(topic);
  return records.map(({ value }) => (JSON.parse(value) as { values: { tag0: number } }).values.tag0);
}

(hasMockCluster ? describe : describe.skip)(`a cluster that does not take everything: ${kafka}`, () => {
  let cluster: MockCluster;
  beforeEach(async () => (cluster = await MockCluster.start()));
  afterEach(() => cluster[Symbol.asyncDispose]());

  it('lets everything wait while the topic is missing, and says so', async () => {
    await using proxy = await ClusterProxy.start(cluster.port);
    proxy.missing = topic;
    await using run = await startNode(paramsFor(proxy.port, { create_topics: false }));
    deliver(run, 0, 5);
    await until('it is disconnected', () => run.link === LinkState.DISCONNECTED);
    expect(run.reports.at(-1)?.reason).to.match(
      /The topic does not exist. Create it, or set "create_topics" to true. \(UNKNOWN_TOPIC_OR_PARTITION\)/,
    );
    expect(run.count('dropped_msgs_total')).to.equal(0);
    proxy.missing = undefined;
    await until('all have come', async () => (await tag0(cluster)).length === 5);
    expect(await tag0(cluster)).to.deep.equal(span(0, 5));
  });

  it('gives up a record that is too large, alone, and says which it is', async () => {
    await using proxy = await ClusterProxy.start(cluster.port);
    proxy.longest = 4000;
    const settings = { format: 2, template: '{value}', topic: 'large', 'batch-age': 200 };
    await using run = await startNode(paramsFor(proxy.port, settings));
    await until('it is connected', () => run.link === LinkState.CONNECTED);
    deliver(run, 0, 10);
    const text = 'x'.repeat(5000);
    run.deliver(sampleWith(textLayout, [text]), { ...subscription, id: 2, layout: textLayout });
    deliver(run, 10, 20);
    await until('the rest has come', async () => (await cluster.consume('large')).length === 40);
    await until('one is given up', () => run.count('dropped_msgs_total') === 1);
    expect((await cluster.consume('large')).some(({ value }) => value.includes('xxx'))).to.equal(false);
    const lines = run.lines.filter((line) => line.includes('gave up'));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/of the topic large: .*MESSAGE_TOO_LARGE/);
    expect(run.link).to.equal(LinkState.CONNECTED);
  });

  it('is not waited for without end when it does not answer, and gets everything in order, a repetition with its id', async () => {
    await using run = await startNode(paramsFor(cluster.port, { timeout: 500 }));
    deliver(run, 0, 5);
    await until('the first are confirmed', () => run.count('send_msgs_total') === 5);
    cluster.pause();
    deliver(run, 5, 10);
    await until('it is disconnected', () => run.link === LinkState.DISCONNECTED);
    cluster.goOn();
    await until('all are confirmed', () => run.count('send_msgs_total') === 10);
    // It may have stored what it did not confirm before it was asked again.
    const values = new Map<string, number>();
    for (const { headers, value } of await cluster.consume(topic))
      values.set(headers, (JSON.parse(value) as { values: { tag0: number } }).values.tag0);
    expect([...values.values()]).to.deep.equal(span(0, 10));
    expect(run.count('dropped_msgs_total')).to.equal(0);
  });

  it('goes away and comes back, over a restart of the node: nothing is lost, and the order is kept', async () => {
    await using proxy = await ClusterProxy.start(cluster.port);
    const settings = paramsFor(proxy.port);
    await using run = await startNode(settings);
    deliver(run, 0, 20);
    await until('the first have come', async () => (await tag0(cluster)).length === 20);
    await until('they are confirmed', () => run.count('send_msgs_total') === 20);
    await cluster[Symbol.asyncDispose]();
    deliver(run, 20, 40);
    await until('it is disconnected', () => run.link === LinkState.DISCONNECTED);
    await run.restart(settings);
    deliver(run, 40, 60);
    await until('it is disconnected', () => run.link === LinkState.DISCONNECTED);
    // The next cluster knows nothing of the first one: it has what that did not confirm, and only that.
    cluster = await MockCluster.start();
    proxy.to = cluster.port;
    await until('the others have come', async () => (await tag0(cluster)).length >= 40);
    await until('all are confirmed', () => run.count('cached_msgs') === 0);
    expect(await tag0(cluster)).to.deep.equal(span(20, 60));
    expect(run.count('dropped_msgs_total')).to.equal(0);
  });

  it('is tried by the connection test', async () => {
    const tried = async (settings: Settings): Promise<{ steps: ConnectionStep[]; failure: string }> => {
      const steps: ConnectionStep[] = [];
      const failure = await plugin.tryConnection!({
        node: 'stream',
        settings: settings as never,
        signal: AbortSignal.timeout(10_000),
        step: (step) => steps.push(step),
      }).then(
        () => '',
        (error: unknown) => (error as Error).message,
      );
      return { steps, failure };
    };
    expect(await tried(paramsFor(cluster.port))).to.deep.equal({
      steps: ['connect', 'login', 'rights'],
      failure: '',
    });
    const closed = await tried(paramsFor(await freePort()));
    expect(closed.steps).to.deep.equal(['connect']);
    expect(closed.failure).to.match(/refuses connections/);
    const nowhere = await tried({ ...paramsFor(1), brokers: 'no-such-host.invalid:9092' });
    expect(nowhere.steps).to.deep.equal(['resolve']);
    expect(nowhere.failure).to.match(/cannot be resolved/);
  });
});
