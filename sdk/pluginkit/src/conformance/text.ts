import { expect } from 'chai';
import { isFault } from '@tagway/sdk';

/** The part of a mocha test that its report shows. */
interface Reported {
  title: string;
}

/** Checks that a text for operators is a sentence, and shows it in the report of the test. */
export function showText(test: Reported | undefined, text: string, what = ''): void {
  if (test !== undefined && !test.title.includes(text)) test.title += `\n        ${what}${text}`;
  expect(flawOfText(text)).to.equal(undefined);
}

/** The same for the text of a fault; throws when `outcome` is not a fault. */
export function showFault(test: Reported | undefined, outcome: unknown, what = ''): void {
  if (!isFault(outcome)) throw new Error('There is no fault.');
  showText(test, outcome.message, what);
}

/**
 * What is wrong with a text for operators, or undefined: it has to be a sentence, not empty, and more than a code or a name.
 */
export function flawOfText(text: string): string | undefined {
  const words = text.match(/\p{L}{2,}/gu) ?? [];
  if (words.length >= 3 || /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]{4}/u.test(text))
    return undefined;
  return `The text "${text}" tells an operator nothing: say in a sentence what happened and what is expected.`;
}
