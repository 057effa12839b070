import { ErrorCode } from '@tagway/schemas';
import { connectionFailure } from '../core/system/connection-failure.ts';
import { Refusal, sentence, type Sentence } from '../core/system/sentence.ts';

const unknownAuthority = sentence`has a certificate of an authority that is not known here; an admin can give that of the authority in the settings of the sign-in`;

/** `what` begins the sentence: the directory, or the provider. */
export function unreachable(what: Sentence, cause: unknown): Refusal {
  return new Refusal(
    ErrorCode.PROVIDER_UNREACHABLE,
    sentence`${what} cannot be asked: it ${connectionFailure(cause, unknownAuthority)}.`,
    { cause },
  );
}

export function late(what: Sentence, seconds: number): Refusal {
  return new Refusal(
    ErrorCode.PROVIDER_UNREACHABLE,
    sentence`${what} does not answer within ${seconds} seconds. Users of the gateway itself can log in meanwhile.`,
  );
}

export function invalid(reason: Sentence, cause?: unknown): Refusal {
  return new Refusal(ErrorCode.PROVIDER_REPLY_INVALID, reason, { cause });
}
