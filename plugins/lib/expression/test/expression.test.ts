import { expect } from 'chai';
import { ErrorCode, Fault, Quality } from '@tagway/sdk';
import { check, Expression, Input } from '../src/index.ts';
import type { Operand } from '../src/index.ts';
import { Bench, calculate, type InputSample } from './calculate.ts';

const refusal = (text: string): string => {
  const result = check(text);
  return result instanceof Error ? result.message : `taken, gives ${result}`;
};

const lost = new Fault(ErrorCode.DISCONNECTED, '"a/b/c" has no value: the device is gone.');
const x = 'tag("a/b/c")';
const y = 'tag("d/e/f")';
const of = (given: InputSample, other?: InputSample): Record<string, InputSample> =>
  other === undefined ? { 'a/b/c': given } : { 'a/b/c': given, 'd/e/f': other };

describe('Expressions', () => {
  describe('calculate', () => {
    const cases: readonly (readonly [
      text: string,
      expected: Operand,
      given?: Record<string, InputSample>,
    ])[] = [
      // Types are mixed.
      [`${x} + ${y}`, 7.5, of(['int', 5], ['double', 2.5])],
      [`${x} * 0.1`, 0.5, of(['int', 5])],
      [`${x} - 7`, -2, of(['uint', 5])],
      [`${x} / 2`, 2, of(['int', 5])],
      [`${x} / 2.0`, 2.5, of(['int', 5])],
      [`${x} / 2`, -2, of(['int', -5])],
      [`${x} % 3`, -2, of(['int', -5])],
      // 64 bits are exact, whatever is between.
      [`${x} - ${y}`, 1, of(['int', 9_007_199_254_740_993n], ['int', 9_007_199_254_740_992n])],
      [`${x} - 5`, 18_446_744_073_709_551_610n, of(['uint', 18_446_744_073_709_551_615n])],
      [`${x} - 5 + 5`, 18_446_744_073_709_551_615n, of(['uint', 18_446_744_073_709_551_615n])],
      [`${x} * ${x}`, 4_611_686_014_132_420_609n, of(['int', 2_147_483_647])],
      [`${x} * ${x} - 4611686014132420600`, 9, of(['int', 2_147_483_647])],
      [`${x} == 9007199254740993`, true, of(['int', 9_007_199_254_740_993n])],
      [`${x} > 9007199254740992.0`, true, of(['int', 9_007_199_254_740_993n])],
      [`${x} * -1 == 0 && 1.0 / double(${x} * -1) > 0.0`, true, of(['int', 0])],
      // Numbers that do not fit.
      [
        `${x} + 1`,
        'Character 1: The result does not fit into 64 bits.',
        of(['int', 9_223_372_036_854_775_807n]),
      ],
      [`${x} / ${y}`, 'Character 1: A whole number is divided by zero.', of(['int', 5], ['int', 0])],
      [`${x} / ${y}`, Infinity, of(['int', 5], ['double', 0])],
      // Conditions and texts.
      [`${x} > 3 && ${x} <= 5 ? "in" : "out"`, 'in', of(['double', 5])],
      [`${x} in [1, 2.0, 5u]`, true, of(['double', 2])],
      [`${x} in []`, false, of(['double', 2])],
      [`"T = " + string(${x}) + " °C"`, 'T = 20.5 °C', of(['double', 20.5])],
      [`fixed(${x}, 1)`, '20.5', of(['double', 20.46])],
      [`${x}.matches("^(a+)+$")`, false, of(['string', `${'a'.repeat(26)}!`])],
      [`size(${x})`, 2, of(['bytes', Buffer.from('ab')])],
      [`${x} == b'ab'`, true, of(['bytes', Buffer.from('ab')])],
      [`int(${x}) + int(${y})`, 1, of(['bool', true], ['bool', false])],
      // Functions.
      [`scale(${x}, 0, 27648, 0.0, 100.0)`, 50, of(['int', 13_824])],
      [`scale(${x}, 4.0, 20.0, -10.0, 10.0)`, 0, of(['double', 12])],
      [`clamp(${x}, 0, 100)`, 100, of(['double', 120])],
      [`math.greatest(${x}, ${y}, 3)`, 5.5, of(['int', 5], ['double', 5.5])],
      [`math.round(-2.5)`, -3],
      [`math.bitAnd(${x}, 255)`, 0xcd, of(['int', 0xabcd])],
      [`math.bitAnd(${x}, 1) != 0`, true, of(['uint', 18_446_744_073_709_551_615n])],
      [`math.sqrt(${x})`, 3, of(['int', 9])],
      [`time(${x})`, 1_000_000, of(['int', 9])],
      [`now() - time(${x})`, 0, of(['int', 9])],
      // Faults.
      [`${x} + 1`, lost.message, of(lost)],
      [`good(${x}) ? ${x} : -1`, -1, of(lost)],
      [`good(${x}) ? ${x} : -1`, 5, of(['int', 5])],
      [`good(${x}) ? ${x} : -1`, -1],
      [`(good(${x}) ? ${x} : 0) + ${y}`, 2.5, { 'd/e/f': ['double', 2.5] }],
      [`${x} > 3 || ${y}`, true, of(lost, ['bool', true])],
      [`${y} || ${x} > 3`, true, of(lost, ['bool', true])],
      [`${x} > 3 && ${y}`, false, of(lost, ['bool', false])],
      [`${x} > 3 && ${y}`, lost.message, of(lost, ['bool', true])],
      [`${x} + 1`, 'The input has no value yet.'],
    ];
    for (const [text, expected, given] of cases)
      it(`${text} is ${String(expected)}`, () => {
        expect(calculate(text, given)).to.equal(expected);
      });

    it('the quality is that of the inputs that count', () => {
      const bench = new Bench(`good(${x}) ? ${x} : ${y}`, of(['int', 1], ['int', 2]));
      bench.input('a/b/c').quality = Quality.UNCERTAIN;
      expect(bench.after(0)).to.equal(2);
      expect(bench.expression.quality).to.equal(Quality.GOOD);
      bench.input('d/e/f').quality = Quality.SUBSTITUTED;
      bench.after(0);
      expect(bench.expression.quality).to.equal(Quality.SUBSTITUTED);
      expect(calculate(`quality(${x})`, of(['int', 1]))).to.equal(0);
    });

    it('an input whose type changes is calculated as what it is then', () => {
      const bench = new Bench(`${x} / 2`, of(['int', 5]));
      expect(bench.after(0)).to.equal(2);
      bench.give('a/b/c', ['double', 5]);
      bench.expression.compile();
      expect(bench.after(0)).to.equal(2.5);
      bench.give('a/b/c', ['string', 'five']);
      bench.expression.compile();
      expect(bench.after(0)).to.equal('Character 1: / takes numbers, and what stands left of it is a text.');
    });
  });

  describe('are refused with the place', () => {
    const cases: readonly (readonly [text: string, sentence: string])[] = [
      ['', 'Character 1: The expression is empty.'],
      [`${x} +`, 'Character 15: A value is missing here: there is the end of the expression.'],
      [`(${x}`, 'Character 14: Here stands the end of the expression in the place of ")".'],
      [`${x} + "1`, 'Character 16: The text that begins here has no closing quotation mark.'],
      [`a.b + 1`, 'Character 3: Maps, fields and elements are not supported.'],
      [
        `temperature + 1`,
        'Character 1: There is no "temperature". A tag is read with tag("node/group/tag").',
      ],
      [
        `1 +\n  tag("a/b")`,
        'Line 2, character 7: This is no reference: it is written node/group/tag, with a name in each place.',
      ],
      ['tag("a/" + "b/c")', 'Character 5: tag takes a reference in quotation marks: tag("node/group/tag").'],
      [
        'tag(r"a/b/c")',
        'Character 5: A reference is written out in plain quotation marks: tag("node/group/tag").',
      ],
      [
        '"a" + 1',
        'Character 1: + takes numbers, and what stands left of it is a text. string(…) makes a text of a number.',
      ],
      [
        'true + 1',
        'Character 1: + takes numbers, and what stands left of it is true or false. int(…) makes 1 or 0 of it.'.replace(
          'Character 6',
          'Character 1',
        ),
      ],
      [
        '1 ? 2 : 3',
        'Character 1: What stands before ? is true or false, and this is a whole number. Compare it, such as with != 0.',
      ],
      [
        'true ? 2 : "a"',
        'Character 1: Both results after ? are of one kind; these are a whole number and a text.',
      ],
      [`avg(${x})`, 'Character 1: It is written avg(x, seconds, reset); the reset may be left out.'],
      [`avg(${x}, ${x})`, 'Character 19: Argument 2 of avg is a number that is written out, such as 60.'],
      [
        `rate(${x} > 3)`,
        'Character 6: The first argument of rate is a number, and this is true or false. int(…) makes 1 or 0 of it.',
      ],
      [`${x}.matches("(")`, 'RE2'],
      [
        `matches("a", ${x})`,
        'Character 14: matches takes a pattern in quotation marks of at most 256 characters.',
      ],
      [
        `scale(${x}, 1, 1, 0, 100)`,
        'Character 1: scale takes two different values to move from, and two different ones to move to.',
      ],
      [`hysteresis(${x}, 5, 3)`, 'hysteresis takes the lower limit before the upper one.'],
      ['9223372036854775808', 'Character 1: This is no whole number of 64 bits.'],
      [`[1, 2].all(i, i > 0)`, 'There is no function .all.'],
      ['constructor', 'Character 1: There is no "constructor". A tag is read with tag("node/group/tag").'],
      ['constructor(1)', 'Character 1: There is no function constructor.'],
      ['math.constructor(1)', 'There is no function math.constructor.'],
    ];
    for (const [text, sentence] of cases)
      it(`${text} (${sentence})`, () => {
        expect(refusal(text)).to.include(sentence);
      });

    it('what is larger than an address may be, or deeper than anybody writes', () => {
      expect(refusal(`${x}${' '.repeat(4096)}`)).to.include('4096 are the most');
      expect(refusal('('.repeat(2000))).to.include('too large');
      expect(refusal(`${'!'.repeat(4000)}true`)).to.include('too large');
      expect(refusal(`${'-'.repeat(4000)}1`)).to.include('too large');
      expect(refusal(`1${'+1'.repeat(2000)}`)).to.include('too large');
      expect(refusal(`1${'+1'.repeat(450)}`)).to.equal('taken, gives int');
    });
  });

  it('a text that grows is bounded, and so is a match', () => {
    const given = of(['string', 'a'.repeat(40_000)]);
    expect(calculate(`${x} + ${x}`, given)).to.include('longer than 65535 characters');
    expect(calculate(`${x}.replace("a", "bbbb")`, given)).to.include('longer than 65535 characters');
    expect(calculate(`${x}.matches("a*b")`, given)).to.include('at most 4096 characters');
  });

  it('the worst pattern that is taken ends in time', () => {
    const text = `${x}.matches("((a*)*){100}b")`;
    const began = performance.now();
    expect(calculate(text, of(['string', 'a'.repeat(4096)]))).to.equal(false);
    expect(performance.now() - began).to.be.below(5000);
  });

  it('a reference keeps the characters that a name may have', () => {
    const expression = new Expression('tag("plant 1/1%2Fs/T")', (reference) => new Input(reference));
    expect(expression.inputs.map(({ reference }) => reference)).to.deep.equal(['plant 1/1%2Fs/T']);
  });
});
