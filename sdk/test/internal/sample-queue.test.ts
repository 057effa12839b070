import { expect } from 'chai';
import type { Sample } from '@tagway/sdk';
import { SampleOutlet, SampleQueue } from '@tagway/sdk/internal';

function sample(group: number, time: number, report?: number[]): Sample {
  return {
    ...{
      group,
      version: 1,
      time,
      numbers: new Float64Array(100),
      integers: new BigInt64Array(0),
      objects: [],
    },
    faults: new Int32Array(0),
    ...(report ? { report: Uint8Array.from(report) } : {}),
  };
}

const one = 928;

describe('sample queue', () => {
  it('keeps the newest samples that fit and counts the others', () => {
    const queue = new SampleQueue(3 * one);
    for (let time = 0; time < 10; time++) queue.push(sample(1, time));
    expect(queue.dropped).to.equal(7);
    expect([queue.shift()?.time, queue.shift()?.time, queue.shift()?.time, queue.shift()]).to.deep.equal([
      7,
      8,
      9,
      undefined,
    ]);
  });

  it('hands the changes of a dropped sample to the next one of its group', () => {
    const queue = new SampleQueue(2 * one);
    queue.push(sample(1, 0, [1, 0, 0]));
    queue.push(sample(2, 1, [0, 0, 0]));
    queue.push(sample(1, 2, [0, 0, 1]));
    expect([...(queue.shift()?.report ?? [])]).to.deep.equal([0, 0, 0]);
    expect([...(queue.shift()?.report ?? [])]).to.deep.equal([1, 0, 1]);
  });

  it('holds one sample even if it alone is over the limit', () => {
    const queue = new SampleQueue(1);
    queue.push(sample(1, 0));
    queue.push(sample(1, 1));
    expect(queue.length).to.equal(1);
    expect(queue.shift()?.time).to.equal(1);
  });
});

describe('sample outlet', () => {
  it('has at most its window under way and sends the rest as the receiver takes them', () => {
    const sent: number[] = [];
    const dones: (() => void)[] = [];
    const outlet = new SampleOutlet(
      ({ time }, done) => {
        sent.push(time);
        dones.push(done);
      },
      one,
      2 * one,
    );
    for (let time = 0; time < 6; time++) outlet.push(sample(1, time));
    expect(sent).to.deep.equal([0, 1]);
    expect(outlet.dropped).to.equal(2);
    while (dones.length > 0) dones.shift()?.();
    expect(sent).to.deep.equal([0, 1, 4, 5]);
    outlet.push(sample(1, 6));
    expect(sent.at(-1)).to.equal(6);
  });
});
