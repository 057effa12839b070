import type { HttpAnswer } from './http-client.ts';

/** What the body of an answer says: the error of a JSON object, or its first line that is not empty; for a log. */
export function said({ text }: HttpAnswer): string {
  const line = errorOf(text) ?? text.split(/\r?\n/).find((one) => one.trim() !== '') ?? '';
  const short = line.trim().slice(0, 300);
  // eslint-disable-next-line no-control-regex -- A log shows no control characters of others.
  return short.replace(/[\u0000-\u001f\u007f]/g, ' ');
}

function errorOf(text: string): string | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const { error, message } = JSON.parse(text) as { readonly error?: unknown; readonly message?: unknown };
    return [error, message].find((one) => typeof one === 'string');
  } catch {
    return undefined;
  }
}

/** What a server has answered, for a sentence. */
export function answered(answer: HttpAnswer): string {
  const text = said(answer);
  return `it answers ${answer.status}${text === '' ? '' : `: ${text}`}`;
}

/** Milliseconds that `Retry-After` asks to wait, in seconds or as a date; undefined when it is absent or no such thing. */
export function retryAfter({ headers }: HttpAnswer, now: number): number | undefined {
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
