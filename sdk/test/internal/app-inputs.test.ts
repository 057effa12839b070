import { parseReference, type Reference } from '@tagway/schemas';
import type { App, Inputs } from '@tagway/sdk';
import { sampleOf, type SampleData } from '@tagway/sdk/internal';
import { expect } from 'chai';
import type { Reads } from '../../src/internal/inputs/known-layouts.ts';
import { AppFixture } from './fixture.ts';
import { group, settled, tag, type TestGroup } from './harness.ts';

const references = ['plant/group 1/a', 'plant/group 1/b', 'plant/group 2/a'].map(
  (text) => parseReference(text) as Reference,
);
/** The number of what is read of a group. */
const readOf = ({ group: id }: TestGroup): number => -id;

/** An app whose settings refer to tags of two groups; it writes down its inputs with an asterisk for those that are fresh. */
class Reader {
  readonly lines: string[] = [];
  readonly waiting: (() => void)[] = [];
  isSlow = false;
  readonly app: App = {
    start: async () => undefined,
    stop: async () => undefined,
    subscriptionsChanged: () => undefined,
    deliver: ({ numbers }) => void this.lines.push(`sample ${numbers.join(' ')}`),
    deliverInputs: (inputs) => {
      this.lines.push(shown(inputs));
      if (!this.isSlow) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.waiting.push(resolve);
      return promise;
    },
  };

  take(): string[] {
    return this.lines.splice(0);
  }
}

function shown(inputs: Inputs): string {
  return inputs.references
    .map((_, index) => {
      const text =
        inputs.fault(index) === undefined ? String(inputs.number(index)) : `!${inputs.fault(index)!.code}`;
      return inputs.fresh.includes(index) ? `${text}*` : text;
    })
    .join(' ');
}

describe('an app with inputs', () => {
  const one = group(1, 100, [tag('a', ''), tag('b', '')]);
  const two = group(2, 100, [tag('a', '')]);
  const reader = new Reader();
  let fixture: AppFixture;

  const dataOf = (
    { layout }: TestGroup,
    id: number,
    numbers: number[],
    more: Partial<SampleData> = {},
  ): SampleData => ({
    group: id,
    version: layout.version,
    timestamp: 1,
    numbers: Float64Array.from(numbers),
    integers: new BigInt64Array(0),
    objects: [],
    faults: new Int32Array(0),
    ...more,
  });

  const deliver = (from: TestGroup, numbers: number[], more: Partial<SampleData> = {}): void =>
    fixture.node.deliver(sampleOf(dataOf(from, readOf(from), numbers, more), from.layout), readOf(from));

  const subscribe = (groups: readonly number[], reads: Reads): void =>
    fixture.node.subscribe(
      {
        subscriptions: groups.map((id) => ({ id, group: id, params: undefined })),
        layouts: [],
        drivers: [],
        reads: { groups: [...reads.layouts.keys()], samples: [], references },
      },
      { get: () => one.layout, readsOf: () => reads },
    );

  const connect = (groups: readonly TestGroup[], present: readonly SampleData[] = []): void => {
    const layouts = new Map(groups.map((each) => [readOf(each), each.layout]));
    const samples = present.map((data) => [data.group, sampleOf(data, layouts.get(data.group)!)] as const);
    subscribe([], { layouts, present: new Map(samples) });
  };

  beforeEach(async () => {
    reader.take();
    reader.waiting.length = 0;
    reader.isSlow = false;
    fixture = new AppFixture(reader.app);
    connect([one], [dataOf(one, -1, [5, 6])]);
    await fixture.node.start();
  });

  afterEach(() => fixture[Symbol.asyncDispose]());

  it('gets all of them once it runs, with what is there and faults for what is not', () => {
    expect(reader.take()).to.deep.equal(['5* 6* !2201*']);
  });

  it('gets every sample in order, changed or not, and events step by step', () => {
    reader.take();
    deliver(one, [5, 6]);
    deliver(one, [7, 8]);
    deliver(one, [1, 2, 3], { rows: Uint32Array.of(0, 1, 0) });
    expect(reader.take()).to.deep.equal(['5* 6* !2201', '7* 8* !2201', '1* 2* !2201', '3* 2 !2201']);
  });

  it('gets all of them anew when tags come or go', () => {
    reader.take();
    connect([one, two], [dataOf(two, -2, [9])]);
    connect([one, two]);
    deliver(two, [10]);
    connect([two]);
    expect(reader.take()).to.deep.equal(['5* 6* 9*', '5 6 10*', '!2201* !2201* 10*']);
  });

  it('that is slow gets what comes meanwhile later, each step when the one before has settled', async () => {
    reader.take();
    reader.isSlow = true;
    deliver(one, [1, 2, 3], { rows: Uint32Array.of(0, 1, 0) });
    deliver(one, [7, 8]);
    connect([one, two], []);
    const steps = ['1* 2* !2201', '3* 2 !2007', '7* 8* !2007', '7* 8* !2007*'];
    for (const step of steps) {
      expect(reader.take().map((line) => line.replace(/!\d+/, '!'))).to.deep.equal([
        step.replace(/!\d+/, '!'),
      ]);
      reader.waiting.shift()!();
      await settled();
    }
    expect(reader.take()).to.deep.equal([]);
  });

  it('subscribes to a group that it reads, and gets both samples', () => {
    reader.take();
    subscribe([1], { layouts: new Map([[-1, one.layout]]), present: new Map() });
    const subscribed = group(1, 100, [tag('a', ''), tag('b', '')]);
    fixture.node.deliver(sampleOf(dataOf(subscribed, 1, [1, 1]), subscribed.layout), 1);
    deliver(one, [2, 2]);
    expect(reader.take()).to.deep.equal(['sample 1 1', '2* 2* !2201']);
    expect([...fixture.node.wanted]).to.deep.equal([1, -1]);
  });
});
