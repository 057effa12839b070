import { expect } from 'chai';
import { DataType, ErrorCode, Quality, type Row, type Rows, rowsOf, type Sample } from '../src/index.ts';
import { eventsOf, layoutOf, sampleOf, tag, timestamp } from './samples.ts';

const layout = layoutOf([
  tag('number', DataType.INT16, { onChange: true }),
  tag('uint64', DataType.UINT64),
  tag('text', DataType.STRING, { onChange: true }),
  tag('bool', DataType.BOOL),
  tag('scaled', DataType.INT64, { decimal: 0.1 }),
  tag('bytes', DataType.BYTES),
  tag('int64', DataType.INT64),
  tag('bit', DataType.BIT),
]);
const cells = [7, -1n, 'text', 1, 1.5, Uint8Array.of(1, 2), -5n, 1];
const values = [7, 0xffff_ffff_ffff_ffffn, 'text', true, 1.5, Uint8Array.of(1, 2), -5n, 1];

/** What each row said, copied: the iterator gives the same object every time. */
function read(rows: Rows): Pick<Row, 'index' | 'value' | 'fault' | 'reason'>[] {
  return Array.from(rows, ({ index, value, fault, reason }) => ({ index, value, fault, reason }));
}

describe('rowsOf', () => {
  it('gives every column its value in the form of its type', () => {
    const rows = [...rowsOf(sampleOf(layout, cells))];
    expect(rows).to.have.length(layout.columns.length);
    expect(Array.from(rowsOf(sampleOf(layout, cells)), ({ value }) => value)).to.deep.equal(values);
    expect(Array.from(rowsOf(sampleOf(layout, cells)), ({ column }) => column.name)).to.deep.equal(
      layout.columns.map(({ name }) => name),
    );
  });

  it('gives the same object for every row', () => {
    expect(new Set(rowsOf(sampleOf(layout, cells))).size).to.equal(1);
  });

  it('gives faults their code and their reason, and no value', () => {
    const sample = sampleOf(
      layout,
      cells,
      [
        [1, ErrorCode.DISCONNECTED],
        [2, ErrorCode.READ_FAILED],
        [7, ErrorCode.DISCONNECTED],
      ],
      { reasons: { texts: ['The link is gone.', 'It is refused.'], indices: Uint16Array.of(0, 1, 0) } },
    );
    const failed = read(rowsOf(sample)).filter(({ fault }) => fault !== 0);
    expect(failed).to.deep.equal([
      { index: 1, value: undefined, fault: ErrorCode.DISCONNECTED, reason: 'The link is gone.' },
      { index: 2, value: undefined, fault: ErrorCode.READ_FAILED, reason: 'It is refused.' },
      { index: 7, value: undefined, fault: ErrorCode.DISCONNECTED, reason: 'The link is gone.' },
    ]);
    const good = read(rowsOf(sample)).filter(({ fault }) => fault === 0);
    expect(good.map(({ index }) => index)).to.deep.equal([0, 3, 4, 5, 6]);
    expect(good.every(({ reason }) => reason === '')).to.equal(true);
  });

  it('passes over what is not due, faults included, unless all are asked for', () => {
    const due = Uint8Array.of(0, 0, 1, 1, 0, 0, 0, 0);
    const sample = sampleOf(
      layout,
      cells,
      [
        [1, ErrorCode.DISCONNECTED],
        [3, ErrorCode.DISCONNECTED],
      ],
      { due },
    );
    expect(read(rowsOf(sample)).map(({ index, fault }) => [index, fault])).to.deep.equal([
      [2, 0],
      [3, ErrorCode.DISCONNECTED],
    ]);
    expect(read(rowsOf(sample, { all: true }))).to.have.length(layout.columns.length);
    const none = sampleOf(layout, cells, [], { due: new Uint8Array(layout.columns.length) });
    expect(read(rowsOf(none))).to.deep.equal([]);
  });

  it('goes through events in their order, repeats included', () => {
    const sample = eventsOf(
      layout,
      [[6, -6n], [0, 1], [0], [0, 2], [2, 'now'], [5, Uint8Array.of(9)], [1, -2n]],
      [[2, ErrorCode.DISCONNECTED]],
    );
    expect(read(rowsOf(sample)).map(({ index, value, fault }) => value ?? [index, fault])).to.deep.equal([
      -6n,
      1,
      [0, ErrorCode.DISCONNECTED],
      2,
      'now',
      Uint8Array.of(9),
      0xffff_ffff_ffff_fffen,
    ]);
  });

  it('gives source times and qualities by column, and by row of events', () => {
    const stamped = (sample: Sample): [number, number, number][] =>
      Array.from(rowsOf(sample), ({ index, time, quality }) => [index, time, quality]);
    const whole = sampleOf(layout, cells, [], {
      timestamps: Float64Array.from(cells, (_, index) => (index === 1 ? NaN : timestamp - index)),
      qualities: Uint32Array.from(cells, (_, index) => (index === 2 ? Quality.UNCERTAIN : Quality.GOOD)),
    });
    expect(stamped(whole).slice(0, 3)).to.deep.equal([
      [0, timestamp, Quality.GOOD],
      [1, NaN, Quality.GOOD],
      [2, timestamp - 2, Quality.UNCERTAIN],
    ]);
    const rows = [
      [3, 1],
      [0, 5],
      [3, 0],
    ] as const;
    const events = eventsOf(layout, rows, [], {
      timestamps: Float64Array.of(1, 2, 3),
      qualities: Uint32Array.of(Quality.STALE, Quality.GOOD, Quality.STALE | Quality.ALARM),
    });
    expect(stamped(events)).to.deep.equal([
      [3, 1, Quality.STALE],
      [0, 2, Quality.GOOD],
      [3, 3, Quality.STALE | Quality.ALARM],
    ]);
    expect(stamped(sampleOf(layout, cells))[0]).to.deep.equal([0, NaN, Quality.GOOD]);
  });
});

describe('Quality', () => {
  it('has a flag of its own for each meaning, all in the low 16 bits', () => {
    const flags = Object.entries(Quality)
      .filter(([name]) => name !== 'GOOD')
      .map(([, flag]) => flag);
    expect(Quality.GOOD).to.equal(0);
    expect(flags.every((flag) => flag > 0 && flag <= 0xffff && (flag & (flag - 1)) === 0)).to.equal(true);
    expect(new Set(flags).size).to.equal(flags.length);
  });
});
