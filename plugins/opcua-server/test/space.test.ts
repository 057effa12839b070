import { layoutOf, sampleWith } from '@tagway/store/test';
import { DataType, type Layout } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { expect } from 'chai';
import {
  AttributeIds,
  BrowseDirection,
  constructEventFilter,
  type DataValue,
  type NodeId,
  NodeClass,
  StatusCodes,
  TimestampsToReturn,
  type Variant,
} from 'node-opcua-client';
import type { EUInformation, Range } from 'node-opcua-types';
import { Client } from './kit/client.ts';
import { startServer, subscriptionTo } from './kit/node.ts';

const { INT32, STRING } = DataType;

function group(name: string, tags: readonly string[], version = 1): Layout {
  const info = tags.map((tag) => ({ name: tag, type: INT32, description: `The tag ${tag}` }));
  return layoutOf(info, { driver: 'plant', group: name, version });
}

/** Names below a node, in their order. */
async function below(client: Client, nodeId: string): Promise<string[]> {
  const { references } = await client.session.browse({
    nodeId,
    browseDirection: BrowseDirection.Forward,
    referenceTypeId: 'HierarchicalReferences',
    includeSubtypes: true,
    nodeClassMask: NodeClass.Object | NodeClass.Variable,
    resultMask: 63,
  });
  return (references ?? [])
    .filter(({ browseName }) => browseName.name !== 'NodeVersion')
    .map(({ browseName }) => browseName.name ?? '');
}

describe('address space', function () {
  this.timeout(30_000);

  it('has a folder for each driver and group, and a variable for each tag', async () => {
    await using node = await startServer();
    const layout = layoutOf(
      [
        { name: 'level', type: INT32, description: 'Level of the tank', writable: false },
        { name: 'a/b%"c', type: STRING },
      ],
      {
        driver: 'plant',
        group: 'fast',
        writeOnly: [{ ...layoutOf([{ name: 'start', type: INT32 }]).columns[0]!, name: 'start' }],
      },
    );
    node.app.subscriptionsChanged([subscriptionTo(layout)]);
    await using client = await Client.connect(node.port);
    expect(await below(client, 'ObjectsFolder')).to.include('Tagway');
    expect(await below(client, client.id('/'))).to.deep.equal(['plant']);
    expect(await below(client, client.id('plant'))).to.deep.equal(['fast']);
    expect(await below(client, client.id('plant/fast'))).to.deep.equal(['level', 'a/b%"c', 'start']);
    const { DisplayName, Description, AccessLevel, MinimumSamplingInterval } = AttributeIds;
    const text = (value: DataValue): unknown => (value.value.value as { text: unknown }).text;
    expect(text(await client.read('plant/fast/level', Description))).to.equal('Level of the tank');
    expect(text(await client.read('plant/fast/a%2Fb%25%22c', DisplayName))).to.equal('a/b%"c');
    expect((await client.read('plant/fast/level', AccessLevel)).value.value).to.equal(1);
    expect((await client.read('plant/fast/a%2Fb%25%22c', AccessLevel)).value.value).to.equal(3);
    expect((await client.read('plant/fast/start', AccessLevel)).value.value).to.equal(2);
    expect((await client.read('plant/fast/start')).statusCode).to.equal(StatusCodes.BadNotReadable);
    expect((await client.read('plant/fast/level', MinimumSamplingInterval)).value.value).to.equal(0);
    expect((await client.read('plant/fast/none')).statusCode).to.equal(StatusCodes.BadNodeIdUnknown);
  });

  it('has the unit and the span of a tag as properties, which change with it and leave monitored items alone', async () => {
    await using node = await startServer();
    const plain = group('fast', ['known', 'text', 'none']);
    const described = (version: number, ...more: readonly object[]): Layout => ({
      ...plain,
      version,
      columns: plain.columns.map((column, index) => ({ ...column, ...more[index] })),
    });
    const first = described(1, { unit: 'Cel', low: -40, high: 125.5 }, { unit: 'boxes' }, {});
    node.app.subscriptionsChanged([subscriptionTo(first)]);
    await using client = await Client.connect(node.port);
    const ended: unknown[] = [];
    await client.monitor(['plant/fast/known', 'plant/fast/none'], ({ statusCode }) =>
      ended.push(statusCode.name),
    );
    const propertiesOf = async (tag: string): Promise<unknown> => {
      const names = await below(client, client.id(`plant/fast/${tag}`));
      const values = names.map((name) => client.read(`plant/fast/${tag}/${name}`));
      return (await Promise.all(values)).map(({ value }, index) => {
        const { unitId, displayName, low, high } = value.value as EUInformation & Range;
        return names[index] === 'EURange' ? [low, high] : [unitId, displayName.text];
      });
    };
    // The numbers are those of the OPC Foundation's list.
    expect(await propertiesOf('known')).to.deep.equal([
      [4408652, '°C'],
      [-40, 125.5],
    ]);
    expect(await propertiesOf('text')).to.deep.equal([[-1, 'boxes']]);
    expect(await propertiesOf('none')).to.deep.equal([]);
    const second = described(2, { unit: 'kW.h' }, { low: 0, high: 1 }, { unit: '4O' });
    node.app.subscriptionsChanged([subscriptionTo(second)]);
    expect(await propertiesOf('known')).to.deep.equal([[4937544, 'kW·h']]);
    expect(await propertiesOf('text')).to.deep.equal([[0, 1]]);
    expect(await propertiesOf('none')).to.deep.equal([[-1, '4O']]);
    expect((await client.read('plant/fast/known/EURange')).statusCode).to.equal(StatusCodes.BadNodeIdUnknown);
    node.app.subscriptionsChanged([subscriptionTo(plain)]);
    expect(await propertiesOf('none')).to.deep.equal([]);
    expect(ended).to.not.include('BadNodeIdUnknown');
    node.app.subscriptionsChanged([subscriptionTo(second)]);
    node.app.subscriptionsChanged([]);
    expect((await client.read('plant/fast/known/EngineeringUnits')).statusCode).to.equal(
      StatusCodes.BadNodeIdUnknown,
    );
  });

  it('has the tags of a subscription with a path in its folders, under their own node ids', async () => {
    await using node = await startServer();
    const fast = group('fast', ['a']);
    const slow = group('slow', ['a']);
    node.app.subscriptionsChanged([
      subscriptionTo(fast, { path: 'site/hall 1', name: '{group}.{tag}' }, 1),
      subscriptionTo(slow, { path: '/site/hall 1/', name: '{group}.{tag}' }, 2),
    ]);
    await using client = await Client.connect(node.port);
    expect(await below(client, client.id('/'))).to.deep.equal(['site']);
    expect(await below(client, client.id('/site/hall 1'))).to.deep.equal(['fast.a', 'slow.a']);
    expect((await client.read('plant/fast/a')).statusCode).to.equal(StatusCodes.BadWaitingForInitialData);
    node.app.subscriptionsChanged([]);
    expect(await below(client, client.id('/'))).to.deep.equal([]);
  });

  it('reports a folder that goes and comes back in one change', async () => {
    await using node = await startServer();
    node.app.subscriptionsChanged([subscriptionTo(group('one', ['a']), { path: 'hall' })]);
    await using client = await Client.connect(node.port);
    const changes: string[] = [];
    const subscription = await client.monitor([], () => undefined);
    const events = await subscription.monitor(
      { nodeId: 'Server', attributeId: AttributeIds.EventNotifier },
      { samplingInterval: 0, queueSize: 10, discardOldest: true, filter: constructEventFilter(['Changes']) },
      TimestampsToReturn.Both,
    );
    events.on('changed', (fields: unknown) => {
      for (const { affected, verb } of (fields as Variant[])[0]?.value as {
        affected: NodeId;
        verb: number;
      }[])
        changes.push(`${verb} ${affected.toString()}`);
    });
    // The item begins to take events a moment after it was made.
    await client.read('plant/one/a');
    node.app.subscriptionsChanged([subscriptionTo(group('two', ['a'], 2), { path: 'hall' })]);
    await until('the event is there', () => changes.length > 0);
    const at = (reference: string): string => client.id(reference);
    expect(changes).to.deep.equal([
      `2 ${at('plant/one/a')}`,
      `2 ${at('/hall')}`,
      `1 ${at('/hall')}`,
      `1 ${at('plant/two/a')}`,
      `12 ${at('/')}`,
      `4 ${at('/hall')}`,
    ]);
    expect(await below(client, at('/hall'))).to.deep.equal(['a']);
  });

  it('changes the nodes that a change concerns, says so in one event, and leaves monitored items alone', async () => {
    await using node = await startServer();
    const kept = subscriptionTo(group('kept', ['k']), undefined, 1);
    const before = group('fast', ['a', 'b', 'c']);
    node.app.subscriptionsChanged([kept, subscriptionTo(before, undefined, 2)]);
    await using client = await Client.connect(node.port);
    const values: [index: number, value: unknown][] = [];
    const subscription = await client.monitor(
      ['plant/kept/k', 'plant/fast/a', 'plant/fast/b'],
      ({ value, statusCode }, index) => {
        values.push([index, statusCode.isGood() ? value.value : statusCode.name]);
      },
    );
    const changes: string[] = [];
    const events = await subscription.monitor(
      { nodeId: 'Server', attributeId: AttributeIds.EventNotifier },
      {
        samplingInterval: 0,
        queueSize: 100,
        discardOldest: true,
        filter: constructEventFilter(['EventType', 'Changes']),
      },
      TimestampsToReturn.Both,
    );
    events.on('changed', (fields: unknown) => {
      for (const { affected, verb } of (fields as Variant[])[1]?.value as {
        affected: NodeId;
        verb: number;
      }[])
        changes.push(`${verb} ${affected.toString()}`);
    });
    await until('the first values are there', () => values.length === 3);
    values.length = 0;
    // `b` goes, `d` comes, `c` gets another type.
    const after = layoutOf(
      [
        { name: 'a', type: INT32 },
        { name: 'c', type: STRING },
        { name: 'd', type: INT32 },
      ],
      { driver: 'plant', group: 'fast', version: 2 },
    );
    const fresh = subscriptionTo(after, undefined, 2);
    node.app.subscriptionsChanged([kept, fresh]);
    node.deliver(sampleWith(kept.layout, [7]), kept);
    node.deliver(sampleWith(after, [1, 'text', 2]), fresh);
    // A sample from before the change: what is still there and of the same type takes it.
    node.deliver(sampleWith(before, [5, 6, 7]), fresh);
    const at = (name: string): string => client.id(`plant/fast${name}`);
    await until('the event is there', () => changes.length > 0);
    expect(changes).to.deep.equal([
      `2 ${at('/b')}`,
      `2 ${at('/c')}`,
      `1 ${at('/c')}`,
      `1 ${at('/d')}`,
      `12 ${at('')}`,
    ]);
    await until('the values are there', () => values.length >= 3);
    expect(values.filter(([index]) => index !== 2)).to.deep.equal([
      [0, 7],
      [1, 1],
      [1, 5],
    ]);
    expect((await client.read('plant/fast/c')).value.value).to.equal('text');
    expect((await client.read('plant/fast/b')).statusCode).to.equal(StatusCodes.BadNodeIdUnknown);
  });
});
