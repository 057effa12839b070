import { aedesBroker, layoutOf, sampleWith } from '@tagway/broker/test';
import { expect } from 'chai';
import { DataType, ErrorCode, Fault, LinkState } from '@tagway/sdk';
import type { TagWrite } from '@tagway/sdk';
import { randomOf, until } from '@tagway/testkit';
import { valueFor } from '../src/commands.ts';
import { SparkplugType } from '../src/datatype.ts';
import { decodeMetrics } from '../src/decode.ts';
import { Host, spb } from './host.ts';
import { feed, launchRun, type Run } from './run.ts';

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
): Promise<Run> {
  const write = (writes: readonly TagWrite[]): Promise<(Fault | undefined)[]> =>
    Promise.resolve(
      writes.map(({ tag }) =>
        refuses && tag === 'text'
          ? new Fault(ErrorCode.TAG_NOT_WRITABLE, 'The tag cannot be written.')
          : undefined,
      ),
    );
  const run = await launchRun(port, params, { write });
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

  it('that cannot be carried out are told to the operator', async () => {
    for (const [metrics, device, reason] of [
      [[{ name: 'none', type: 'Int16', value: 1 }], 'modbus', 'for the metric none, which it does not have'],
      [[{ name: 'word', type: 'Int16', value: 1 }], 'nobody', 'the device nobody'],
      [[{ name: 'word', type: 'String', value: 'x' }], 'modbus', "its value is not of the metric's type"],
      [[{ name: 'word', type: 'Int16', value: null }], 'modbus', "its value is not of the metric's type"],
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

  it('that a driver refuses are told with the reason', async () => {
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
    let [read, refused] = [0, 0];
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

  it('have values that are read by the type of the metric, however a host sends them', () => {
    expect(valueFor(SparkplugType.INT16, 4_294_967_284)).to.equal(-12);
    expect(valueFor(SparkplugType.INT16, 65_524)).to.equal(-12);
    expect(valueFor(SparkplugType.INT8, 200)).to.equal(-56);
    expect(valueFor(SparkplugType.INT32, 4_294_967_295)).to.equal(-1);
    expect(valueFor(SparkplugType.INT16, 2n ** 64n - 12n)).to.equal(-12);
    expect(valueFor(SparkplugType.UINT32, 4_294_967_295n)).to.equal(4_294_967_295);
    expect(valueFor(SparkplugType.INT64, 2n ** 64n - 1n)).to.equal(-1n);
    expect(valueFor(SparkplugType.INT64, 4_294_967_295)).to.equal(-1n);
    expect(valueFor(SparkplugType.UINT64, 2n ** 64n - 1n)).to.equal(2n ** 64n - 1n);
    expect(valueFor(SparkplugType.DOUBLE, 3n)).to.equal(3);
    expect(valueFor(SparkplugType.BOOLEAN, 1)).to.equal(true);
    expect(valueFor(SparkplugType.BOOLEAN, 2)).to.equal(undefined);
    expect(valueFor(SparkplugType.STRING, 1)).to.equal(undefined);
    expect(valueFor(SparkplugType.INT16, true)).to.equal(undefined);
  });
});
