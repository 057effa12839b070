import { Attribute, ErrorCode } from '@tagway/schemas';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import type { Client, Reply } from '../kit/client.ts';
import { configurationOf, tagsOf } from '../kit/configuration.ts';
import type { Configuration } from '../kit/configuration.ts';
import { contend } from './contention.ts';
import { useGateway } from '../world/plant.ts';
import { random } from '../kit/mutations.ts';

const clients = 8;

describe('several clients at once', function () {
  this.timeout(60_000);
  const { gateway, client } = useGateway();
  let all: Client[];

  before(async () => {
    all = await Promise.all(Array.from({ length: clients }, () => gateway.client()));
    await client.ok('POST', '/node', { name: 'plant', plugin: 'Modbus TCP' });
    await client.ok('POST', '/node', { name: 'north', plugin: 'MQTT' });
  });

  /** Lets every client do the same at the same time, and counts the error codes of the answers. */
  async function race(
    act: (client: Client, index: number) => Promise<Reply>,
  ): Promise<Record<number, number>> {
    const counts: Record<number, number> = {};
    for (const { body } of await Promise.all(all.map(act))) {
      const error = body.error ?? 0;
      counts[error] = (counts[error] ?? 0) + 1;
    }
    return counts;
  }

  for (let round = 0; round < 5; round += 1) {
    it(`exactly one wins each race, round ${round}`, async () => {
      const name = `node ${round}`;
      const node = 'plant';
      const group = `group ${round}`;
      const tags = [{ name: 'tag', address: '1!400001', attribute: Attribute.READ, type: 3 }];
      const subscription = { app: 'north', driver: node, group };

      expect(await race((each) => each.call('POST', '/node', { name, plugin: 'Modbus TCP' }))).to.deep.equal({
        0: 1,
        [ErrorCode.NODE_EXISTS]: 7,
      });
      expect(
        await race((each) => each.call('POST', '/group', { name: group, node, interval: 100 })),
      ).to.deep.equal({ 0: 1, [ErrorCode.GROUP_EXISTS]: 7 });
      expect(await race((each) => each.call('POST', '/tags', { node, group, tags }))).to.deep.equal({
        0: 1,
        [ErrorCode.TAG_NAME_CONFLICT]: 7,
      });
      expect(await race((each) => each.call('POST', '/subscribe', subscription))).to.deep.equal({
        0: 1,
        [ErrorCode.GROUP_SUBSCRIBED]: 7,
      });
      expect(await race((each) => each.call('DELETE', '/subscribe', subscription))).to.deep.equal({
        0: 1,
        [ErrorCode.GROUP_NOT_FOUND]: 7,
      });
      expect(await race((each) => each.call('DELETE', '/group', { node, group }))).to.deep.equal({
        0: 1,
        [ErrorCode.GROUP_NOT_FOUND]: 7,
      });
      expect(
        await race((each, index) => each.call('PUT', '/node', { name, new_name: `${name} of ${index}` })),
      ).to.deep.equal({ 0: 1, [ErrorCode.NODE_NOT_FOUND]: 7 });
      const query = { type: 1, node: name };
      const { nodes } = await client.ok<{ nodes: { name: string }[] }>('GET', '/node', query);
      expect(nodes).to.have.length(1);
      expect(await race((each) => each.call('DELETE', '/node', { name: nodes[0]?.name }))).to.deep.equal({
        0: 1,
        [ErrorCode.NODE_NOT_FOUND]: 7,
      });
    });
  }

  it('tags that all add to one group are all there, once, also after a restart', async () => {
    await Promise.all(
      all.map(async (each, index) => {
        for (let batch = 0; batch < 10; batch += 1) {
          const tags = Array.from({ length: 20 }, (_, tag) => ({
            name: `${index} ${batch} ${tag}`,
            address: '1!400001',
            attribute: Attribute.READ,
            type: 3,
          }));
          await each.ok('POST', '/tags', { node: 'plant', group: 'shared', tags });
        }
      }),
    );
    const tags = await tagsOf(client, 'plant', 'shared');
    expect(new Set(tags.map(({ name }) => name)).size).to.equal(clients * 200);
    expect(tags).to.have.length(clients * 200);
    const before = await configurationOf(client);
    await gateway.restart();
    expect(await configurationOf(client)).to.deep.equal(before);
  });
});

describe('fifty clients that change the same nodes at once', function () {
  this.timeout(120_000);
  const { gateway, client } = useGateway();

  it('leave an API, a store and, after a crash, a new start that agree', async () => {
    const many = Array.from({ length: 50 }, () =>
      Object.assign(gateway.anonymous(), { token: client.token }),
    );
    const replies = (await Promise.all(many.map((each, seed) => contend(each, 60, random(seed))))).flat();
    const errors = replies.map(({ body }) => body.error ?? 0);
    expect(replies.filter(({ status }) => status >= 500)).to.deep.equal([]);
    expect(errors.filter((error) => error === 0).length, 'changes made').to.be.greaterThan(300);
    expect(errors.filter((error) => error !== 0).length, 'changes refused').to.be.greaterThan(300);

    const shown = await configurationOf(client);
    await gateway.kill();
    await gateway.start();
    expect(await configurationOf(client)).to.deep.equal(shown);
    // While it runs, the gateway has its store for itself.
    await gateway.stop();
    expect(storedCounts(gateway.data)).to.deep.equal(countsOf(shown));
  });
});

type Counts = Record<'node' | 'group' | 'tag' | 'subscription', number>;

function countsOf({ drivers, apps }: Configuration): Counts {
  const groups = drivers.flatMap((driver) => driver.groups);
  return {
    node: drivers.length + apps.length,
    group: groups.length,
    tag: groups.flatMap(({ tags }) => tags).length,
    subscription: apps.flatMap(({ subscriptions }) => subscriptions).length,
  };
}

/** How many records of each kind the store holds: what a group or node left behind would be too many. */
function storedCounts(data: string): Counts {
  const database = new DatabaseSync(join(data, 'tagway.sqlite'), { readOnly: true });
  try {
    const count = (kind: keyof Counts): number =>
      Number(database.prepare('SELECT count(*) AS n FROM records WHERE key LIKE ?').get(`${kind}/%`)?.['n']);
    return {
      node: count('node'),
      group: count('group'),
      tag: count('tag'),
      subscription: count('subscription'),
    };
  } finally {
    database.close();
  }
}
