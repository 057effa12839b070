import { expect } from 'chai';
import { isUnicode } from '../../src/http/body/body.ts';

describe('JSON text', () => {
  const cases: readonly (readonly [text: string, isGood: boolean])[] = [
    ['"plain"', true],
    ['"\\u00e9 \\n \\\\"', true],
    ['"\\ud83d\\ude00"', true],
    ['"\\uD83D\\uDE00 and \\ud83d\\ude00"', true],
    ['"\\\\ud800"', true],
    ['"\\ud800"', false],
    ['"\\udc00"', false],
    ['"\\uDC00\\uD800"', false],
    ['"\\ud83d\\ud83d\\ude00"', false],
    ['"\\ud83d\\ude00\\ude00"', false],
    ['"\\\\\\ud800"', false],
  ];
  for (const [text, isGood] of cases) {
    it(`${text} is ${isGood ? 'Unicode' : 'not: it has half of a pair'}`, () => {
      expect((JSON.parse(text) as string).isWellFormed(), 'the case itself').to.equal(isGood);
      expect(isUnicode(text)).to.equal(isGood);
    });
  }

  it('is looked at in its keys too', () => {
    expect(isUnicode('{"\\udfff":1}')).to.equal(false);
  });
});
