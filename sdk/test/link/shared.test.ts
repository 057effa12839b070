import { expect } from 'chai';
import { ErrorCode } from '@tagway/schemas';
import { dataTypeName, DataType, Fault, isInIntegerRange, type Point } from '@tagway/sdk';
import { abortable, parsePoints, Priority, PriorityQueue, ReadPlans } from '@tagway/sdk/link';
import { rejection } from './client.ts';

const wrong = new Fault(ErrorCode.TAG_ADDRESS_INVALID, 'No such address.');
const point = (address: string): Point => ({ name: address, address, type: DataType.INT16, attribute: 1 });

describe('read plans', () => {
  it('are compiled once for the points of a group and share a memory; a test read has both for itself', () => {
    const plans = new ReadPlans(
      (points, memory, isTest) => ({ points, memory, isTest }),
      () => new Set<string>(),
    );
    const points = [point('a')];
    const plan = plans.of(points, { cause: 'poll' });
    expect(plans.of(points, { cause: 'demand' })).to.equal(plan);
    expect(plans.of([point('a')], { cause: 'poll' }).memory)
      .to.equal(plan.memory)
      .and.to.equal(plans.memory);
    const test = plans.of(points, { cause: 'test' });
    expect([plan.isTest, test.isTest]).to.deep.equal([false, true]);
    expect(test.memory).to.not.equal(plan.memory);
    expect(plans.of(points, { cause: 'test' })).to.not.equal(test);
  });

  it('have an item for each point, or its fault', () => {
    const { items, invalid } = parsePoints([point('a'), point(''), point('c')], ({ address }, index) =>
      address === '' ? wrong : `${address}${index}`,
    );
    expect(items).to.deep.equal(['a0', 'c2']);
    expect(invalid).to.deep.equal([{ index: 1, fault: wrong }]);
  });
});

describe('a priority queue', () => {
  it('gives writes first, then requests, then polls, each in their order', () => {
    const queue = new PriorityQueue<string>();
    queue.push('p1', Priority.POLL);
    queue.push('r1', Priority.REQUEST);
    queue.push('w1', Priority.WRITE);
    queue.push('p2', Priority.POLL);
    queue.push('w2', Priority.WRITE);
    expect([queue.size, queue.shift()]).to.deep.equal([5, 'w1']);
    queue.withdraw(new Set(['p1']));
    expect([queue.takeAll(), queue.size, queue.shift()]).to.deep.equal([['w2', 'r1', 'p2'], 0, undefined]);
  });
});

describe('an abortable promise', () => {
  it('settles as its promise does, or with the reason of the signal after it was withdrawn', async () => {
    const { signal } = new AbortController();
    expect(await abortable(Promise.resolve(1), signal)).to.equal(1);
    expect(await rejection(abortable(Promise.reject(wrong), undefined))).to.equal(wrong);
    const withdrawn: string[] = [];
    const ending = new AbortController();
    const given = rejection(
      abortable(new Promise(() => undefined), ending.signal, () => withdrawn.push('a')),
    );
    ending.abort(wrong);
    expect(await given).to.equal(wrong);
    const late = abortable(Promise.resolve(1), ending.signal, () => withdrawn.push('b'));
    expect(await rejection(late)).to.equal(wrong);
    expect(withdrawn).to.deep.equal(['a', 'b']);
  });
});

describe('integer ranges', () => {
  it('take whole numbers within the limits of a type, and have the names of types', () => {
    const taken = [-0x8000, 0x7fff, -0x8001, 0x8000, 0.5].map((n) => isInIntegerRange(DataType.INT16, n));
    expect(taken).to.deep.equal([true, true, false, false, false]);
    const big = [0n, 2n ** 64n - 1n, 2n ** 64n, -1n].map((n) => isInIntegerRange(DataType.UINT64, n));
    expect(big).to.deep.equal([true, true, false, false]);
    expect([isInIntegerRange(DataType.FLOAT, 1), dataTypeName(9), dataTypeName(99)]).to.deep.equal([
      false,
      'FLOAT',
      '99',
    ]);
  });
});
