import { expect } from 'chai';
import { inLatin } from './tsup.ts';

describe('a built source', () => {
  it('has no character beyond Latin-1, and its regular expressions match what they did', () => {
    const source = '/[一-龥…]+|^😀$/u // …';
    const built = inLatin(source);
    expect(built).to.match(/^[\0-\xff]*$/);
    for (const text of ['一丁龥…', '😀', '?', 'u4e00', '\ud83d'])
      expect((0, eval)(built).test(text), text).to.equal((0, eval)(source).test(text));
  });
});
