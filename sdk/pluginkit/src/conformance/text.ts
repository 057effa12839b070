import { expect } from 'chai';
import { isFault } from '@tagway/sdk';

/** A mocha test, as far as its report goes. */
interface Reported {
  title: string;
}

/** Demands a sentence of a text that operators get to read, and shows it in the report of the test as they read it. */
export function showText(test: Reported | undefined, text: string, what = ''): void {
  if (test !== undefined && !test.title.includes(text)) test.title += `\n        ${what}${text}`;
  expect(flawOfText(text)).to.equal(undefined);
}

/** The same of a fault; throws when it is none. */
export function showFault(test: Reported | undefined, outcome: unknown, what = ''): void {
  if (!isFault(outcome)) throw new Error('There is no fault.');
  showText(test, outcome.message, what);
}

/**
 * What is wrong with a text that operators get to read, or undefined: it has to be a sentence, not empty, and more than a code or a
 * name.
 */
export function flawOfText(text: string): string | undefined {
  const words = text.match(/\p{L}{2,}/gu) ?? [];
  if (words.length >= 3 || /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]{4}/u.test(text))
    return undefined;
  return `The text "${text}" tells an operator nothing: say in a sentence what happened and what is expected.`;
}
