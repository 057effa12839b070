import { ErrorCode } from '@tagway/schemas';

/** Codes that say that the token is not good, or not any more. */
export const tokenCodes: ReadonlySet<unknown> = new Set<unknown>([
  ErrorCode.TOKEN_MISSING,
  ErrorCode.TOKEN_UNDECODABLE,
  ErrorCode.TOKEN_EXPIRED,
  ErrorCode.TOKEN_NOT_VALID,
  ErrorCode.TOKEN_INVALID,
]);
