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
