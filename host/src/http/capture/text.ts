import type { TracedFrame } from '../../core/ports/ports.ts';

/** Bytes of a line of hexadecimal digits. */
const perLine = 16;

/** A frame as people read it: time, direction, unit, bytes and what it means, and below that its bytes. */
export function textOfFrame(frame: TracedFrame): string {
  const { at, direction, size, data, text, unit, connection, topic } = frame;
  if (topic !== undefined) return textOfMessage(frame, topic);
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

/** A message of an app as people read it: where it went, of which group, what became of it, and below that the whole of it. */
function textOfMessage(frame: TracedFrame, topic: string): string {
  const { at, direction, size, data, text, of, failure, connection } = frame;
  const parts = [
    timeOf(at),
    direction === 'sent' ? '->' : '<-',
    connection.peer,
    topic,
    ...(of === undefined ? [] : [`${of.driver}/${of.group}`]),
    `${size} bytes`,
  ];
  const lines = [
    `${parts.join('  ')}${failure === undefined ? '' : `  FAILED: ${failure}`}`,
    ...(contentOf(data) ?? text ?? '').split(/\r?\n/).map((line) => `    ${line}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Undefined when it is no text. */
function contentOf(data: Uint8Array): string | undefined {
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString();
  // eslint-disable-next-line no-control-regex -- A text has line ends and tabs, and no other control characters.
  return /[\u0000-\u0008\u000e-\u001f\ufffd]/.test(text) ? undefined : text;
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
