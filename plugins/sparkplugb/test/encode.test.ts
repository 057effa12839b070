import { spawnSync } from 'node:child_process';
import { layoutOf, sampleWith, type Tag } from '@tagway/mqtt-client/test';
import { expect } from 'chai';
import { DataType, ErrorCode, Quality } from '@tagway/sdk';
import type { Sample, Value } from '@tagway/sdk';
import { randomOf } from '@tagway/testkit';
import { GroupState } from '../src/group-state.ts';
import { bdSeqMetric, payloadOf, rebirthMetric } from '../src/payload.ts';
import { GroupPlan } from '../src/group-plan.ts';
import { shows } from './assertions.ts';
import { spb } from './host.ts';
import { decode, plain, type WireMetric } from './oracle.ts';

/** What 64-bit integers come as in that library, with or without their sign by the version of what it counts with. */
interface Long {
  readonly toString: () => string;
}

const hasProtoc = spawnSync('protoc', ['--version']).error === undefined;

/** Values at the borders of every type. */
const borders: readonly (readonly [DataType, readonly Value[]])[] = [
  [DataType.INT8, [-128, -1, 0, 1, 127]],
  [DataType.INT16, [-32_768, -12, 0, 32_767]],
  [DataType.INT32, [-2_147_483_648, -1, 0, 2_147_483_647]],
  [DataType.INT64, [-(2n ** 63n), -1n, 0n, 1n, 2n ** 32n, 2n ** 53n + 1n, 2n ** 63n - 1n]],
  [DataType.UINT8, [0, 127, 128, 255]],
  [DataType.UINT16, [0, 16_383, 16_384, 65_535]],
  [DataType.UINT32, [0, 2_097_151, 2_097_152, 268_435_455, 268_435_456, 4_294_967_295]],
  [DataType.UINT64, [0n, 2n ** 31n, 2n ** 35n - 1n, 2n ** 35n, 2n ** 63n, 2n ** 64n - 1n]],
  [DataType.FLOAT, [0, -0, 1.5, Math.fround(3.4e38), Infinity, NaN]],
  [DataType.DOUBLE, [0, 0.1, -1.7976931348623157e308, 5e-324, NaN]],
  [DataType.BIT, [0, 1]],
  [DataType.BOOL, [false, true]],
  [DataType.STRING, ['', 'text', 'Größe 压力 🜁', 'x'.repeat(70_000)]],
  [DataType.BYTES, [new Uint8Array(0), Uint8Array.of(0, 255, 1), new Uint8Array(300).fill(7)]],
];

const tags: Tag[] = borders.flatMap(([type, values]) =>
  values.map((_, index) => ({ name: `${type}/${index}`, type })),
);
const all: Value[] = borders.flatMap(([, values]) => [...values]);
const layout = layoutOf(tags);

/** A value as the wire carries it, by the rules of Sparkplug 3.0, 6.4.16. */
function onWire(type: DataType, value: Value): unknown {
  if (typeof value === 'bigint') return BigInt.asUintN(64, value);
  if (value instanceof Uint8Array) return [...value];
  if (type === DataType.BIT) return value === 1;
  return typeof value === 'number' && type <= DataType.UINT32 && type !== DataType.FLOAT
    ? value >>> 0
    : value;
}

function stateOf(sampleLayout = layout, all_ = false): GroupState {
  return new GroupState(
    new GroupPlan(
      sampleLayout,
      sampleLayout.columns.map(({ name }) => name),
      undefined,
    ),
    all_,
  );
}

function metricsOf(state: GroupState, sample: Sample): readonly WireMetric[] {
  const [metrics, ...more] = state.take(sample);
  expect(more).to.deep.equal([]);
  return metrics === undefined ? [] : decode(payloadOf([metrics], 1)).metrics;
}

describe('the encoder', () => {
  it('gives every value of every type as the official schema reads it', () => {
    const metrics = metricsOf(stateOf(), sampleWith(layout, all));
    expect(metrics.map(plain)).to.deep.equal(
      all.map((value, index) => onWire(tags[index]?.type as DataType, value)),
    );
    expect(metrics.map(({ name }) => name)).to.deep.equal(tags.map(({ name }) => name));
  });

  it('gives births that sparkplug-payload decodes, values, types and timestamps', () => {
    const state = stateOf();
    const sample = sampleWith(layout, all);
    state.take(sample);
    const payload = spb.decodePayload(payloadOf([state.born(7)], 1_700_000_000_000, 5));
    expect(Number(payload.seq)).to.equal(5);
    expect(Number(payload.timestamp)).to.equal(1_700_000_000_000);
    payload.metrics?.forEach((metric, index) => {
      const { type, name } = tags[index] as Tag;
      const value = all[index] as Value;
      expect(metric.name).to.equal(name);
      expect(Number(metric.timestamp)).to.equal(sample.timestamp);
      expect(metric.type).to.equal(typeNames[type]);
      // That library reads UInt32 from the field of 64 bits, against the specification.
      if (type === DataType.UINT32) return;
      const plainly = metric.value instanceof Uint8Array ? [...metric.value] : metric.value;
      if (typeof value === 'bigint')
        expect(onWire(type, BigInt((plainly as unknown as Long).toString()))).to.equal(onWire(type, value));
      else if (type === DataType.BIT) expect(plainly).to.equal(value === 1);
      else expect(plainly).to.deep.equal(value instanceof Uint8Array ? [...value] : value);
    });
    expect(payload.metrics).to.have.length(tags.length);
    shows('metrics of a birth');
  });

  it('gives births the units and spans of tags, beside the quality, and data the quality alone', () => {
    const plain = layoutOf([
      { name: 'a', type: DataType.INT16 },
      { name: 'b', type: DataType.INT16 },
      { name: 'c', type: DataType.INT16 },
    ]);
    const [a, b, c] = plain.columns;
    const described = {
      ...plain,
      columns: [{ ...a!, unit: '°C', low: -40, high: 125.5 }, { ...b!, unit: 'kW.h' }, c!],
    };
    const state = stateOf(described);
    const qualities = Uint32Array.of(Quality.STALE, 0, 0);
    const data = payloadOf([state.take(sampleWith(described, [1, 2, 3], { qualities }))[0]!], 1);
    const propertiesOf = (bytes: Uint8Array): unknown[] =>
      (spb.decodePayload(bytes).metrics ?? []).map(({ properties }) =>
        Object.entries(properties ?? {}).map(([key, { type, value }]) => [key, type, value]),
      );
    const stale = ['Quality', 'Int32', 500];
    expect(propertiesOf(payloadOf([state.born(7)], 1, 0))).to.deep.equal([
      [stale, ['engUnit', 'String', '°C'], ['engLow', 'Double', -40], ['engHigh', 'Double', 125.5]],
      [['engUnit', 'String', 'kW.h']],
      [],
    ]);
    expect(propertiesOf(data)).to.deep.equal([[stale], [], []]);
  });

  (hasProtoc ? it : it.skip)(
    hasProtoc
      ? 'is read by protoc with our own schema'
      : 'is read by protoc with our own schema (skipped: protoc is not installed)',
    () => {
      const small = layoutOf([
        { name: 'Größe', type: DataType.INT16 },
        { name: 'count', type: DataType.UINT32 },
        { name: 'wide', type: DataType.UINT64 },
        { name: 'real', type: DataType.DOUBLE },
        { name: 'gone', type: DataType.FLOAT },
      ]);
      const state = stateOf(small);
      state.take(
        sampleWith(small, [-12, 4_294_967_295, 2n ** 64n - 1n, 0.5, { fault: ErrorCode.DISCONNECTED }], {
          qualities: Uint32Array.of(Quality.STALE, 0, 0, 0, 0),
        }),
      );
      const { stdout, stderr } = spawnSync(
        'protoc',
        ['--decode=Payload', '--proto_path', import.meta.dirname, 'sparkplug.proto'],
        {
          input: payloadOf([state.born(9), bdSeqMetric(255, 9), rebirthMetric(9)], 8, 200),
          encoding: 'utf8',
        },
      );
      expect(stderr).to.equal('');
      const metrics = stdout.split('metrics {').map((text) => text.replace(/\s+/g, ' ').trim());
      expect(metrics[0]).to.equal('timestamp: 8');
      expect(metrics[1]).to.contain(
        'datatype: 2 properties { keys: "Quality" values { type: 3 int_value: 500 } } int_value: 4294967284',
      );
      expect(metrics[2]).to.contain(
        'name: "count" timestamp: 1650006388943 datatype: 7 int_value: 4294967295',
      );
      expect(metrics[3]).to.contain('datatype: 8 long_value: 18446744073709551615');
      expect(metrics[4]).to.contain('datatype: 10 double_value: 0.5');
      expect(metrics[5]).to.contain('datatype: 9 is_null: true }');
      expect(metrics[6]).to.contain('name: "bdSeq" timestamp: 9 datatype: 4 long_value: 255 }');
      expect(metrics[7]).to.contain(
        'name: "Node Control/Rebirth" timestamp: 9 datatype: 11 boolean_value: false } seq: 200',
      );
    },
  );

  it('reports what differs from the last report, and everything that is due when it is told to', () => {
    const random = randomOf(11);
    const state = stateOf();
    const every = stateOf(layout, true);
    let last: readonly Value[] = all;
    metricsOf(state, sampleWith(layout, all));
    for (let round = 0; round < 50; round++) {
      const next = last.map((value, index) => {
        if (random(10) < 8) return value;
        const [, choices] = borders.find(([type]) => type === tags[index]?.type) as (typeof borders)[number];
        return choices[random(choices.length)] as Value;
      });
      const changed = tags.filter((_, index) => !isSame(next[index] as Value, last[index] as Value));
      const sample = sampleWith(layout, next);
      expect(metricsOf(state, sample).map(({ name }) => name)).to.deep.equal(changed.map(({ name }) => name));
      expect(metricsOf(every, sample)).to.have.length(tags.length);
      last = next;
    }
    shows('report by exception');
  });

  it('leaves out what is not due, and sends faults as null, once', () => {
    const pair = layoutOf([
      { name: 'a', type: DataType.INT16 },
      { name: 'b', type: DataType.INT16, onChange: true },
    ]);
    const state = stateOf(pair);
    metricsOf(state, sampleWith(pair, [1, 1]));
    expect(
      metricsOf(state, sampleWith(pair, [2, 2], { due: Uint8Array.of(1, 0) })).map(({ name }) => name),
    ).to.deep.equal(['a']);
    const failed = sampleWith(pair, [{ fault: ErrorCode.DISCONNECTED }, 1]);
    expect(metricsOf(state, failed).map(({ name, isNull }) => [name, isNull])).to.deep.equal([['a', true]]);
    expect(metricsOf(state, failed)).to.deep.equal([]);
    expect(metricsOf(state, sampleWith(pair, [2, 1])).map(plain)).to.deep.equal([2]);
  });

  it('tells source times, and a quality until it is good again', () => {
    const one = layoutOf([{ name: 'a', type: DataType.INT16 }]);
    const state = stateOf(one);
    const codes: (number | undefined)[] = [];
    const times: (number | undefined)[] = [];
    for (const [value, quality, time] of [
      [1, 0, NaN],
      [1, Quality.STALE, 5e12],
      [1, Quality.BLOCKED, 6e12],
      [1, Quality.OVERFLOW, 7e12],
      [1, Quality.ALARM, 8e12],
      [1, 0, 9e12],
      [2, 0, NaN],
    ] as const) {
      const sample = sampleWith(one, [value], {
        qualities: Uint32Array.of(quality),
        timestamps: Float64Array.of(time),
      });
      for (const metric of metricsOf(state, sample)) {
        codes.push(Object.hasOwn(metric, 'properties') ? metric.properties?.values[0]?.intValue : undefined);
        times.push(metric.timestamp?.toNumber());
      }
    }
    expect(codes).to.deep.equal([undefined, 500, 0, 192, undefined]);
    expect(times).to.deep.equal([1_650_006_388_943, 5e12, 7e12, 8e12, 1_650_006_388_943]);
    shows('source times and qualities');
  });

  it('sends events in their order, in as many messages as no metric is in twice', () => {
    const two = layoutOf([
      { name: 'a', type: DataType.INT16 },
      { name: 'b', type: DataType.INT16 },
    ]);
    const state = stateOf(two);
    const events: Sample = {
      layout: two,
      timestamp: 5e12,
      rows: Uint32Array.of(0, 1, 0, 0),
      numbers: Float64Array.of(1, 2, 0, 0),
      integers: new BigInt64Array(0),
      objects: [],
      faults: Int32Array.of(3, ErrorCode.DISCONNECTED),
      timestamps: Float64Array.of(1e12, NaN, 3e12, 4e12),
    };
    const messages = state.take(events).map((metrics) => decode(payloadOf([metrics], 1)).metrics);
    expect(messages.map((metrics) => metrics.map(({ name }) => name))).to.deep.equal([
      ['a', 'b'],
      ['a'],
      ['a'],
    ]);
    expect(messages.flat().map(plain)).to.deep.equal([1, 2, 0, undefined]);
    expect(messages.flat().map(({ timestamp }) => timestamp?.toNumber())).to.deep.equal([
      1e12, 5e12, 3e12, 4e12,
    ]);
    expect(metricsOf(state, sampleWith(two, [{ fault: ErrorCode.DISCONNECTED }, 2]))).to.deep.equal([]);
    shows('order of events');
  });
});

function isSame(one: Value, other: Value): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0;
  return one === other || (typeof one === 'number' && Number.isNaN(one) && Number.isNaN(other));
}

const typeNames: Readonly<Record<DataType, string>> = {
  [DataType.INT8]: 'Int8',
  [DataType.INT16]: 'Int16',
  [DataType.INT32]: 'Int32',
  [DataType.INT64]: 'Int64',
  [DataType.UINT8]: 'UInt8',
  [DataType.UINT16]: 'UInt16',
  [DataType.UINT32]: 'UInt32',
  [DataType.UINT64]: 'UInt64',
  [DataType.FLOAT]: 'Float',
  [DataType.DOUBLE]: 'Double',
  [DataType.BIT]: 'Boolean',
  [DataType.BOOL]: 'Boolean',
  [DataType.STRING]: 'String',
  [DataType.BYTES]: 'Bytes',
};
