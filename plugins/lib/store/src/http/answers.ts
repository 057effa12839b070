import type { HttpAnswer } from './http-client.ts';

/** The first line of an answer's body that is not empty, for a log. */
export function firstLine({ text }: HttpAnswer): string {
  const line = text.split(/\r?\n/).find((one) => one.trim() !== '') ?? '';
  const short = line.trim().slice(0, 300);
  // eslint-disable-next-line no-control-regex -- A log shows no control characters of others.
  return short.replace(/[\u0000-\u001f\u007f]/g, ' ');
}

/** What a server has answered, for a sentence. */
export function answered(answer: HttpAnswer): string {
  const line = firstLine(answer);
  return `it answers ${answer.status}${line === '' ? '' : `: ${line}`}`;
}

/** Milliseconds that `Retry-After` asks to wait, in seconds or as a date; undefined when it is absent or no such thing. */
export function retryAfter({ headers }: HttpAnswer, now: number): number | undefined {
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
