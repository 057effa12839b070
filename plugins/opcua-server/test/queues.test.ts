import { layoutOf, sampleWith } from '@tagway/store/test';
import { DataType } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { expect } from 'chai';
import type { DataValue } from 'node-opcua-client';
import { queuedValues } from '../src/library/queued-values.ts';
import { Client } from './kit/client.ts';
import { startServer, subscriptionTo } from './kit/node.ts';

const tags = 10;
const layout = layoutOf(Array.from({ length: tags }, (_, at) => ({ name: `t${at}`, type: DataType.INT32 })));
const references = layout.columns.map(({ name }) => `modbus/grp/${name}`);

describe('queues of clients that do not fetch', function () {
  this.timeout(60_000);
  const { most } = queuedValues;
  afterEach(() => void (queuedValues.most = most));

  it('together hold no more than they may, keep the newest of each item, mark what is lost, and are free again', async () => {
    await using node = await startServer();
    const subscription = subscriptionTo(layout);
    node.app.subscriptionsChanged([subscription]);
    expect(queuedValues.now).to.equal(0);
    const client = await Client.connect(node.port);
    const got: DataValue[][] = references.map(() => []);
    const monitored = await client.monitor(
      references,
      (value, index) => got[index]?.push(value),
      { queueSize: 1000 },
      100,
    );
    await until('the items have their first values', () => got.every((one) => one.length === 1));
    await monitored.setPublishingMode(false);
    queuedValues.most = 50;
    for (let count = 1; count <= 100; count++)
      node.deliver(sampleWith(layout, new Array<number>(tags).fill(count)), subscription);
    expect(queuedValues.now, 'values that wait').to.equal(50);

    await monitored.setPublishingMode(true);
    await until('the newest values are there', () => got.every((one) => one.at(-1)?.value.value === 100));
    for (const [, first, ...others] of got) {
      expect(first?.statusCode.name).to.include('Overflow');
      expect(others.map(({ value }) => value.value as number)).to.deep.equal([97, 98, 99, 100]);
    }
    expect(queuedValues.now, 'after they were fetched').to.equal(0);

    await monitored.setPublishingMode(false);
    node.deliver(sampleWith(layout, new Array<number>(tags).fill(101)), subscription);
    expect(queuedValues.now).to.equal(tags);
    await client[Symbol.asyncDispose]();
    await until('the queues of a session that has ended are free', () => queuedValues.now === 0);
  });
});
