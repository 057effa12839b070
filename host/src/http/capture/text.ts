import type { TracedFrame } from '../../core/ports/ports.ts';

/** Bytes of a line of hexadecimal digits. */
const perLine = 16;

/** A frame as people read it: time, direction, unit, bytes and what it means, and below that its bytes. */
export function textOfFrame({ at, direction, size, data, text, unit, connection }: TracedFrame): string {
  const parts = [
    timeOf(at),
    direction === 'sent' ? '->' : '<-',
    connection.peer,
    ...(unit === undefined ? [] : [`unit ${unit}`]),
    `${size} bytes`,
  ];
  const lines = [`${parts.join('  ')}${text === undefined ? '' : `  ${text}`}`];
  for (let from = 0; from < data.length; from += perLine) lines.push(lineOf(data, from));
  return `${lines.join('\n')}\n`;
}

/** A time with microseconds, in UTC as the other times of the API's files. */
function timeOf(at: number): string {
  const microseconds = Math.round(at * 1000);
  const whole = Math.floor(microseconds / 1000);
  const rest = String(microseconds - whole * 1000).padStart(3, '0');
  return new Date(whole).toISOString().replace('Z', `${rest}Z`);
}

function lineOf(data: Uint8Array, from: number): string {
  const bytes = Array.from(data.subarray(from, from + perLine));
  const digits = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
  const characters = bytes.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'));
  const offset = from.toString(16).padStart(4, '0');
  return `    ${offset}  ${digits.padEnd(3 * perLine - 1)}  ${characters.join('')}`;
}
