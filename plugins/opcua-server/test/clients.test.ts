import { setTimeout as sleep } from 'node:timers/promises';
import { layoutOf, sampleWith } from '@tagway/store/test';
import { DataType } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { expect } from 'chai';
import { AttributeIds, BrowseDirection } from 'node-opcua-client';
import { Client } from './kit/client.ts';
import { type ServerNode, startServer, subscriptionTo } from './kit/node.ts';
import { Relay } from './kit/relay.ts';

const layout = layoutOf([
  { name: 'int', type: DataType.INT32 },
  { name: 'text', type: DataType.STRING },
]);
const subscription = subscriptionTo(layout);
/** Milliseconds for which the network is cut. */
const outage = 3000;
const deliver = (node: ServerNode, value: number, text = ''): void =>
  node.deliver(sampleWith(layout, [value, text]), subscription);

describe('clients', function () {
  this.timeout(60_000);

  it('are a hundred at a time, each with every value; one more is refused', async () => {
    await using node = await startServer({ unsecured: true, anonymous: true });
    node.app.subscriptionsChanged([subscription]);
    await using all = new AsyncDisposableStack();
    const got: number[][] = [];
    for (let index = 0; index < 100; index++) {
      const client = all.use(await Client.connect(node.port));
      const values: number[] = [];
      got.push(values);
      await client.monitor(['modbus/grp/int'], ({ value }) => values.push(value.value as number));
    }
    const refusal = await Client.connect(node.port).then(
      () => 'served',
      (error: unknown) => String(error),
    );
    expect(refusal).to.match(/BadTooManySessions/);
    for (let value = 1; value <= 5; value++) deliver(node, value);
    await until('all have all values', () => got.every((values) => values.at(-1) === 5));
    for (const values of got) expect(values.slice(1)).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('that were cut off have each value that came meanwhile once they are back, and once', async () => {
    await using node = await startServer({ unsecured: true, anonymous: true });
    node.app.subscriptionsChanged([subscription]);
    await using relay = await Relay.open(node.port);
    const connectionStrategy = { maxRetry: -1, initialDelay: 50, maxDelay: 200 };
    await using client = await Client.connect(relay.port, { client: { connectionStrategy } });
    const values: number[] = [];
    await client.monitor(
      ['modbus/grp/int'],
      ({ value }) => values.push(value.value as number),
      { queueSize: 5000 },
      50,
    );
    let sent = 0;
    const run = async (ms: number): Promise<void> => {
      for (const end = performance.now() + ms; performance.now() < end; await sleep(20))
        deliver(node, ++sent);
    };
    await run(300);
    relay.cut();
    await run(outage);
    const during = values.length;
    relay.mend();
    await run(300);
    await until('all values are there', () => values.length > sent);
    // The client asks again for what it has missed while newer values come.
    values.sort((one, other) => one - other);
    expect(sent - during).to.be.greaterThan(outage / 100);
    expect(values.slice(1)).to.deep.equal(Array.from({ length: sent }, (_, index) => index + 1));
  });

  it('that ask for the whole space and for everything at once cost others no value', async () => {
    const wide = layoutOf(
      Array.from({ length: 2000 }, (_, at) => ({ name: `t${at}`, type: DataType.INT32 })),
    );
    const all = subscriptionTo(wide);
    const values = (count: number): number[] => new Array<number>(wide.columns.length).fill(count);
    await using node = await startServer();
    node.app.subscriptionsChanged([all]);
    node.deliver(sampleWith(wide, values(0)), all);
    await using client = await Client.connect(node.port);
    const got: number[] = [];
    await client.monitor(['modbus/grp/t7'], ({ value }) => got.push(value.value as number));
    await until('the first value is there', () => got.length === 1);
    await using greedy = await Client.connect(node.port);
    const ids = wide.columns.map(({ name }) => greedy.id(`modbus/grp/${name}`));
    const found = new Set(['i=84']);
    const crawl = async (nodes: readonly string[]): Promise<void> => {
      if (nodes.length === 0) return;
      const results = await greedy.session.browse(
        nodes.map((nodeId) => ({
          nodeId,
          browseDirection: BrowseDirection.Both,
          includeSubtypes: true,
          nodeClassMask: 0,
          resultMask: 63,
        })),
      );
      const fresh = results
        .flatMap(({ references }) => references ?? [])
        .map(({ nodeId }) => nodeId.toString())
        .filter((id) => !found.has(id));
      for (const id of fresh) found.add(id);
      await crawl([...new Set(fresh)]);
    };
    let isOver = false;
    const everything = Promise.all([
      crawl(['i=84']),
      ...Array.from({ length: 5 }, () =>
        greedy.session.read(ids.map((nodeId) => ({ nodeId, attributeId: AttributeIds.Value }))),
      ),
      greedy.monitor(
        wide.columns.map(({ name }) => `modbus/grp/${name}`),
        () => undefined,
      ),
    ]).finally(() => (isOver = true));
    let beats = 0;
    for (; !isOver; await sleep(100)) node.deliver(sampleWith(wide, values(++beats)), all);
    await everything;
    await until('all values are there', () => got.length === beats + 1);
    expect(got).to.deep.equal(Array.from({ length: beats + 1 }, (_, at) => at));
    for (const id of ids) expect(found.has(id), id).to.equal(true);
  });

  it('that ask and do not read are ended, and others do not notice', async () => {
    await using node = await startServer({ unsecured: true, anonymous: true });
    node.app.subscriptionsChanged([subscription]);
    deliver(node, 1, 'x'.repeat(1024 * 1024));
    await using other = await Client.connect(node.port);
    const values: number[] = [];
    await other.monitor(['modbus/grp/int'], ({ value }) => values.push(value.value as number));
    await using relay = await Relay.open(node.port);
    await using client = await Client.connect(relay.port);
    relay.stick();
    const nodes = Array.from({ length: 8 }, () => ({
      nodeId: client.id('modbus/grp/text'),
      attributeId: 13,
    }));
    const before = process.memoryUsage().rss;
    for (let request = 0; request < 40; request++) {
      client.session.read(nodes).catch(() => undefined);
      await sleep(5);
      deliver(node, request + 2, 'x'.repeat(1024 * 1024));
    }
    await until('it is ended', () =>
      node.lines.some((line) => /^The connection of a client at 127.0.0.1 was ended/.test(line)),
    );
    // 40 answers of 8 MB would be 320 MB.
    expect(process.memoryUsage().rss - before).to.be.lessThan(200e6);
    await until('the other one has all values', () => values.at(-1) === 41);
    expect(values.slice(1)).to.deep.equal(Array.from({ length: 40 }, (_, index) => index + 2));
    relay.cut();
  });
});
