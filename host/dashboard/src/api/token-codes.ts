import { ErrorCode } from '@tagway/schemas';

/** Error codes of a token that is not valid, or no longer valid. */
export const tokenCodes: ReadonlySet<unknown> = new Set<unknown>([
  ErrorCode.TOKEN_MISSING,
  ErrorCode.TOKEN_UNDECODABLE,
  ErrorCode.TOKEN_EXPIRED,
  ErrorCode.TOKEN_NOT_VALID,
  ErrorCode.TOKEN_INVALID,
]);
