import { Store, type Layout, type Sample } from '@tagway/sdk';
import { packFaults } from '@tagway/sdk/internal';
import { DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import type { GroupReading } from '../../src/core/model.ts';
import { GroupValues, TagSelection } from '../../src/http/live/group-values.ts';

const column = (name: string, type: DataType, store: Store, place: number) => ({
  name,
  type,
  valueType: type,
  precision: 0,
  address: '1',
  description: '',
  scaled: false,
  onChange: false,
  writable: false,
  store,
  place,
});

const columns = [
  column('real', DataType.DOUBLE, Store.NUMBER, 0),
  column('wide', DataType.UINT64, Store.INTEGER, 0),
  column('text', DataType.STRING, Store.OBJECT, 0),
  column('bytes', DataType.BYTES, Store.OBJECT, 1),
];

const layoutOf = (version: number): Layout => ({
  version,
  driver: 'd',
  group: 'g',
  interval: 100,
  columns,
  writeOnly: [],
});

const layout = layoutOf(1);

function reading(values: Partial<Sample>, reason?: string, of = layout): GroupReading {
  const faults = reason === undefined ? [] : [[0, { code: ErrorCode.DISCONNECTED, text: reason }] as const];
  const sample = {
    layout: of,
    timestamp: 5,
    numbers: Float64Array.of(1.5),
    integers: BigInt64Array.of(2n),
    objects: ['t', Uint8Array.of(1, 2)],
    ...packFaults(new Map(faults)),
    ...values,
  };
  return { tags: [], layout: of, sample };
}

interface ValuesData {
  readonly full?: boolean;
  readonly tags: readonly unknown[];
}

const dataOf = (event: Buffer | undefined): ValuesData | undefined =>
  event && (JSON.parse(/^event: values\ndata: (.*)\n\n$/.exec(event.toString())?.[1] ?? '') as ValuesData);

describe('what a viewer is told of the values of a group', () => {
  const values = new GroupValues('d', 'g');
  const first = reading({});

  it('is all of them at first, and after a change of the group', () => {
    const all = {
      node: 'd',
      group: 'g',
      time: 5,
      full: true,
      tags: [
        { name: 'real', value: 1.5 },
        { name: 'wide', value: 2 },
        { name: 'text', value: 't' },
        { name: 'bytes', value: [1, 2] },
      ],
    };
    expect(dataOf(values.event(first, undefined))).to.deep.equal(all);
    expect(dataOf(values.event(reading({}, undefined, layoutOf(2)), first))).to.deep.equal(all);
  });

  it('is nothing when another sample says the same, errors too', () => {
    expect(values.event(reading({ timestamp: 9 }), first)).to.equal(undefined);
    const failed = reading({}, 'The device is away.');
    expect(values.event(reading({ timestamp: 9 }, 'The device is away.'), failed)).to.equal(undefined);
  });

  const changes: readonly (readonly [string, GroupReading, unknown])[] = [
    ['a number', reading({ numbers: Float64Array.of(-0) }), { name: 'real', value: -0 }],
    ['a long integer', reading({ integers: BigInt64Array.of(3n) }), { name: 'wide', value: 3 }],
    ['a text', reading({ objects: ['u', Uint8Array.of(1, 2)] }), { name: 'text', value: 'u' }],
    ['bytes', reading({ objects: ['t', Uint8Array.of(1, 3)] }), { name: 'bytes', value: [1, 3] }],
    [
      'an error',
      reading({}, 'The device is away.'),
      { name: 'real', error: ErrorCode.DISCONNECTED, message: 'The device is away.' },
    ],
  ];
  for (const [what, next, record] of changes) {
    it(`is ${what} alone when that has changed, and when it is as before again`, () => {
      expect(dataOf(values.event(next, first))).to.deep.include({ tags: [record] });
      expect(dataOf(values.event(first, next))?.tags).to.have.lengthOf(1);
    });
  }

  it('is a value that was another one in between, with since when it is so', () => {
    const of = (...since: number[]): GroupReading => ({
      ...reading({ timestamp: since[0]! }),
      since: Float64Array.from(since),
    });
    const next = of(9, -1, -1, -1);
    expect(dataOf(values.event(next, of(7, -1, -1, -1)))?.tags).to.deep.equal([
      { name: 'real', value: 1.5, since: 9 },
    ]);
    expect(values.event(of(9, -1, -1, -1), next)).to.equal(undefined);
    expect(dataOf(values.event(next, undefined))?.tags[1]).to.deep.equal({
      name: 'wide',
      value: 2,
      since: 1,
      at_least: true,
    });
  });

  it('is another reason for the same error', () => {
    const before = reading({}, 'The device is away.');
    const after = dataOf(values.event(reading({}, 'The port is closed.'), before));
    expect(after?.tags).to.deep.equal([
      { name: 'real', error: ErrorCode.DISCONNECTED, message: 'The port is closed.' },
    ]);
  });

  it('is what is wanted alone, and the same bytes for all who want the same', () => {
    const next = reading({ numbers: Float64Array.of(7), objects: ['u', Uint8Array.of(1, 2)] });
    expect(dataOf(values.event(next, first, new TagSelection(['text'])))?.tags).to.deep.equal([
      { name: 'text', value: 'u' },
    ]);
    expect(values.event(next, first, new TagSelection(['wide']))).to.equal(undefined);
    expect(values.event(next, first)).to.equal(values.event(next, first));
    const one = values.event(next, first, new TagSelection(['text', 'real']));
    expect(dataOf(one)?.tags).to.have.lengthOf(2);
    expect(values.event(next, first, new TagSelection(['real', 'text']))).to.equal(one);
    // For those who have seen nothing it is another one.
    expect(dataOf(values.event(next, undefined, new TagSelection(['real', 'text'])))?.full).to.equal(true);
  });
});
