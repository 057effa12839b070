import { expect } from 'chai';
import { tryPatterns } from '../../src/internal/runner/patterns.ts';

const plain = ['^[0-9]+$', '^[a-z]$'];
const catastrophic = ['^(a+)+$'];
const attack = `${'a'.repeat(60)}!`;

describe('the patterns of a plugin', function () {
  this.timeout(20_000);

  it('distinguish what fits, also with look-ahead', () => {
    const tests = [
      { patterns: plain, text: '12' },
      { patterns: plain, text: 'b' },
      { patterns: plain, text: 'B' },
      { patterns: ['^(?!custom$)[a-z]+$'], text: 'custom' },
    ];
    expect(tryPatterns(tests)).to.deep.equal(['fits', 'fits', 'differs', 'differs']);
  });

  it('are ended when one hangs: the text is named, what follows is not tried, and the next call is answered', () => {
    const begin = performance.now();
    const tests = ['aa', 'ab', attack, 'aa'].map((text) => ({ patterns: catastrophic, text }));
    expect(tryPatterns(tests)).to.deep.equal(['fits', 'differs', 'hangs', 'untried']);
    expect(tryPatterns([{ patterns: plain, text: '1' }])).to.deep.equal(['fits']);
    expect(performance.now() - begin).to.be.lessThan(5000);
  });

  it('take ten thousand texts in a moment', () => {
    const tests = Array.from({ length: 10_000 }, (_, index) => ({ patterns: plain, text: String(index) }));
    const begin = performance.now();
    const verdicts = tryPatterns(tests);
    expect(performance.now() - begin).to.be.lessThan(1000);
    expect(new Set(verdicts)).to.deep.equal(new Set(['fits']));
    expect(verdicts).to.have.length(10_000);
  });

  it('say so when they cannot be tried at all', () => {
    expect(tryPatterns([{ patterns: ['('], text: 'a' }])).to.deep.equal(['fails']);
  });

  it('take no texts', () => {
    expect(tryPatterns([])).to.deep.equal([]);
  });
});
