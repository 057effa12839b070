import { expect } from 'chai';
import { DataType, SampleWriter, jsonOf, parseJson, placesOf, storeOf, writerOf } from '../src/index.ts';
import type { Column, Layout, Sample } from '../src/index.ts';

type Cell = number | bigint | string | Uint8Array;

function column(name: string, type: DataType, rest: Partial<Column> = {}): Column {
  return { name, type, precision: 0, scaled: false, onChange: false, ...rest };
}

function layoutOf(columns: readonly Column[]): Layout {
  return { version: 1, node: 'plc "1"', group: 'Gruppe ä', columns };
}

/** A sample of the cells, one per column; a cell of `undefined` has the fault given for it. */
function sampleOf(
  columns: readonly Column[],
  cells: readonly (Cell | undefined)[],
  faults: [number, number][] = [],
  report?: number[],
): Sample {
  const places = placesOf(columns);
  const numbers = new Float64Array(columns.filter((each) => storeOf(each) === 0).length);
  const integers = new BigInt64Array(columns.filter((each) => storeOf(each) === 1).length);
  const objects: (string | Uint8Array)[] = columns.filter((each) => storeOf(each) === 2).map(() => '');
  cells.forEach((cell, index) => {
    const place = places[index] as number;
    if (typeof cell === 'number') numbers[place] = cell;
    else if (typeof cell === 'bigint') integers[place] = cell;
    else if (cell !== undefined) objects[place] = cell;
  });
  return {
    group: 7,
    version: 1,
    time: 1_650_006_388_943,
    numbers,
    integers,
    objects,
    faults: Int32Array.from(faults.flat()),
    ...(report === undefined ? {} : { report: Uint8Array.from(report) }),
  };
}

const columns = [
  column('int8', DataType.INT8),
  column('uint32', DataType.UINT32),
  column('int64', DataType.INT64),
  column('uint64', DataType.UINT64),
  column('float', DataType.FLOAT),
  column('double', DataType.DOUBLE),
  column('scaled', DataType.INT16, { scaled: true }),
  column('scaled64', DataType.INT64, { scaled: true }),
  column('fixed', DataType.FLOAT, { precision: 2 }),
  column('bit', DataType.BIT),
  column('bool', DataType.BOOL),
  column('string "\\\u0001 ü', DataType.STRING),
  column('bytes', DataType.BYTES),
  column('lost', DataType.FLOAT),
];
const cells = [
  -128,
  4_294_967_295,
  -9_223_372_036_854_775_808n,
  -1n,
  Math.fround(0.1),
  1 / 3,
  12,
  0.30000000000000004,
  2.5,
  1,
  1,
  'a"\\\n\u2028é😀\ud800',
  Uint8Array.of(0, 9, 10, 255),
  undefined,
];
const printed = {
  int8: '-128',
  uint32: '4294967295',
  int64: '-9223372036854775808',
  uint64: '18446744073709551615',
  float: '0.1',
  double: '0.3333333333333333',
  scaled: '12.0',
  scaled64: '0.3',
  fixed: '2.50',
  bit: '1',
  bool: 'true',
  'string "\\\u0001 ü': JSON.stringify('a"\\\n\u2028é😀\ud800'),
  bytes: '[0,9,10,255]',
};
const head = '{"node":"plc \\"1\\"","group":"Gruppe ä","timestamp":1650006388943,';

describe('SampleWriter', () => {
  it('writes format 0 with every type exact', () => {
    const payload = new SampleWriter(layoutOf(columns)).values(sampleOf(columns, cells, [[13, 3002]]));
    const values = Object.entries(printed).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
    expect(String(payload)).to.equal(
      `${head}"values":{${values.join(',')}},"errors":{"lost":3002},"metas":{}}`,
    );
  });

  it('writes format 1 with every type exact', () => {
    const payload = new SampleWriter(layoutOf(columns)).tags(sampleOf(columns, cells, [[13, 3002]]));
    const values = Object.entries(printed).map(
      ([name, text]) => `{"name":${JSON.stringify(name)},"value":${text}}`,
    );
    expect(String(payload)).to.equal(`${head}"tags":[${values.join(',')},{"name":"lost","error":3002}]}`);
  });

  it('writes single values, and records of chosen columns whether reported or not', () => {
    const writer = new SampleWriter(layoutOf(columns));
    const sample = sampleOf(
      columns,
      cells,
      [
        [0, 3015],
        [13, 3002],
      ],
      columns.map(() => 0),
    );
    expect(String(writer.records(sample, [0, 10, 2]))).to.equal(
      '[{"name":"int8","error":3015},{"name":"bool","value":true},{"name":"int64","value":-9223372036854775808}]',
    );
    expect(String(writer.records(sample, []))).to.equal('[]');
    expect(parseJson(String(writer.records(sample)))).to.have.length(columns.length);
    expect(writer.value(sample, 0)).to.equal(undefined);
    expect(writer.value(sample, 3)).to.equal('18446744073709551615');
    expect(writer.value(sample, 11)).to.equal(printed['string "\\\u0001 ü']);
    expect([0, 1, 12, 13].map((index) => writer.fault(sample, index))).to.deep.equal([3015, 0, 0, 3002]);
  });

  it('leaves out what is not reported, and everything when nothing is', () => {
    const two = [column('a', DataType.INT16), column('b', DataType.INT16)];
    const writer = new SampleWriter(layoutOf(two));
    expect(String(writer.values(sampleOf(two, [1, 2], [], [0, 1])))).to.contain(
      '"values":{"b":2},"errors":{}',
    );
    expect(String(writer.tags(sampleOf(two, [1, 2], [], [1, 0])))).to.contain(
      '"tags":[{"name":"a","value":1}]',
    );
    expect(writer.values(sampleOf(two, [1, 2], [], [0, 0]))).to.equal(undefined);
    expect(writer.tags(sampleOf(two, [1, 2], [], [0, 0]))).to.equal(undefined);
    expect(writer.values(sampleOf(two, [1, 2], [[0, 3002]], [0, 0]))).to.equal(undefined);
    const none = new SampleWriter(layoutOf([]));
    expect(none.values(sampleOf([], []))).to.equal(undefined);
    expect(String(none.records(sampleOf([], [])))).to.equal('[]');
  });

  it('leaves out errors on request, and everything when only errors remain', () => {
    const two = [column('a', DataType.INT16), column('b', DataType.INT16)];
    const writer = new SampleWriter(layoutOf(two));
    const half = sampleOf(two, [undefined, 2], [[0, 3002]]);
    expect(String(writer.values(half, { errors: false }))).to.contain('"values":{"b":2},"errors":{},');
    expect(String(writer.tags(half, { errors: false }))).to.contain('"tags":[{"name":"b","value":2}]');
    expect(String(writer.values(half))).to.contain('"errors":{"a":3002}');
    const failed = sampleOf(
      two,
      [undefined, undefined],
      [
        [0, 3002],
        [1, 3011],
      ],
    );
    expect(writer.values(failed, { errors: false })).to.equal(undefined);
    expect(writer.tags(failed, { errors: false })).to.equal(undefined);
    expect(String(writer.values(failed))).to.contain('"values":{},"errors":{"a":3002,"b":3011}');
  });

  it('never prints a real that JSON cannot: it is an error 3008', () => {
    const three = [
      column('a', DataType.FLOAT),
      column('b', DataType.DOUBLE),
      column('c', DataType.INT16, { scaled: true }),
    ];
    const writer = new SampleWriter(layoutOf(three));
    const sample = sampleOf(three, [NaN, Infinity, -Infinity]);
    expect(String(writer.values(sample))).to.contain('"values":{},"errors":{"a":3008,"b":3008,"c":3008}');
    expect(writer.value(sample, 1)).to.equal(undefined);
  });

  it('makes a payload once per sample and form', () => {
    const writer = new SampleWriter(layoutOf(columns));
    const sample = sampleOf(columns, cells, [[13, 3002]]);
    const first = writer.values(sample);
    writer.tags(sample);
    writer.values(sample, { errors: false });
    writer.values(sampleOf(columns, cells));
    expect(writer.values(sample)).to.equal(first);
    expect(writer.values(sample, { errors: true })).to.equal(first);
    expect(writer.tags(sample)).to.equal(writer.tags(sample));
    expect(writer.values(sample, { errors: false })).to.not.equal(first);
  });

  it('gives payloads memory of their own', () => {
    const one = [column('a', DataType.INT16)];
    const writer = new SampleWriter(layoutOf(one));
    const first = writer.values(sampleOf(one, [1]));
    const before = String(first);
    writer.values(sampleOf(one, [2]));
    writer.records(sampleOf(one, [3]));
    expect(String(first)).to.equal(before);
  });

  it('grows for long payloads of every kind', () => {
    const many = Array.from({ length: 3000 }, (_, index) =>
      column(`t${index}`, index % 2 === 0 ? DataType.STRING : DataType.BYTES),
    );
    const long = '\u0001'.repeat(200);
    const sample = sampleOf(
      many,
      many.map((_, index) => (index % 2 === 0 ? long : new Uint8Array(200).fill(200))),
    );
    const writer = new SampleWriter(layoutOf(many));
    const { values } = JSON.parse(String(writer.values(sample))) as { values: Record<string, unknown> };
    expect(values['t2998']).to.equal(long);
    expect(values['t2999']).to.deep.equal(Array(200).fill(200));
    const records = JSON.parse(String(writer.records(sample))) as unknown[];
    expect(records[2998]).to.deep.equal({ name: 't2998', value: long });
  });

  it('is one per layout', () => {
    const layout = layoutOf(columns);
    expect(writerOf(layout)).to.equal(writerOf(layout));
    expect(writerOf(layoutOf(columns))).to.not.equal(writerOf(layout));
  });
});

describe('jsonOf', () => {
  it('prints a value by its type', () => {
    expect(jsonOf(Math.fround(0.1), DataType.FLOAT)).to.equal('0.1');
    expect(jsonOf(12, DataType.DOUBLE)).to.equal('12.0');
    expect(jsonOf(12, DataType.INT16)).to.equal('12');
    expect(jsonOf(18446744073709551615n, DataType.UINT64)).to.equal('18446744073709551615');
    expect(jsonOf(true, DataType.BOOL)).to.equal('true');
    expect(jsonOf('a"b', DataType.STRING)).to.equal('"a\\"b"');
    expect(jsonOf(Uint8Array.of(1, 2), DataType.BYTES)).to.equal('[1,2]');
  });
});
