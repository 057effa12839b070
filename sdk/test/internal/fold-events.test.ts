import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/schemas';
import { Fault, Quality, rowsOf, type Sample } from '@tagway/sdk';
import { foldEvents, SampleBuilder, sampleOf } from '@tagway/sdk/internal';
import { ColumnValues } from '../../src/internal/samples/column-values.ts';
import { EventSample } from '../../src/internal/samples/event-sample.ts';
import { group, tag } from './harness.ts';

const config = group(1, 100, [
  tag('n', ''),
  tag('i', '', { type: DataType.UINT64 }),
  tag('t', '', { type: DataType.STRING }),
  tag('b', '', { type: DataType.BYTES }),
  tag('m', ''),
]);
const builder = new SampleBuilder(config);
const faulty = new Fault(ErrorCode.NO_RESPONSE, 'It is silent.');

/** A whole sample with a value in every column. */
function whole(): Sample {
  const draft = builder.draft();
  draft.number(0, 1);
  draft.integer(1, 2n);
  draft.text(2, 'three');
  draft.bytes(3, Uint8Array.of(4));
  draft.fault(4, faulty);
  return sampleOf(builder.finish(draft.values, 1), config.layout);
}

/** Events in this order: the column, what it became, and its quality. */
function events(
  timestamp: number,
  ...changes: readonly (readonly [number, Parameters<ColumnValues['set']>[1], number?])[]
): Sample {
  const values = new ColumnValues(builder.columns);
  const gathered = new EventSample(builder.columns);
  for (const [column, given, quality = 0] of changes) {
    values.set(column, given);
    values.stamp(column, quality === 0 ? NaN : timestamp, quality);
    gathered.add(column, values, true);
  }
  return sampleOf(gathered.finish(timestamp), config.layout);
}

function shown(sample: Sample): unknown[] {
  const cells: unknown[] = [];
  for (const { value, reason, time, quality } of rowsOf(sample, { all: true }))
    cells.push(quality === 0 ? (value ?? reason) : [value ?? reason, time, quality]);
  return cells;
}

describe('events of a sample', () => {
  it('are the same object when there are none to take in', () => {
    const sample = whole();
    expect(foldEvents(sample, [])).to.equal(sample);
  });

  it('become its values in their order, of every kind, and the sample before stays as it was', () => {
    const before = whole();
    const folded = foldEvents(before, [
      events(5, [0, 10], [1, 2n ** 64n - 1n], [0, 11]),
      events(6, [2, 'x'], [3, Uint8Array.of(9)]),
    ]);
    expect(shown(folded)).to.deep.equal([11, 2n ** 64n - 1n, 'x', Uint8Array.of(9), 'It is silent.']);
    expect(folded.timestamp).to.equal(6);
    expect(folded.due).to.equal(undefined);
    expect(shown(before)).to.deep.equal([1, 2n, 'three', Uint8Array.of(4), 'It is silent.']);
  });

  it('make and end faults, with their reasons', () => {
    const folded = foldEvents(whole(), [events(5, [0, faulty], [4, 5]), events(6, [2, faulty], [2, 'back'])]);
    expect(shown(folded)).to.deep.equal(['It is silent.', 2n, 'back', Uint8Array.of(4), 5]);
    expect([...folded.faults]).to.deep.equal([0, ErrorCode.NO_RESPONSE]);
  });

  it('bring source times and qualities, and end them', () => {
    const stale = events(5, [0, 10, Quality.STALE], [4, faulty, Quality.UNCERTAIN]);
    const folded = foldEvents(whole(), [stale]);
    expect(shown(folded).slice(0, 2)).to.deep.equal([[10, 5, Quality.STALE], 2n]);
    expect(shown(folded)[4]).to.deep.equal(['It is silent.', 5, Quality.UNCERTAIN]);
    expect(shown(foldEvents(folded, [events(6, [0, 11])]))[0]).to.equal(11);
  });

  it('have nothing beside numbers when nothing else changed', () => {
    const { integers, objects, timestamps, qualities, reasons } = events(5, [0, 1]);
    expect([integers.length, objects.length, timestamps, qualities, reasons]).to.deep.equal([
      ...[0, 0, undefined, undefined, undefined],
    ]);
  });
});
