import { expect } from 'chai';
import { DataType, ErrorCode, errorMeaning, type Layout, Quality } from '../src/index.ts';
import { jsonOf } from '../src/internal/index.ts';
import { parseJson, SampleWriter, writerOf } from '../src/json/index.ts';
import { eventsOf, layoutOf, sampleOf, tag } from './samples.ts';

const all = layoutOf([
  tag('int8', DataType.INT8),
  tag('uint32', DataType.UINT32),
  tag('int64', DataType.INT64),
  tag('uint64', DataType.UINT64),
  tag('float', DataType.FLOAT),
  tag('double', DataType.DOUBLE),
  tag('scaled', DataType.INT16, { decimal: 0.1 }),
  tag('scaled64', DataType.INT64, { decimal: 0.1 }),
  tag('fixed', DataType.FLOAT, { precision: 2 }),
  tag('bit', DataType.BIT),
  tag('bool', DataType.BOOL),
  tag('string "\\\u0001 ü', DataType.STRING),
  tag('bytes', DataType.BYTES),
  tag('lost', DataType.FLOAT),
]);
const cells = [
  -128,
  4_294_967_295,
  -9_223_372_036_854_775_808n,
  -1n,
  Math.fround(0.1),
  1 / 3,
  12,
  0.3,
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

const lost = [[13, ErrorCode.DISCONNECTED]] as const;

/** The one payload of a sample. */
function only(payloads: readonly Buffer[]): string {
  expect(payloads).to.have.length(1);
  return String(payloads[0]);
}

const integers = (...names: string[]): Layout => layoutOf(names.map((name) => tag(name, DataType.INT16)));

describe('SampleWriter', () => {
  it('writes format 0 with every type exact', () => {
    const payload = only(new SampleWriter(all).values(sampleOf(all, cells, lost)));
    const values = Object.entries(printed).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
    expect(payload).to.equal(
      `${head}"values":{${values.join(',')}},"errors":{"lost":${ErrorCode.DISCONNECTED}},"metas":{}}`,
    );
  });

  it('writes format 1 with every type exact', () => {
    const payload = only(new SampleWriter(all).tags(sampleOf(all, cells, lost)));
    const values = Object.entries(printed).map(
      ([name, text]) => `{"name":${JSON.stringify(name)},"value":${text}}`,
    );
    const failed = `{"name":"lost","error":${ErrorCode.DISCONNECTED}}`;
    expect(payload).to.equal(`${head}"tags":[${values.join(',')},${failed}]}`);
  });

  it('writes single columns, and records of chosen columns whether due or not', () => {
    const writer = new SampleWriter(all);
    const due = new Uint8Array(all.columns.length);
    const sample = sampleOf(all, cells, [[0, ErrorCode.NO_RESPONSE], ...lost], { due });
    expect(String(writer.records(sample, { columns: [0, 10, 2] }))).to.equal(
      `[{"name":"int8","error":${ErrorCode.NO_RESPONSE}},{"name":"bool","value":true},{"name":"int64","value":-9223372036854775808}]`,
    );
    expect(String(writer.records(sample, { columns: [] }))).to.equal('[]');
    expect(parseJson(String(writer.records(sample)))).to.have.length(all.columns.length);
    expect(writer.members(sample, 0)).to.equal(`"error":${ErrorCode.NO_RESPONSE}`);
    expect(writer.members(sample, 3)).to.equal('"value":18446744073709551615');
    expect(writer.members(sample, 11)).to.equal(`"value":${printed['string "\\\u0001 ü']}`);
    expect([0, 1, 12, 13].map((column) => writer.fault(sample, column))).to.deep.equal([
      ErrorCode.NO_RESPONSE,
      0,
      0,
      ErrorCode.DISCONNECTED,
    ]);
  });

  it('leaves out what is not due, and everything when nothing is', () => {
    const layout = integers('a', 'b');
    const writer = new SampleWriter(layout);
    const withDue = (due: number[], faults: [number, number][] = []) =>
      sampleOf(layout, [1, 2], faults, { due: Uint8Array.from(due) });
    expect(only(writer.values(withDue([0, 1])))).to.contain('"values":{"b":2},"errors":{}');
    expect(only(writer.tags(withDue([1, 0])))).to.contain('"tags":[{"name":"a","value":1}]');
    expect(writer.values(withDue([0, 0]))).to.deep.equal([]);
    expect(writer.tags(withDue([0, 0]))).to.deep.equal([]);
    expect(writer.values(withDue([0, 0], [[0, ErrorCode.DISCONNECTED]]))).to.deep.equal([]);
    const none = layoutOf([]);
    expect(new SampleWriter(none).values(sampleOf(none, []))).to.deep.equal([]);
    expect(String(new SampleWriter(none).records(sampleOf(none, [])))).to.equal('[]');
  });

  it('leaves out errors on request, and everything when only errors remain', () => {
    const layout = integers('a', 'b');
    const writer = new SampleWriter(layout);
    const half = sampleOf(layout, [undefined, 2], [[0, ErrorCode.DISCONNECTED]]);
    expect(only(writer.values(half, { errors: false }))).to.contain('"values":{"b":2},"errors":{},');
    expect(only(writer.tags(half, { errors: false }))).to.contain('"tags":[{"name":"b","value":2}]');
    expect(only(writer.values(half))).to.contain(`"errors":{"a":${ErrorCode.DISCONNECTED}}`);
    const failed = sampleOf(
      layout,
      [undefined, undefined],
      [
        [0, ErrorCode.DISCONNECTED],
        [1, ErrorCode.NOT_READY],
      ],
    );
    expect(writer.values(failed, { errors: false })).to.deep.equal([]);
    expect(writer.tags(failed, { errors: false })).to.deep.equal([]);
    expect(only(writer.values(failed))).to.contain(
      `"values":{},"errors":{"a":${ErrorCode.DISCONNECTED},"b":${ErrorCode.NOT_READY}}`,
    );
  });

  it('never prints a real that JSON cannot: it is an error', () => {
    const layout = layoutOf([
      tag('a', DataType.FLOAT),
      tag('b', DataType.DOUBLE),
      tag('c', DataType.INT16, { decimal: 0.1 }),
    ]);
    const writer = new SampleWriter(layout);
    const sample = sampleOf(layout, [NaN, Infinity, -Infinity]);
    const code = ErrorCode.VALUE_EXPIRED;
    expect(only(writer.values(sample))).to.contain(
      `"values":{},"errors":{"a":${code},"b":${code},"c":${code}}`,
    );
    expect(writer.members(sample, 1)).to.equal(`"error":${code}`);
  });

  it('adds source times and qualities on request, of faults too, where a driver gave them', () => {
    const layout = integers('a', 'b', 'c', 'd');
    const writer = new SampleWriter(layout);
    const sample = sampleOf(layout, [1, 2, 3, undefined], [[3, ErrorCode.DISCONNECTED]], {
      timestamps: Float64Array.of(1000.5, NaN, NaN, 4000),
      qualities: Uint32Array.of(Quality.GOOD, Quality.UNCERTAIN, Quality.GOOD, Quality.STALE),
    });
    const metas = [
      '"a":{"timestamp":1000,"quality":0}',
      `"b":{"quality":${Quality.UNCERTAIN}}`,
      `"d":{"timestamp":4000,"quality":${Quality.STALE}}`,
    ];
    expect(only(writer.values(sample, { meta: true }))).to.contain(`"metas":{${metas.join(',')}}}`);
    expect(only(writer.values(sample, { meta: true, errors: false }))).to.contain(
      `"metas":{${metas.slice(0, 2).join(',')}}}`,
    );
    expect(only(writer.values(sample))).to.contain('"metas":{}}');
    expect(only(writer.tags(sample, { meta: true }))).to.contain(
      `"tags":[{"name":"a","value":1,"timestamp":1000,"quality":0},{"name":"b","value":2,"quality":1},{"name":"c","value":3},{"name":"d","error":${ErrorCode.DISCONNECTED},"timestamp":4000,"quality":${Quality.STALE}}]`,
    );
    expect(String(writer.records(sample, { columns: [0], meta: true }))).to.equal(
      '[{"name":"a","value":1,"timestamp":1000,"quality":0}]',
    );
    expect(writer.members(sample, 0, { meta: true })).to.equal('"value":1,"timestamp":1000,"quality":0');
  });

  it('adds the reasons of faults to records on request, and what the code means where there is none', () => {
    const layout = integers('a', 'b', 'c');
    const writer = new SampleWriter(layout);
    const faults = [
      [1, ErrorCode.READ_FAILED],
      [2, ErrorCode.DISCONNECTED],
    ] as const;
    const reasons = { texts: ['The register does not "exist".'], indices: Uint16Array.of(0, 0) };
    const explained = sampleOf(layout, [1, undefined, undefined], faults, { reasons });
    expect(parseJson(String(writer.records(explained, { messages: true })))).to.deep.equal([
      { name: 'a', value: 1 },
      { name: 'b', error: ErrorCode.READ_FAILED, message: reasons.texts[0] },
      { name: 'c', error: ErrorCode.DISCONNECTED, message: reasons.texts[0] },
    ]);
    expect(`{${writer.members(explained, 1, { messages: true })}}`).to.equal(
      JSON.stringify({ error: ErrorCode.READ_FAILED, message: reasons.texts[0] }),
    );
    const untold = sampleOf(layout, [1, undefined, undefined], faults);
    expect(parseJson(String(writer.records(untold, { columns: [2], messages: true })))).to.deep.equal([
      { name: 'c', error: ErrorCode.DISCONNECTED, message: errorMeaning(ErrorCode.DISCONNECTED) },
    ]);
    expect(String(writer.records(explained))).to.not.contain('message');
  });

  it('writes events of every type in their order', () => {
    const rows = cells.map((cell, column) => [column, cell] as const).reverse();
    const sample = eventsOf(all, rows, [[0, ErrorCode.DISCONNECTED]]);
    const parsed = parseJson(only(new SampleWriter(all).tags(sample))) as { tags: object[] };
    const expected = parseJson(
      `[${Object.entries(printed)
        .map(([name, text]) => `{"name":${JSON.stringify(name)},"value":${text}}`)
        .reverse()
        .join(',')}]`,
    );
    expect(parsed.tags).to.deep.equal([{ name: 'lost', error: ErrorCode.DISCONNECTED }, ...(expected as [])]);
    const { values } = parseJson(only(new SampleWriter(all).values(sample))) as { values: object };
    expect(Object.keys(values)).to.deep.equal(Object.keys(printed).reverse());
  });

  it('adds units and spans on request, alone or with what a driver gave', () => {
    const [a, b, c] = integers('a', 'b', 'c').columns;
    const layout: Layout = {
      ...integers('a', 'b', 'c'),
      columns: [{ ...a!, unit: '°C', low: -40, high: 125.5 }, { ...b!, unit: 'kW"' }, c!],
    };
    const writer = new SampleWriter(layout);
    const sample = sampleOf(layout, [1, 2, 3], [], { timestamps: Float64Array.of(1000, NaN, NaN) });
    const of = ([text]: readonly Buffer[]): unknown => JSON.parse(String(text));
    expect(of(writer.values(sample, { meta: true }))).to.deep.include({
      values: { a: 1, b: 2, c: 3 },
      metas: { a: { timestamp: 1000, quality: 0, unit: '°C', low: -40, high: 125.5 }, b: { unit: 'kW"' } },
    });
    expect(of(writer.tags(sample, { meta: true }))).to.deep.include({
      tags: [
        { name: 'a', value: 1, timestamp: 1000, quality: 0, unit: '°C', low: -40, high: 125.5 },
        { name: 'b', value: 2, unit: 'kW"' },
        { name: 'c', value: 3 },
      ],
    });
    const due = { ...sample, due: Uint8Array.of(0, 1, 1) };
    expect(of(writer.values(due, { meta: true }))).to.deep.include({ metas: { b: { unit: 'kW"' } } });
    const events = eventsOf(layout, [
      [1, 5],
      [0, 6],
    ]);
    expect(of(writer.values(events, { meta: true }))).to.deep.include({
      metas: { b: { unit: 'kW"' }, a: { unit: '°C', low: -40, high: 125.5 } },
    });
    for (const plain of [
      writer.values(sample),
      writer.tags(sample),
      [writer.records(sample, { meta: true })],
    ])
      expect(String(plain[0])).to.not.contain('unit');
  });

  it('writes a payload more whenever a tag comes again, in both formats', () => {
    const layout = integers('a', 'b');
    const writer = new SampleWriter(layout);
    const sample = eventsOf(layout, [[1, 1], [0, 2], [1, 3], [1], [0, 4]], [[3, ErrorCode.DISCONNECTED]], {
      timestamps: Float64Array.of(10, 20, 30, 40, 50),
    });
    const parts = writer.values(sample, { meta: true }).map(String);
    const contents = parts.map((part) => {
      const { values, errors, metas } = JSON.parse(part) as Record<string, unknown>;
      return { values, errors, metas };
    });
    expect(contents).to.deep.equal([
      {
        values: { b: 1, a: 2 },
        errors: {},
        metas: { b: { timestamp: 10, quality: 0 }, a: { timestamp: 20, quality: 0 } },
      },
      { values: { b: 3 }, errors: {}, metas: { b: { timestamp: 30, quality: 0 } } },
      {
        values: { a: 4 },
        errors: { b: ErrorCode.DISCONNECTED },
        metas: { b: { timestamp: 40, quality: 0 }, a: { timestamp: 50, quality: 0 } },
      },
    ]);
    expect(
      writer.tags(sample).map((part) => (JSON.parse(String(part)) as { tags: unknown }).tags),
    ).to.deep.equal([
      [
        { name: 'b', value: 1 },
        { name: 'a', value: 2 },
      ],
      [{ name: 'b', value: 3 }],
      [
        { name: 'b', error: ErrorCode.DISCONNECTED },
        { name: 'a', value: 4 },
      ],
    ]);
    const failing = eventsOf(layout, [[0, 1], [0], [0, 2]], [[1, ErrorCode.DISCONNECTED]]);
    expect(writer.values(failing, { errors: false })).to.have.length(2);
  });

  it('makes a payload once per sample and form', () => {
    const writer = new SampleWriter(all);
    const sample = sampleOf(all, cells, lost);
    const first = writer.values(sample);
    writer.tags(sample);
    writer.values(sample, { errors: false });
    writer.values(sample, { meta: true });
    writer.values(sampleOf(all, cells));
    expect(writer.values(sample)).to.equal(first);
    expect(writer.values(sample, { errors: true, meta: false })).to.equal(first);
    expect(writer.tags(sample)).to.equal(writer.tags(sample));
    expect(writer.values(sample, { errors: false })).to.not.equal(first);
    expect(writer.values(sample, { meta: true })).to.not.equal(first);
  });

  it('gives payloads memory of their own', () => {
    const layout = integers('a');
    const writer = new SampleWriter(layout);
    const [first] = writer.values(sampleOf(layout, [1]));
    const before = String(first);
    writer.values(sampleOf(layout, [2]));
    writer.records(sampleOf(layout, [3]));
    expect(String(first)).to.equal(before);
  });

  it('grows for long payloads of every kind', () => {
    const layout = layoutOf(
      Array.from({ length: 3000 }, (_, index) =>
        tag(`t${index}`, index % 2 === 0 ? DataType.STRING : DataType.BYTES),
      ),
    );
    const long = '\u0001'.repeat(200);
    const sample = sampleOf(
      layout,
      layout.columns.map((_, index) => (index % 2 === 0 ? long : new Uint8Array(200).fill(200))),
    );
    const writer = new SampleWriter(layout);
    const { values } = JSON.parse(only(writer.values(sample))) as { values: Record<string, unknown> };
    expect(values['t2998']).to.equal(long);
    expect(values['t2999']).to.deep.equal(Array(200).fill(200));
    const records = JSON.parse(String(writer.records(sample))) as unknown[];
    expect(records[2998]).to.deep.equal({ name: 't2998', value: long });
  });

  it('is one per layout', () => {
    expect(writerOf(all)).to.equal(writerOf(all));
    expect(writerOf(integers('a'))).to.not.equal(writerOf(integers('a')));
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
