import { errorMeaning, errorRow } from '@tagway/schemas';
import { Fault, isFault } from '../../fault.ts';

/** Most characters of a plugin's sentence; the rest is cut off. */
const longestText = 1000;

/** Whether a fault may have this code: one of the table other than that of success, or one of a plugin's own. */
export function isFaultCode(code: unknown): code is number {
  if (typeof code !== 'number' || !Number.isInteger(code)) return false;
  return code > 0 && ((code >= 10_000 && code <= 20_000) || errorRow(code) !== undefined);
}

/** A plugin's sentence, bounded in length and without control characters; empty when it is not a text. */
export function soundText(given: unknown): string {
  if (typeof given !== 'string') return '';
  const text = given.length > longestText ? `${given.slice(0, longestText - 1)}…` : given;
  return isPlain(text) ? text : text.replaceAll(/\p{Cc}+/gu, ' ').trim();
}

/** The text of a value that a plugin gives as a text. */
export function textOf(given: unknown): string {
  return typeof given === 'string' ? given : String(given);
}

let latest: Fault | undefined;

/** A valid fault for a value that a plugin gives or throws as one; with `code` when it has no valid code. */
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
