/** Characters that no reader sees and that change how others look: controls, and marks that turn the direction of a line. */
const invisible =
  // eslint-disable-next-line no-control-regex -- these are what is taken out
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** A text of a registry as it may be shown; line ends and tabs stay. */
export const plainText = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll(invisible, '');

/** The address of a link that may be followed, or undefined: http and https alone, without a user's name in it. */
export function linkOf(address: string | undefined): string | undefined {
  const url = address !== undefined && URL.canParse(address) ? new URL(address) : undefined;
  const isPlain = url !== undefined && ['http:', 'https:'].includes(url.protocol) && url.username === '';
  return isPlain ? url.href : undefined;
}
