import { expect } from 'chai';
import { LinkState } from '@tagway/sdk';
import { freePort, until } from '@tagway/testkit';
import { hasMockCluster, kafka, MockCluster } from '@tagway/testkit/kafka-cluster';
import { type KafkaNode, paramsFor, sampleOf, startNode, subscription } from './nodes.ts';

const at = Date.UTC(2025, 4, 1);
const topic = 'tagway.modbus.grp';

function deliver(run: KafkaNode, from: number, to: number): void {
  for (let value = from; value < to; value++)
    run.deliver(sampleOf(value, { timestamp: at + value }), subscription);
}

async function tag0(cluster: MockCluster): Promise<number[]> {
  const records = await cluster.consume(topic);
  return records.map(({ value }) => (JSON.parse(value) as { values: { tag0: number } }).values.tag0);
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

(hasMockCluster ? describe : describe.skip)(`records: ${kafka}`, () => {
  let cluster: MockCluster;
  beforeEach(async () => (cluster = await MockCluster.start()));
  afterEach(() => cluster[Symbol.asyncDispose]());

  for (const [compression, name] of ['none', 'gzip', 'Snappy', 'LZ4', 'Zstandard'].entries())
    it(`arrive in order, with key, time and id, compressed as ${name}`, async () => {
      await using run = await startNode(paramsFor(cluster.port, { compression }));
      deliver(run, 0, 50);
      await until('all have come', async () => (await tag0(cluster)).length === 50);
      expect(await tag0(cluster)).to.deep.equal(upTo(50));
      const records = await cluster.consume(topic);
      expect(records.map(({ key, time }) => [key, time])).to.deep.equal(
        upTo(50).map((value) => ['modbus/grp', at + value]),
      );
      expect(new Set(records.map(({ headers }) => headers)).size, 'ids').to.equal(50);
      expect(run.link).to.equal(LinkState.CONNECTED);
      expect(run.count('send_msgs_total')).to.equal(50);
    });

  it('of single tags have topics and keys by template', async () => {
    const template = '{"t":"{tag}","v":{value}}';
    await using run = await startNode(
      paramsFor(cluster.port, {
        format: 2,
        template,
        topic: 'plant.{group}',
        message_key: '{node}/{group}/{tag}',
      }),
    );
    deliver(run, 0, 2);
    await until('all have come', async () => (await cluster.consume('plant.grp')).length === 4);
    expect(
      (await cluster.consume('plant.grp')).map(({ key, value }) => `${key} ${value}`).sort(),
    ).to.deep.equal([
      'modbus/grp/tag0 {"t":"tag0","v":0}',
      'modbus/grp/tag0 {"t":"tag0","v":1}',
      'modbus/grp/tag1 {"t":"tag1","v":9223372036854775807}',
      'modbus/grp/tag1 {"t":"tag1","v":9223372036854775807}',
    ]);
  });

  it('wait for a cluster that is away, over a restart, and come in order', async () => {
    const port = await freePort();
    await using run = await startNode(paramsFor(port));
    deliver(run, 0, 30);
    await until('it is away', () => run.link === LinkState.DISCONNECTED);
    expect(run.reports.map(({ reason }) => reason).join('\n')).to.match(/refuses connections/);
    await run.restart(paramsFor(cluster.port));
    await until('all have come', async () => (await tag0(cluster)).length >= 30);
    expect(await tag0(cluster)).to.deep.equal(upTo(30));
    expect(run.count('dropped_msgs_total')).to.equal(0);
  });
});
