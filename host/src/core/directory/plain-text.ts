import { stripVTControlCharacters } from 'node:util';

/** Characters that change the direction of the text around them, or that nobody sees. */
const unseen = /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/gu;
const controls = /\p{Cc}/gu;
const controlsInText = /(?![\n\t])\p{Cc}/gu;

/** A text of somebody else as one line that can be shown anywhere: without control characters, terminal sequences and direction marks, and cut. */
export function plainLine(text: string, most: number): string {
  return cut(
    stripVTControlCharacters(text.slice(0, 4 * most))
      .replaceAll(/\s+/g, ' ')
      .replaceAll(controls, '')
      .replaceAll(unseen, '')
      .trim(),
    most,
  );
}

/** As `plainLine`, with the lines and tabs that the text has. */
export function plainText(text: string, most: number): string {
  const lines = stripVTControlCharacters(text.slice(0, 2 * most).replaceAll(/\r\n?/g, '\n'));
  return cut(lines.replaceAll(controlsInText, '').replaceAll(unseen, ''), most);
}

/** Not within a character of two units. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(most - 1)) ? most - 1 : most;
  return `${text.slice(0, end)}…`;
}
