import { expect } from 'chai';
import { PatternWorker } from '../../src/runtime/pattern-worker.ts';

const plain = ['^[0-9]+$', '^[a-z]$'];
const catastrophic = ['^(a+)+$'];
const attack = `${'a'.repeat(60)}!`;

describe('the patterns of a plugin in a thread of their own', function () {
  this.timeout(20_000);

  it('tell what fits, also with look-ahead', async () => {
    const tests = [
      { patterns: plain, text: '12' },
      { patterns: plain, text: 'b' },
      { patterns: plain, text: 'B' },
      { patterns: ['^(?!custom$)[a-z]+$'], text: 'custom' },
    ];
    expect(await new PatternWorker().test(tests)).to.deep.equal(['fits', 'fits', 'differs', 'differs']);
  });

  it('hang there alone: the text is named, what follows is not tried, and the next call is answered', async () => {
    const worker = new PatternWorker();
    const begin = performance.now();
    let ticks = 0;
    const timer = setInterval(() => ticks++, 10);
    const tests = ['aa', 'ab', attack, 'aa'].map((text) => ({ patterns: catastrophic, text }));
    const both = await Promise.all([worker.test(tests), worker.test([{ patterns: plain, text: '1' }])]);
    clearInterval(timer);
    expect(both).to.deep.equal([['fits', 'differs', 'hangs', 'untried'], ['fits']]);
    expect(performance.now() - begin).to.be.lessThan(5000);
    expect(ticks, 'this thread went on').to.be.greaterThan(10);
  });

  it('take ten thousand texts in a moment', async () => {
    const worker = new PatternWorker();
    const tests = Array.from({ length: 10_000 }, (_, index) => ({ patterns: plain, text: String(index) }));
    await worker.test(tests.slice(0, 1));
    const begin = performance.now();
    const verdicts = await worker.test(tests);
    expect(performance.now() - begin).to.be.lessThan(1000);
    expect(new Set(verdicts)).to.deep.equal(new Set(['fits']));
    expect(verdicts).to.have.length(10_000);
  });

  it('say so when they cannot be tried at all', async () => {
    expect(await new PatternWorker().test([{ patterns: ['('], text: 'a' }])).to.deep.equal(['fails']);
  });

  it('take no texts', async () => {
    expect(await new PatternWorker().test([])).to.deep.equal([]);
  });
});
