/** Bytes of a line of the frame that is looked at. */
const perLine = 16;

/** The time of day with microseconds, in the time zone of the user. */
export function timeOf(milliseconds: number): string {
  const date = new Date(milliseconds);
  const two = (number: number): string => String(number).padStart(2, '0');
  const seconds = ((milliseconds / 1000) % 60).toFixed(6).padStart(9, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${seconds}`;
}

/** Bytes in hexadecimal digits as lines with offsets and characters. */
export function linesOf(hex: string): string[] {
  const lines: string[] = [];
  for (let at = 0; at < hex.length; at += 2 * perLine) {
    const bytes = hex.slice(at, at + 2 * perLine).match(/../g) ?? [];
    const characters = bytes.map((byte) => {
      const code = parseInt(byte, 16);
      return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '.';
    });
    const offset = (at / 2).toString(16).padStart(4, '0');
    lines.push(`${offset}  ${bytes.join(' ').padEnd(3 * perLine)} ${characters.join('')}`);
  }
  return lines;
}

/** Bytes in hexadecimal digits as the text that they are; undefined when they are none. */
export function contentOf(hex: string): string | undefined {
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (digits) => parseInt(digits, 16));
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    // eslint-disable-next-line no-control-regex -- A text has line ends and tabs, and no other control characters.
    return /[\u0000-\u0008\u000e-\u001f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
