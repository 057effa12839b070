import { aedesBroker, layoutOf, sampleWith } from '@tagway/mqtt-client/test';
import { expect } from 'chai';
import { DataType, ErrorCode, Fault, LinkState } from '@tagway/sdk';
import type { TagWrite } from '@tagway/sdk';
import { randomOf, until } from '@tagway/testkit';
import { commandValue } from '../src/command-value.ts';
import { SparkplugType, typeOf } from '../src/datatype.ts';
import { decodeMetrics } from '../src/decode.ts';
import { bytesField, MetricKey, numberField, PayloadKey, ValueKey, writeVarint64 } from '../src/wire.ts';
import { shows } from './assertions.ts';
import { Host, spb } from './host.ts';
import { feed, launchNode, type SparkplugTestNode } from './nodes.ts';

const layout = layoutOf(
  [
    { name: 'small', type: DataType.INT8 },
    { name: 'word', type: DataType.INT16 },
    { name: 'wide', type: DataType.INT64 },
    { name: 'large', type: DataType.UINT64 },
    { name: 'count', type: DataType.UINT32 },
    { name: 'single', type: DataType.FLOAT },
    { name: 'real', type: DataType.DOUBLE },
    { name: 'bit', type: DataType.BIT },
    { name: 'text', type: DataType.STRING },
    { name: 'bytes', type: DataType.BYTES },
  ],
  {
    writeOnly: [
      {
        name: 'secret',
        type: DataType.INT16,
        valueType: DataType.INT16,
        precision: 0,
        address: '',
        description: '',
      },
    ],
  },
);

const sample = sampleWith(layout, [0, 0, 0n, 0n, 0, 0, 0, 0, '', new Uint8Array(0)], {
  timestamp: Date.now(),
});

/** A run with the device `modbus` that is born, and whose driver refuses the tag `text` when it is told to. */
async function startDevice(
  port: number,
  host: Host,
  params: Record<string, unknown> = {},
  refuses = false,
): Promise<SparkplugTestNode> {
  const write = (writes: readonly TagWrite[]): Promise<(Fault | undefined)[]> =>
    Promise.resolve(
      writes.map(({ tag }) =>
        refuses && tag === 'text'
          ? new Fault(ErrorCode.TAG_NOT_WRITABLE, 'The tag cannot be written.')
          : undefined,
      ),
    );
  const run = await launchNode(port, params, { write });
  await until('the node is connected', () => run.link === LinkState.CONNECTED);
  feed(run, sample);
  await host.wait('DBIRTH');
  return run;
}

describe('commands', () => {
  it('write tags of every type, several metrics at once, and write-only tags', async () => {
    await using broker = await aedesBroker();
    await using host = await Host.connect(broker.port);
    await using run = await startDevice(broker.port, host);
    await host.command(
      [
        { name: 'small', type: 'Int8', value: -3 },
        { name: 'word', type: 'Int16', value: -12 },
        { name: 'wide', type: 'Int64', value: -5 },
        { name: 'large', type: 'UInt64', value: 5 },
        { name: 'count', type: 'UInt32', value: 4_000_000_000 },
        { name: 'single', type: 'Float', value: 1.5 },
        { name: 'real', type: 'Double', value: 0.1 },
        { name: 'bit', type: 'Boolean', value: true },
        { name: 'text', type: 'String', value: 'Größe' },
        { name: 'bytes', type: 'Bytes', value: Uint8Array.of(1, 2) },
        { name: 'secret', type: 'Int16', value: 7 },
      ],
      'modbus',
    );
    await until('the tags are written', () => run.written.length === 1);
    const at = { driver: 'modbus', group: 'grp' };
    expect(run.written[0]).to.deep.equal([
      { ...at, tag: 'small', value: -3 },
      { ...at, tag: 'word', value: -12 },
      { ...at, tag: 'wide', value: -5n },
      { ...at, tag: 'large', value: 5n },
      { ...at, tag: 'count', value: 4_000_000_000 },
      { ...at, tag: 'single', value: 1.5 },
      { ...at, tag: 'real', value: 0.1 },
      { ...at, tag: 'bit', value: true },
      { ...at, tag: 'text', value: 'Größe' },
      { ...at, tag: 'bytes', value: Uint8Array.of(1, 2) },
      { ...at, tag: 'secret', value: 7 },
    ]);
    const birth = host.of('DBIRTH')[0]?.payload.metrics.at(-1);
    expect([birth?.name, birth?.isNull]).to.deep.equal(['secret', true]);
    shows('device commands');
  });

  it('are answered by the value that has changed', async () => {
    await using broker = await aedesBroker();
    await using host = await Host.connect(broker.port);
    await using run = await startDevice(broker.port, host);
    await host.command([{ name: 'word', type: 'Int16', value: 5 }], 'modbus');
    await until('the tag is written', () => run.written.length === 1);
    feed(run, {
      ...sample,
      numbers: Float64Array.from(sample.numbers, (value, index) => (index === 1 ? 5 : value)),
    });
    await until('the host sees the value', () => host.value('word') === 5);
  });

  it('may call metrics by their aliases', async () => {
    await using broker = await aedesBroker();
    await using host = await Host.connect(broker.port);
    await using run = await startDevice(broker.port, host, { alias: true });
    const alias = host.of('DBIRTH')[0]?.payload.metrics[1]?.alias?.toNumber();
    await host.command([{ alias, type: 'Int16', value: 9 }], 'modbus');
    await until('the tag is written', () => run.written.length === 1);
    expect(run.written[0]).to.deep.equal([{ driver: 'modbus', group: 'grp', tag: 'word', value: 9 }]);
  });

  it('that cannot be carried out are logged for the operator', async () => {
    for (const [metrics, device, reason] of [
      [[{ name: 'none', type: 'Int16', value: 1 }], 'modbus', 'for the metric none, which it does not have'],
      [[{ name: 'word', type: 'Int16', value: 1 }], 'nobody', 'the device nobody'],
      [[{ name: 'word', type: 'String', value: 'x' }], 'modbus', 'a text is no value of its type Int16'],
      [[{ name: 'word', type: 'Int16', value: null }], 'modbus', 'it has no value'],
      [[{ name: 'Node Control/Reboot', type: 'Boolean', value: true }], undefined, 'the node itself'],
    ] as const) {
      await using broker = await aedesBroker();
      await using host = await Host.connect(broker.port);
      await using run = await startDevice(broker.port, host);
      await host.command(metrics, device);
      await until(`the log says ${reason}`, () => run.lines.join().includes(reason));
      expect(run.written).to.deep.equal([]);
    }
  });

  it('that a driver refuses are logged with the reason', async () => {
    await using broker = await aedesBroker();
    await using host = await Host.connect(broker.port);
    await using run = await startDevice(broker.port, host, {}, true);
    await host.command([{ name: 'text', type: 'String', value: 'x' }], 'modbus');
    await until('the log says why', () => run.lines.join().includes('The tag cannot be written.'));
  });

  it('that are retained are ignored', async () => {
    await using broker = await aedesBroker();
    await using host = await Host.connect(broker.port);
    await host.command([{ name: 'word', type: 'Int16', value: 1 }], 'modbus', { retain: true });
    await using run = await startDevice(broker.port, host);
    await until('the log says why', () => run.lines.join().includes('which is retained'));
    expect(run.written).to.deep.equal([]);
  });

  it('that are no payloads are ignored', async () => {
    await using broker = await aedesBroker();
    await using host = await Host.connect(broker.port);
    await using run = await startDevice(broker.port, host);
    await host.client.publishAsync('spBv1.0/plant/NCMD/edge', 'garbage');
    await until('the log says why', () => run.lines.join().includes('which is no Sparkplug payload'));
    await host.rebirth();
    await host.wait('DBIRTH', 2);
  });

  it('of any bytes are survived', () => {
    const random = randomOf(3);
    const good = Buffer.from(
      spb.encodePayload({
        timestamp: 1,
        metrics: [
          { name: 'a', type: 'Int16', value: -1 },
          { name: 'b', type: 'String', value: 'text' },
          { name: 'c', type: 'Double', value: 1.5 },
        ],
      }),
    );
    let read = 0;
    let refused = 0;
    for (let round = 0; round < 20_000; round++) {
      const bytes = Buffer.from(good.subarray(0, 1 + random(good.length)));
      for (let count = random(3); count > 0; count--) bytes[random(bytes.length)] = random(256);
      try {
        decodeMetrics(bytes);
        read++;
      } catch (error) {
        expect(error).to.be.instanceOf(Error);
        refused++;
      }
    }
    expect(read).to.be.greaterThan(100);
    expect(refused).to.be.greaterThan(100);
  });

  it('have values that are read by the type of the metric where they do not say theirs, however a host sends them', () => {
    const { INT, LONG, DOUBLE, BOOLEAN } = ValueKey;
    for (const [type, value, field, expected] of [
      [SparkplugType.INT16, 4_294_967_284, INT, -12],
      [SparkplugType.INT16, 65_524, INT, -12],
      [SparkplugType.INT8, 200, INT, -56],
      [SparkplugType.INT32, 4_294_967_295, INT, -1],
      [SparkplugType.INT16, 2n ** 64n - 12n, LONG, -12],
      [SparkplugType.UINT32, 4_294_967_295n, LONG, 4_294_967_295],
      [SparkplugType.INT64, 2n ** 64n - 1n, LONG, -1n],
      [SparkplugType.INT64, 4_294_967_295, INT, -1n],
      [SparkplugType.UINT64, 2n ** 64n - 1n, LONG, 2n ** 64n - 1n],
      [SparkplugType.DOUBLE, 3n, LONG, 3],
      [SparkplugType.INT16, -3, DOUBLE, -3],
      [SparkplugType.BOOLEAN, 1, INT, true],
      [SparkplugType.BOOLEAN, false, BOOLEAN, false],
    ] as const)
      expect(commandValue(type, { value, field }), `${type} ${value}`).to.deep.equal({ value: expected });
  });

  it('whose values do not fit are refused, with a sentence', async () => {
    await using broker = await aedesBroker();
    await using host = await Host.connect(broker.port);
    await using run = await startDevice(broker.port, host);
    const long = (value: bigint): Buffer => Buffer.concat([numberKey(ValueKey.LONG), varintOf(value)]);
    const int = (value: bigint): Buffer => Buffer.concat([numberKey(ValueKey.INT), varintOf(value)]);
    const bool = (value: bigint): Buffer => Buffer.concat([numberKey(ValueKey.BOOLEAN), varintOf(value)]);
    const double = Buffer.concat([numberKey(ValueKey.DOUBLE), Buffer.from(Float64Array.of(40_000).buffer)]);
    const text = bytesField(ValueKey.STRING, Buffer.from('x'));
    const cases: readonly [name: string, datatype: number | undefined, field: Buffer, reason: string][] = [
      ['wide', 8, long(2n ** 63n), '9223372036854775808 is no value of its type Int64'],
      ['bit', 3, int(2n), '2 is no value of its type Boolean'],
      ['bit', 11, bool(2n), '2 is no value of its type Boolean'],
      ['bit', 3, bool(1n), 'its data type is Int32, but its value is in boolean_value'],
      ['word', 99, int(1n), 'its data type is 99, which is none that a tag can be written with'],
      ['word', 0, int(1n), 'its data type is 0, which is none'],
      ['text', 12, int(1n), 'its data type is String, but its value is in int_value'],
      ['text', undefined, int(1n), '1 is no value of its type String'],
      ['small', 3, int(200n), '200 is no value of its type Int8'],
      ['small', undefined, int(300n), '300 is no value of its type Int8'],
      ['word', undefined, double, '40000 is no value of its type Int16'],
      ['large', 4, long(2n ** 64n - 1n), '-1 is no value of its type UInt64'],
      ['count', 8, long(2n ** 32n), '4294967296 is no value of its type UInt32'],
      ['real', 12, text, 'a text is no value of its type Double'],
      ['word', undefined, Buffer.alloc(0), 'it has no value'],
    ];
    for (const [name, datatype, field, reason] of cases) {
      const type = datatype === undefined ? Buffer.alloc(0) : numberField(MetricKey.DATATYPE, datatype);
      const metric = Buffer.concat([bytesField(MetricKey.NAME, Buffer.from(name)), type, field]);
      const [read] = decodeMetrics(bytesField(PayloadKey.METRIC, metric));
      const target = layout.columns.find((column) => column.name === name)!;
      expect(commandValue(typeOf(target), read!), `${name} as ${datatype}`)
        .to.have.property('problem')
        .that.includes(reason);
      await host.client.publishAsync('spBv1.0/plant/DCMD/edge/modbus', bytesField(PayloadKey.METRIC, metric));
    }
    await until('the log says why', () => run.lines.join().includes(`for the metric wide: ${cases[0]?.[3]}`));
    await host.command([{ name: 'word', type: 'UInt64', value: 7 }], 'modbus');
    await until('a good one is carried out after them', () => run.written.length > 0);
    expect(run.written).to.deep.equal([[{ driver: 'modbus', group: 'grp', tag: 'word', value: 7 }]]);
  });
});

const numberKey = (key: number): Buffer => Buffer.of(key);

function varintOf(value: bigint): Buffer {
  const bytes = Buffer.alloc(10);
  const end = writeVarint64(bytes, 0, Number(value & 0xffff_ffffn), Number(value >> 32n));
  return bytes.subarray(0, end);
}
