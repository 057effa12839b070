import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import { addMqtt, connected, type TagBody } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { useNorth } from '../world/plant.ts';

const { READ, SUBSCRIBE } = Attribute;
const { INT64, STRING } = DataType;

/** Milliseconds of the one group that ticks: long, so that what comes a cycle late is not taken for a pause of the machine. */
const beat = 1000;
const cycles = 5;

const number = (name: string, address: string): TagBody => ({ name, address, attribute: READ, type: INT64 });

/** A tag with several values beside each other, each change of which an app gets. */
const row = (name: string, references: readonly string[]): TagBody => ({
  name,
  address: references.map((reference) => `string(tag("${reference}"))`).join(' + " " + '),
  attribute: READ | SUBSCRIBE,
  type: STRING,
});

const pair = 'string(tag("left/group/n")) + " " + string(tag("right/group/n"))';

/** Every node but the first has a group that ticks once an hour: what it has, it has from its inputs. */
const nodes: readonly (readonly [name: string, tags: readonly TagBody[]])[] = [
  ['first', [number('n', 'int(now())')]],
  ['left', [number('n', 'tag("first/group/n")'), number('twin', 'tag("first/group/n")')]],
  ['right', [number('n', 'tag("first/group/n")')]],
  ['second', [number('n', 'tag("left/group/n")')]],
  ['third', [number('n', 'tag("second/group/n")')]],
  [
    'last',
    [
      row('twins', ['left/group/n', 'left/group/twin']),
      row('pair', ['left/group/n', 'right/group/n']),
      {
        ...row('same', ['left/group/n', 'right/group/n']),
        address: `time(tag("left/group/n")) == time(tag("right/group/n")) ? ${pair} : ""`,
      },
      row('chain', ['first/group/n', 'left/group/n', 'second/group/n', 'third/group/n']),
    ],
  ],
];

describe('Nodes that read the same over several ways', function () {
  this.timeout(60_000);
  const { broker, client, subscriber } = useNorth();

  /** What a tag of the last node became, in order. */
  const rowsOf = (tag: string): number[][] =>
    subscriber.messages
      .filter(({ topic }) => topic === 'last')
      .map(({ text }) => (JSON.parse(text) as { values: Record<string, string> }).values[tag] ?? '')
      .filter((text) => text !== '')
      .map((text) => text.split(' ').map(Number));

  /** What a tag became in each cycle; the first ones, while the nodes start, and the last one may be there in part. */
  const cyclesOf = (
    tag: string,
  ): { readonly n: number; readonly before: number; readonly rows: number[][] }[] => {
    const byCycle = Map.groupBy(rowsOf(tag), (values) => Math.max(...values));
    const ns = [...byCycle.keys()];
    expect(ns, 'no cycle comes after a later one').to.deep.equal(ns.toSorted((a, b) => a - b));
    const whole = ns.slice(2, 2 + cycles);
    return whole.map((n, index) => ({ n, before: ns[index + 1]!, rows: byCycle.get(n)! }));
  };

  before(async () => {
    for (const [node, tags] of nodes) {
      const interval = node === 'first' ? beat : 3_600_000;
      await client.ok('POST', '/node', { name: node, plugin: 'Calculation' });
      await client.ok('POST', '/node/setting', { node, params: {} });
      await client.ok('POST', '/group', { node, name: 'group', interval });
      await client.ok('POST', '/tags', { node, group: 'group', tags });
    }
    await addMqtt(client, 'north', broker.port);
    await connected(client, 'north');
    const params = { topic: 'last' };
    await client.ok('POST', '/subscribe', { app: 'north', driver: 'last', group: 'group', params });
    await until('some cycles are published', () => {
      return new Set(rowsOf('chain').map((values) => Math.max(...values))).size > cycles + 2;
    });
  });

  it('have tags of one group at once: their readers are evaluated once a cycle and never see two cycles', () => {
    const seen = cyclesOf('twins');
    expect(seen).to.have.length(cycles);
    for (const { n, rows } of seen) expect(rows).to.deep.equal([[n, n]]);
  });

  it('have tags of two nodes one after the other: each cycle ends with both of it, before the next one', () => {
    const seen = cyclesOf('pair');
    expect(seen).to.have.length(cycles);
    for (const { n, before, rows } of seen) {
      expect(rows).to.have.length(2);
      expect(rows[0]).to.have.members([n, before]);
      expect(rows[1]).to.deep.equal([n, n]);
    }
  });

  it('can take of them what is of one cycle alone, by the times', () => {
    const seen = cyclesOf('same');
    expect(seen).to.have.length(cycles);
    for (const { n, rows } of seen) expect(rows).to.deep.equal([[n, n]]);
  });

  it('are evaluated in their order along a chain, all within the cycle', () => {
    const seen = cyclesOf('chain');
    expect(seen).to.have.length(cycles);
    for (const { n, before, rows } of seen)
      expect(rows).to.deep.equal(
        [1, 2, 3, 4].map((count) => [0, 1, 2, 3].map((index) => (index < count ? n : before))),
      );
  });
});
