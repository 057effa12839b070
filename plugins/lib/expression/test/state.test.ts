import { expect } from 'chai';
import { ErrorCode, Fault } from '@tagway/sdk';
import type { Kind, Operand } from '../src/index.ts';
import { Bench, type InputSample } from './calculate.ts';

const lost = new Fault(ErrorCode.DISCONNECTED, 'The device is gone.');
const x = 'tag("a/b/c")';
const second = 'The first sample is there, and a second one is needed.';

const tick = Symbol('tick');

/** What comes after so many seconds (a value, a fault, or nothing but the tick of the group), and what the expression gives then. */
type Row = readonly [seconds: number, given: Operand | Fault | typeof tick, expected: Operand];

function play(text: string, kind: Kind, rows: readonly Row[]): void {
  const bench = new Bench(text);
  for (const [index, [seconds, given, expected]] of rows.entries()) {
    const isTick = given === tick;
    if (!isTick) {
      bench.give('a/b/c', given instanceof Fault ? given : ([kind, given] satisfies InputSample));
      if (index === 0) bench.expression.compile();
    }
    expect(bench.after(seconds, isTick), `${text}, row ${index}`).to.deep.equal(expected);
  }
}

describe('Functions with a state', () => {
  const cases: readonly (readonly [text: string, kind: Kind, rows: readonly Row[]])[] = [
    [
      `previous(${x})`,
      'int',
      [
        [0, 1, second],
        [1, 2, 1],
        [1, tick, 1],
        [1, lost, lost.message],
        [1, 5, 2],
      ],
    ],
    [
      `delta(${x})`,
      'uint',
      [
        [0, 10, second],
        [1, 12, 2],
        [1, 7, -5],
        [1, tick, -5],
        [1, 7, 0],
      ],
    ],
    [
      `delta(${x})`,
      'int',
      [
        [0, 9_007_199_254_740_993n, second],
        [1, 9_007_199_254_740_994n, 1],
      ],
    ],
    [
      `rate(${x})`,
      'double',
      [
        [0, 10, second],
        [2, 14, 2],
        [0, 20, 2],
        [1, 16, 2],
        [1, lost, lost.message],
        [3, 24, 2],
      ],
    ],
    [
      `total(${x})`,
      'double',
      [
        [0, 10, 0],
        [2, 20, 20],
        [1, tick, 40],
        [1, 0, 60],
        [5, 7, 60],
      ],
    ],
    // The time of an outage does not count.
    [
      `total(${x})`,
      'double',
      [
        [0, 10, 0],
        [1, lost, lost.message],
        [100, 10, 0],
        [1, 10, 10],
      ],
    ],
    [
      `total(${x}, ${x} < 0.0)`,
      'double',
      [
        [0, 10, 0],
        [2, 10, 20],
        [1, -1, 0],
        [1, 5, -1],
      ],
    ],
    [
      `count(${x} > 5)`,
      'int',
      [
        [0, 9, 0],
        [1, 1, 0],
        [1, 9, 1],
        [1, 10, 1],
        [1, lost, lost.message],
        [1, 1, 1],
        [1, 6, 2],
      ],
    ],
    [
      `count(${x} > 5, ${x} == 0)`,
      'int',
      [
        [0, 1, 0],
        [1, 9, 1],
        [1, 0, 0],
        [1, 9, 1],
      ],
    ],
    [
      `avg(${x}, 10)`,
      'int',
      [
        [0, 1, 1],
        [5, 3, 2],
        [5, 5, 4],
        [5, 7, 6],
        [100, tick, 7],
        [1, 1, 4],
      ],
    ],
    [
      `min(${x}, 10)`,
      'int',
      [
        [0, 1, 1],
        [5, 3, 1],
        [5, 5, 3],
        [5, 7, 5],
      ],
    ],
    [
      `max(${x}, 10)`,
      'double',
      [
        [0, 8, 8],
        [5, 3, 8],
        [5, 5, 5],
        [5, 2, 5],
        [1, lost, lost.message],
        [1, 1, 5],
      ],
    ],
    [
      `on_for(${x} > 5, 10)`,
      'int',
      [
        [0, 9, false],
        [5, 9, false],
        [5, 9, true],
        [1, 1, false],
        [1, 9, false],
        [4, tick, false],
        [6, tick, true],
      ],
    ],
    // While there is no value the delay stands still.
    [
      `on_for(${x} > 5, 10)`,
      'int',
      [
        [0, 9, false],
        [6, 9, false],
        [1, lost, lost.message],
        [60, 9, false],
        [4, 9, true],
      ],
    ],
    [
      `debounce(${x}, 3)`,
      'int',
      [
        [0, 1, 1],
        [1, 2, 1],
        [1, 1, 1],
        [1, 2, 1],
        [2, 2, 1],
        [1, 2, 2],
        [1, 3, 2],
        [3, tick, 3],
      ],
    ],
    [
      `hysteresis(${x}, 2, 4)`,
      'double',
      [
        [0, 3, false],
        [1, 4, true],
        [1, 3, true],
        [1, 2, false],
        [1, 3, false],
      ],
    ],
    // In a branch that is not taken, every sample counts as well.
    [
      `${x} > 5 ? delta(${x}) : 0`,
      'int',
      [
        [0, 1, 0],
        [1, 4, 0],
        [1, 9, 5],
      ],
    ],
    [
      `false && count(${x} > 5) > 0 ? 1 : count(${x} > 5)`,
      'int',
      [
        [0, 1, 0],
        [1, 9, 1],
        [1, 1, 1],
      ],
    ],
    // One in the other.
    [
      `max(rate(${x}), 60)`,
      'double',
      [
        [0, 0, second],
        [1, 5, 5],
        [1, 6, 5],
      ],
    ],
  ];
  for (const [text, kind, rows] of cases)
    it(`${text}: ${rows.map(([, , expected]) => String(expected)).join(' | ')}`, () => {
      play(text, kind, rows);
    });

  it('take a sample of their own argument alone', () => {
    const bench = new Bench('delta(tag("a/b/c")) + tag("d/e/f")', {
      'a/b/c': ['int', 1],
      'd/e/f': ['int', 0],
    });
    bench.after(0);
    bench.give('a/b/c', ['int', 4]);
    expect(bench.after(1)).to.equal(3);
    bench.give('d/e/f', ['int', 10]);
    expect(bench.after(1)).to.equal(13);
  });

  const afterSetBack: readonly (readonly [text: string, rows: readonly Row[]])[] = [
    [
      `total(${x})`,
      [
        [0, 10, 0],
        [-3600, 10, 0],
        [2, 10, 20],
      ],
    ],
    [
      `rate(${x})`,
      [
        [0, 10, second],
        [1, 12, 2],
        [-3600, 20, 2],
        [2, 30, 5],
      ],
    ],
    [
      `max(${x}, 10)`,
      [
        [0, 10, 10],
        [-3600, 3, 3],
        [1, 4, 4],
      ],
    ],
    [
      `on_for(${x} > 5, 3)`,
      [
        [0, 10, false],
        [-3600, 10, false],
        [2, 10, false],
        [1, 10, true],
      ],
    ],
  ];
  for (const [text, rows] of afterSetBack)
    it(`a clock that is set back lets no time pass, and ${text} goes on from there`, () => {
      play(text, 'double', rows);
    });

  it('a window has a bound, and its mean is right', () => {
    const bench = new Bench(`avg(${x}, 100)`, { 'a/b/c': ['double', 0] });
    let mean: Operand = 0;
    for (let sample = 1; sample <= 20_000; sample++) {
      bench.give('a/b/c', ['double', sample]);
      mean = bench.after(0.1);
    }
    // The last 1000 samples are 19 001 to 20 000; the edge is blurred by one of 256 pieces.
    expect(mean).to.be.closeTo(19_500.5, 1000 / 256);
  });

  it('what is kept goes on in another process, also before its input has a type', () => {
    const first = new Bench(`total(${x}) + double(count(${x} > 5))`, { 'a/b/c': ['double', 10] });
    first.after(0);
    first.give('a/b/c', ['double', 0]);
    first.after(3);
    first.give('a/b/c', ['double', 10]);
    expect(first.after(1)).to.equal(31);
    const kept = first.expression.save()!;
    const next = new Bench(first.expression.text);
    next.expression.load(kept);
    expect(next.expression.save()).to.deep.equal(kept);
    next.give('a/b/c', ['double', 4]);
    next.expression.compile();
    expect(next.after(100)).to.equal(31);
    next.give('a/b/c', ['double', 6]);
    expect(next.after(1)).to.equal(36);
  });

  it('what was kept and is no state of this expression is left', () => {
    const bench = new Bench(`total(${x})`, { 'a/b/c': ['double', 10] });
    for (const text of [
      '{}',
      '[1]',
      '[[0, null]]',
      '[[0, "count", {"count": 3}]]',
      '[[7, "total", {"sum": 3}]]',
      '[[0, "total", {"sum": "x"}]]',
    ])
      bench.expression.load(text);
    expect(bench.after(0)).to.equal(0);
  });

  it('another compilation goes on and leaves the first as it is', () => {
    const running = new Bench(`total(${x})`, { 'a/b/c': ['double', 10] });
    running.after(0);
    running.give('a/b/c', ['double', 10]);
    running.after(5);
    const test = new Bench(running.expression.text, { 'a/b/c': ['double', 10] });
    test.now = running.now;
    test.expression.adopt(running.expression);
    expect(test.after(100, true)).to.equal(1050);
    expect(running.after(0)).to.equal(50);
  });
});
