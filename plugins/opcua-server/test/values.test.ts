import { layoutOf, sampleWith } from '@tagway/store/test';
import { DataType, ErrorCode, Quality, type Value } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { expect } from 'chai';
import {
  AttributeIds,
  DataChangeFilter,
  DataChangeTrigger,
  DataType as VariableType,
  type DataValue,
  DeadbandType,
  StatusCodes,
  TimestampsToReturn,
} from 'node-opcua-client';
import { Client } from './kit/client.ts';
import { startServer, subscriptionTo } from './kit/node.ts';

/** A type of tags, the type that a client sees, and values with what a client gets. */
const types: readonly (readonly [DataType, VariableType, readonly (readonly [Value, unknown])[]])[] = [
  [
    DataType.INT8,
    VariableType.SByte,
    [
      [-128, -128],
      [127, 127],
    ],
  ],
  [DataType.UINT8, VariableType.Byte, [[255, 255]]],
  [DataType.INT16, VariableType.Int16, [[-32_768, -32_768]]],
  [DataType.UINT16, VariableType.UInt16, [[65_535, 65_535]]],
  [DataType.INT32, VariableType.Int32, [[-2_147_483_648, -2_147_483_648]]],
  [DataType.UINT32, VariableType.UInt32, [[4_294_967_295, 4_294_967_295]]],
  [
    DataType.INT64,
    VariableType.Int64,
    [
      [-1n, [0xffff_ffff, 0xffff_ffff]],
      [-(2n ** 63n), [0x8000_0000, 0]],
    ],
  ],
  [DataType.UINT64, VariableType.UInt64, [[2n ** 64n - 1n, [0xffff_ffff, 0xffff_ffff]]]],
  [DataType.FLOAT, VariableType.Float, [[1.5, 1.5]]],
  [
    DataType.DOUBLE,
    VariableType.Double,
    [
      [5e-324, 5e-324],
      [-1.7976931348623157e308, -1.7976931348623157e308],
    ],
  ],
  [DataType.BIT, VariableType.Byte, [[1, 1]]],
  [DataType.BOOL, VariableType.Boolean, [[true, true]]],
  [
    DataType.STRING,
    VariableType.String,
    [
      ['zwölf', 'zwölf'],
      ['', ''],
    ],
  ],
  [DataType.BYTES, VariableType.ByteString, [[Uint8Array.of(0, 255), Buffer.from([0, 255])]]],
];

describe('values', function () {
  this.timeout(30_000);

  it('has a variable of every type, with the extremes of the type', async () => {
    const layout = layoutOf(types.map(([type]) => ({ name: `t${type}`, type })));
    await using node = await startServer();
    const subscription = subscriptionTo(layout);
    node.app.subscriptionsChanged([subscription]);
    await using client = await Client.connect(node.port);
    const rounds = Math.max(...types.map(([, , values]) => values.length));
    for (let round = 0; round < rounds; round++) {
      const chosen = types.map(([, , values]) => values[round] ?? values[0]!);
      node.deliver(
        sampleWith(
          layout,
          chosen.map(([value]) => value),
        ),
        subscription,
      );
      for (const [index, [type, variable]] of types.entries()) {
        const { value, statusCode, sourceTimestamp } = await client.read(`modbus/grp/t${type}`);
        expect(statusCode, `t${type}`).to.equal(StatusCodes.Good);
        expect(value.dataType, `t${type}`).to.equal(variable);
        expect(plain(value.value), `t${type}`).to.deep.equal(plain(chosen[index]![1]));
        expect(sourceTimestamp?.getTime()).to.equal(1_650_006_388_943);
      }
    }
  });

  it('gives every sample to every monitored item, in order, whatever interval it asks for', async () => {
    const layout = layoutOf([{ name: 'a', type: DataType.INT32 }]);
    await using node = await startServer();
    const subscription = subscriptionTo(layout);
    node.app.subscriptionsChanged([subscription]);
    await using client = await Client.connect(node.port);
    const got: unknown[] = [];
    const take = ({ value, statusCode }: DataValue): void =>
      void got.push(statusCode.isGood() ? value.value : statusCode.name);
    await client.monitor(['modbus/grp/a'], take, { samplingInterval: 60_000 });
    await until('the item has its first value', () => got.length === 1);
    for (let count = 0; count < 50; count++) node.deliver(sampleWith(layout, [count]), subscription);
    await until('all samples are there', () => got.length > 50);
    expect(got).to.deep.equal([
      'BadWaitingForInitialData',
      ...Array.from({ length: 50 }, (_, index) => index),
    ]);
  });

  it('publishes what lies outside of an absolute deadband, and refuses one in percent of a span that tags do not have', async () => {
    const layout = layoutOf([{ name: 'a', type: DataType.DOUBLE }]);
    await using node = await startServer();
    const subscription = subscriptionTo(layout);
    node.app.subscriptionsChanged([subscription]);
    node.deliver(sampleWith(layout, [0]), subscription);
    await using client = await Client.connect(node.port);
    const got: unknown[] = [];
    const deadband = (deadbandType: DeadbandType): DataChangeFilter =>
      new DataChangeFilter({ trigger: DataChangeTrigger.StatusValue, deadbandType, deadbandValue: 2 });
    const filter = deadband(DeadbandType.Absolute);
    const monitored = await client.monitor(['modbus/grp/a'], ({ value }) => got.push(value.value), {
      filter,
    });
    await until('the item has its first value', () => got.length === 1);
    for (const value of [1, 2, 3, 4, 6]) node.deliver(sampleWith(layout, [value]), subscription);
    await until('the last value is there', () => got.includes(6));
    expect(got).to.deep.equal([0, 3, 6]);
    const refused = await monitored.monitorItems(
      [{ nodeId: client.id('modbus/grp/a'), attributeId: AttributeIds.Value }],
      { samplingInterval: 0, queueSize: 1, discardOldest: true, filter: deadband(DeadbandType.Percent) },
      TimestampsToReturn.Both,
    );
    expect(refused.monitoredItems[0]?.statusCode).to.equal(StatusCodes.BadMonitoredItemFilterUnsupported);
  });

  it('drops the oldest values of a full queue, of any status, and marks the next one', async () => {
    const layout = layoutOf([
      { name: 'a', type: DataType.INT32 },
      { name: 'b', type: DataType.INT32 },
    ]);
    await using node = await startServer();
    const subscription = subscriptionTo(layout);
    node.app.subscriptionsChanged([subscription]);
    await using client = await Client.connect(node.port);
    const got: string[] = [];
    const take = ({ value, statusCode }: DataValue, index: number): void =>
      void got.push(`${index} ${statusCode.isGood() ? String(value.value) : statusCode.name}`);
    await client.monitor(['modbus/grp/a', 'modbus/grp/b'], take, { queueSize: 2 }, 300);
    await until('the items have their first values', () => got.length === 2);
    got.length = 0;
    const qualities = Uint32Array.of(Quality.STALE, Quality.GOOD);
    for (let count = 0; count < 4; count++)
      node.deliver(sampleWith(layout, [count, count], { qualities }), subscription);
    node.deliver(sampleWith(layout, [{ fault: ErrorCode.DISCONNECTED }, 4]), subscription);
    await until('what is left is there', () => got.length === 4);
    expect(got.filter((one) => one.startsWith('0'))).to.have.length(2);
    expect(got[0]).to.match(/^0 UncertainLastUsableValue.*Overflow/);
    expect(got.slice(1)).to.deep.equal(['0 BadNoCommunication', '1 Good#InfoTypeDataValue|Overflow', '1 4']);
  });

  it('says with the status why there is no value', async () => {
    const layout = layoutOf([{ name: 'a', type: DataType.INT32 }]);
    await using node = await startServer();
    const subscription = subscriptionTo(layout);
    node.app.subscriptionsChanged([subscription]);
    await using client = await Client.connect(node.port);
    expect((await client.read('modbus/grp/a')).statusCode).to.equal(StatusCodes.BadWaitingForInitialData);
    node.deliver(sampleWith(layout, [{ fault: ErrorCode.DISCONNECTED }]), subscription);
    const { statusCode, value } = await client.read('modbus/grp/a');
    expect(statusCode).to.equal(StatusCodes.BadNoCommunication);
    expect(value.dataType).to.equal(VariableType.Null);
  });
});

function plain(value: unknown): unknown {
  return ArrayBuffer.isView(value) || Array.isArray(value) ? Array.from(value as ArrayLike<number>) : value;
}
