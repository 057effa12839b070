import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import type { Layout, Sample } from '@tagway/sdk';
import { layoutOf, type RunnerTag } from '@tagway/sdk/internal';
import { expect } from 'chai';
import { forApps, project, projectionOf } from '../../src/runtime/samples/projections.ts';

const tagOf = (name: string, type: DataType): RunnerTag => ({
  name,
  address: name,
  type,
  attribute: Attribute.READ,
  precision: 0,
  decimal: 0,
  bias: 0,
});

const groupOf = (...tags: RunnerTag[]): Layout =>
  layoutOf(1, { driver: 'boiler', group: 'fast', interval: 100 }, tags);

const a = tagOf('a', DataType.DOUBLE);
const text = tagOf('text', DataType.STRING);
const b = tagOf('b', DataType.INT64);
const c = tagOf('c', DataType.DOUBLE);

const whole = (layout: Layout): Sample => ({
  layout,
  timestamp: 5,
  numbers: Float64Array.of(1, 3),
  integers: BigInt64Array.of(2n),
  objects: ['x'],
  faults: Int32Array.of(0, ErrorCode.DISCONNECTED, 3, ErrorCode.READ_FAILED),
  reasons: { texts: ['gone', 'refused'], indices: Uint16Array.of(0, 1) },
  timestamps: Float64Array.of(10, 11, 12, 13),
  qualities: Uint32Array.of(0, 1, 2, 3),
});

describe('what drivers get of a group that they read', () => {
  const layout = groupOf(a, text, b, c);
  const projection = projectionOf(layout, new Set(['c', 'b', 'gone']), undefined);

  it('are the columns that they need alone, with faults, times and qualities', () => {
    expect(projection.layout.columns.map(({ name }) => name)).to.deep.equal(['b', 'c']);
    expect(project(whole(layout), 9, projection)).to.deep.equal({
      group: 9,
      version: projection.layout.version,
      timestamp: 5,
      numbers: Float64Array.of(3),
      integers: BigInt64Array.of(2n),
      objects: [],
      faults: Int32Array.of(1, ErrorCode.READ_FAILED),
      reasons: { texts: ['gone', 'refused'], indices: Uint16Array.of(1) },
      timestamps: Float64Array.of(12, 13),
      qualities: Uint32Array.of(2, 3),
    });
  });

  it('are the rows of events that they need, and nothing when there are none', () => {
    const events: Sample = {
      layout,
      timestamp: 6,
      rows: Uint32Array.of(3, 0, 2, 3),
      numbers: Float64Array.of(30, 31, 0, 33),
      integers: BigInt64Array.of(0n, 0n, 32n, 0n),
      objects: [],
      faults: Int32Array.of(1, ErrorCode.DISCONNECTED, 3, ErrorCode.READ_FAILED),
    };
    expect(project(events, 9, projection)).to.deep.equal({
      group: 9,
      version: projection.layout.version,
      timestamp: 6,
      rows: Uint32Array.of(1, 0, 1),
      numbers: Float64Array.of(30, 0, 33),
      integers: BigInt64Array.of(0n, 32n, 0n),
      objects: [],
      faults: Int32Array.of(2, ErrorCode.READ_FAILED),
    });
    expect(project({ ...events, rows: Uint32Array.of(0, 0, 1, 0) }, 9, projection)).to.equal(undefined);
  });

  it('stay the same while the columns are, wherever they stand, and are left out of samples that lack one', () => {
    const moved = groupOf(tagOf('new', DataType.DOUBLE), b, c);
    const names = new Set(['b', 'c']);
    expect(projectionOf(moved, names, projection)).to.equal(projection);
    const sample = {
      ...whole(moved),
      objects: [],
      faults: new Int32Array(0),
      numbers: Float64Array.of(7, 8),
    };
    expect(project(sample, 9, projection)?.numbers).to.deep.equal(Float64Array.of(8));
    for (const other of [groupOf(b), groupOf(b, tagOf('c', DataType.STRING))]) {
      expect(project(whole(other), 9, projection)).to.equal(undefined);
      expect(projectionOf(other, names, projection)).to.not.equal(projection);
    }
    const renamed = { ...layout, group: 'slow' };
    expect(projectionOf(renamed, names, projection)).to.not.equal(projection);
  });
});

describe('what apps get of a group', () => {
  const layout = groupOf(a, text, b, c);
  const events: Sample = {
    layout,
    timestamp: 6,
    rows: Uint32Array.of(3, 0, 2, 3),
    due: Uint8Array.of(0, 1, 0, 1),
    numbers: Float64Array.of(30, 31, 0, 33),
    integers: BigInt64Array.of(0n, 0n, 32n, 0n),
    objects: [],
    faults: Int32Array.of(1, ErrorCode.DISCONNECTED, 2, ErrorCode.READ_FAILED),
    qualities: Uint32Array.of(0, 1, 2, 3),
  };

  it('are the events that are due, and nothing when there are none', () => {
    expect(forApps(events)).to.deep.equal({
      layout,
      timestamp: 6,
      rows: Uint32Array.of(0, 3),
      numbers: Float64Array.of(31, 33),
      integers: BigInt64Array.of(0n, 0n),
      objects: [],
      faults: Int32Array.of(0, ErrorCode.DISCONNECTED),
      qualities: Uint32Array.of(1, 3),
    });
    expect(forApps({ ...events, due: new Uint8Array(4) })).to.equal(undefined);
  });

  it('are whole samples, and events without such marks, as they are', () => {
    const { due: _due, ...unmarked } = events;
    for (const sample of [whole(layout), unmarked]) expect(forApps(sample)).to.equal(sample);
  });
});
