import { errorMeaning, errorRow } from '@tagway/schemas';
import { Fault, isFault } from '../fault.ts';

/** Characters of a sentence that a plugin gives; the rest is left out. */
const longestText = 1000;

/** Whether a fault may have this code: one of the table other than that of success, or one of a plugin's own. */
export function isFaultCode(code: unknown): code is number {
  if (typeof code !== 'number' || !Number.isInteger(code)) return false;
  return code > 0 && ((code >= 10_000 && code <= 20_000) || errorRow(code) !== undefined);
}

/** What a plugin gives as a sentence, as a text of bounded length without control characters; empty when it is none. */
export function soundText(given: unknown): string {
  if (typeof given !== 'string') return '';
  const text = given.length > longestText ? `${given.slice(0, longestText - 1)}…` : given;
  return isPlain(text) ? text : text.replaceAll(/\p{Cc}+/gu, ' ').trim();
}

/** What a plugin gives where a text is asked for. */
export function textOf(given: unknown): string {
  return typeof given === 'string' ? given : String(given);
}

let latest: Fault | undefined;

/** What a plugin gives or throws as a fault. `code` is for what has none that a fault may have. */
export function soundFault(given: unknown, code: number): Fault {
  if (given === latest) return latest as Fault;
  if (isFault(given) && isFaultCode(given.code) && soundText(given.message) === given.message) {
    latest = given;
    return given;
  }
  const { code: own, message, retry } = (given ?? {}) as Partial<Fault>;
  return new Fault(
    isFault(given) && isFaultCode(own) ? own : code,
    soundText(typeof given === 'string' ? given : message) || errorMeaning(code),
    { retry: !isFault(given) || retry !== false, cause: given },
  );
}

function isPlain(text: string): boolean {
  return !/\p{Cc}/u.test(text);
}
