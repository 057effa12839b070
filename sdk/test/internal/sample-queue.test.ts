import { expect } from 'chai';
import type { SampleData } from '@tagway/sdk/internal';
import { SampleOutlet, SampleQueue } from '@tagway/sdk/internal';

/** Its version is also the number of its group. */
function sample(version: number, timestamp: number, due?: number[]): SampleData {
  return {
    group: version,
    version,
    timestamp,
    numbers: new Float64Array(100),
    integers: new BigInt64Array(0),
    objects: [],
    faults: new Int32Array(0),
    ...(due && { due: Uint8Array.from(due) }),
  };
}

/** Events of these columns, as large as any other sample of these tests. */
function eventsOf(version: number, timestamp: number, ...rows: number[]): SampleData {
  return { ...sample(version, timestamp), rows: Uint32Array.from(rows) };
}

const one = 928;
const versionOf = ({ version }: SampleData): number => version;
const dropped: SampleData[] = [];
const events = { versionOf, dropped: (sample: SampleData): void => void dropped.push(sample) };

function queueOf(samples: number): SampleQueue<SampleData> {
  return new SampleQueue<SampleData>(samples * one + 30, events);
}

/** How many samples were dropped since the last time, and how many events were among them. */
function takeDropped(): [samples: number, events: number] {
  const taken = dropped.splice(0);
  return [taken.length, taken.reduce((sum, { rows }) => sum + (rows?.length ?? 0), 0)];
}

/** All that is left in it, in order. */
function drain(queue: SampleQueue<SampleData>): SampleData[] {
  const left: SampleData[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift())
    if (typeof next === 'function') next();
    else left.push(next);
  return left;
}

describe('sample queue', () => {
  beforeEach(takeDropped);

  it('keeps the newest samples that fit and counts the others', () => {
    const queue = queueOf(3);
    for (let time = 0; time < 10; time++) queue.push(sample(1, time));
    expect(takeDropped()).to.deep.equal([7, 0]);
    expect(drain(queue).map(({ timestamp }) => timestamp)).to.deep.equal([7, 8, 9]);
  });

  it('lets what apps do not get neither owe nor pay', () => {
    const queue = queueOf(1);
    queue.push(sample(1, 0, [1, 0, 0]));
    queue.push({ ...sample(1, 1), forCache: true });
    expect(drain(queue).map(({ timestamp, due }) => [timestamp, due])).to.deep.equal([[1, undefined]]);
    queue.push({ ...sample(1, 2), forCache: true });
    queue.push(sample(1, 3, [0, 0, 1]));
    expect(drain(queue).map(({ due }) => [...(due ?? [])])).to.deep.equal([[1, 0, 1]]);
  });

  it('hands on of dropped events what was due of them', () => {
    const queue = queueOf(1);
    queue.push({ ...eventsOf(1, 0, 0, 2, 2), due: Uint8Array.of(0, 0, 1) });
    queue.push(sample(1, 1, [0, 0, 0]));
    expect(drain(queue).map(({ due }) => [...(due ?? [])])).to.deep.equal([[0, 0, 1]]);
  });

  it('hands the changes of a dropped sample to the next one of its version', () => {
    const queue = queueOf(2);
    queue.push(sample(1, 0, [1, 0, 0]));
    queue.push(sample(2, 1, [0, 0, 0]));
    queue.push(sample(1, 2, [0, 0, 1]));
    expect(drain(queue).map(({ due }) => due?.join(''))).to.deep.equal(['000', '101']);
  });

  it('hands them on even when the next one of its version comes much later', () => {
    const queue = queueOf(1);
    queue.push(sample(1, 0, [1, 0]));
    for (let time = 1; time < 5; time++) queue.push(sample(2, time));
    expect(drain(queue)).to.have.length(1);
    queue.push(sample(1, 9, [0, 0]));
    queue.push(sample(1, 10, [0, 0]));
    expect(drain(queue).map(({ due }) => due?.join(''))).to.deep.equal(['10']);
    queue.push(sample(1, 11, [0, 0]));
    expect(drain(queue).map(({ due }) => due?.join(''))).to.deep.equal(['00']);
  });

  it('makes the next sample due as a whole when one that was is dropped', () => {
    const queue = queueOf(1);
    queue.push(sample(1, 0));
    queue.push(sample(1, 1, [0, 0]));
    expect(drain(queue).map(({ due }) => due)).to.deep.equal([undefined]);
  });

  it('counts dropped events one a row, and hands their columns to the next whole sample', () => {
    const queue = queueOf(2);
    queue.push(eventsOf(1, 0, 2, 0, 2));
    queue.push(eventsOf(1, 1, 1));
    queue.push(eventsOf(1, 2, 1));
    expect(takeDropped()).to.deep.equal([1, 3]);
    queue.push(sample(1, 3, [0, 0, 0]));
    expect(takeDropped()).to.deep.equal([1, 1]);
    expect(drain(queue).map(({ timestamp, due }) => [timestamp, due?.join('')])).to.deep.equal([
      [2, undefined],
      [3, '111'],
    ]);
  });

  it('never drops a notice, and keeps its place', () => {
    const queue = queueOf(1);
    const order: unknown[] = [];
    queue.push(sample(1, 0));
    queue.push(() => void order.push('lost'));
    queue.push(sample(1, 1));
    queue.push(() => void order.push('back'));
    queue.push(sample(1, 2));
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      if (typeof next === 'function') next();
      else order.push(next.timestamp);
    expect(order).to.deep.equal(['lost', 'back', 2]);
  });

  it('holds one sample even if it alone is over the limit', () => {
    const queue = new SampleQueue<SampleData>(1, events);
    queue.push(sample(1, 0));
    queue.push(sample(1, 1));
    expect(queue.length).to.equal(1);
    expect(drain(queue)[0]?.timestamp).to.equal(1);
  });
});

describe('sample outlet', () => {
  beforeEach(takeDropped);

  interface Receiver {
    readonly outlet: SampleOutlet<SampleData>;
    readonly sent: number[];
    /** Takes the next message that is under way. */
    take(): boolean;
  }

  function slowReceiver(window: number, queue: number): Receiver {
    const sent: number[] = [];
    const dones: (() => void)[] = [];
    const outlet = new SampleOutlet<SampleData>(
      ({ timestamp }, done) => {
        sent.push(timestamp);
        dones.push(done);
      },
      events,
      { window, queue },
    );
    const take = (): boolean => {
      const done = dones.shift();
      done?.();
      return done !== undefined;
    };
    return { outlet, sent, take };
  }

  it('has at most its window under way and sends the rest as the receiver takes them', () => {
    const { outlet, sent, take } = slowReceiver(one, 2 * one);
    for (let time = 0; time < 6; time++) outlet.push(sample(1, time));
    expect(sent).to.deep.equal([0, 1]);
    expect(takeDropped()).to.deep.equal([2, 0]);
    while (take());
    expect(sent).to.deep.equal([0, 1, 4, 5]);
    outlet.push(sample(1, 6));
    expect(sent.at(-1)).to.equal(6);
  });

  it('runs a notice once everything before it is on its way', () => {
    const { outlet, sent, take } = slowReceiver(one, 9 * one);
    const order: string[] = [];
    outlet.after(() => order.push(`after ${sent.length}`));
    for (let time = 0; time < 4; time++) outlet.push(sample(1, time));
    outlet.after(() => order.push(`after ${sent.length}`));
    outlet.push(sample(1, 4));
    expect(order).to.deep.equal(['after 0']);
    while (take());
    expect(order).to.deep.equal(['after 0', 'after 4']);
    expect(sent).to.deep.equal([0, 1, 2, 3, 4]);
  });

  it('says when there is no room and when there is again', async () => {
    const { outlet, take } = slowReceiver(one, 9 * one);
    await outlet.drained;
    expect(outlet.hasRoom).to.equal(true);
    outlet.push(sample(1, 0));
    outlet.push(sample(1, 1));
    expect(outlet.hasRoom).to.equal(false);
    let isDrained = false;
    const drained = outlet.drained.then(() => (isDrained = true));
    await new Promise(setImmediate);
    expect(isDrained).to.equal(false);
    while (take());
    await drained;
    expect(outlet.hasRoom).to.equal(true);
  });

  it('empties a long queue into a channel that has closed without a deep stack', () => {
    const dones: (() => void)[] = [];
    let isClosed = false;
    let sent = 0;
    const outlet = new SampleOutlet<SampleData>(
      (_sample, done) => {
        sent++;
        if (isClosed) done();
        else dones.push(done);
      },
      events,
      { window: 100, queue: 1e9 },
    );
    for (let time = 0; time < 100_000; time++)
      outlet.push({ ...sample(1, time), numbers: new Float64Array(0) });
    isClosed = true;
    for (const done of dones) done();
    expect(sent).to.equal(100_000);
  });
});
