import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';

/** Levels of objects and lists within `params`. What nests deeper would overflow the stack of whoever walks it. */
const depth = 32;

/** Throws BODY_INVALID for `params` that nest too deeply to be stored. */
export function checkParams(params: object | undefined): void {
  if (params !== undefined && tooDeep(params, depth)) {
    throw new Fault(ErrorCode.BODY_INVALID, `The field params nests deeper than ${depth} levels.`);
  }
}

function tooDeep(value: object, left: number): boolean {
  if (left === 0) return true;
  return Object.values(value).some(
    (entry: unknown) => typeof entry === 'object' && entry !== null && tooDeep(entry, left - 1),
  );
}
