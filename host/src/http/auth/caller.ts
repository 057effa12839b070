import { ErrorCode, includesRole, type Role } from '@tagway/schemas';
import { Refusal, type Sentence, sentence } from '../../core/system/sentence.ts';

/** Who makes a request. */
export interface Caller {
  /** `issuer`: a token of another issuer that names no user. */
  readonly kind: 'user' | 'token' | 'issuer';
  readonly name: string;
  /** Who vouches for the user, where that is not the gateway. */
  readonly issuer?: string;
  /** The user is kept there, and is not the one of the gateway who may have the same name. */
  readonly isOutside?: true;
  readonly role: Role;
  /** May change who else there is. */
  readonly manages: boolean;
  /** The bearer token; empty where the gateway asks for none. */
  readonly token: string;
}

/** Throws USER_NOT_PERMITTED unless the caller may do what needs this role. `what` is the endpoint. */
export function checkRole(caller: Caller, least: Role, what: string): void {
  if (includesRole(caller.role, least)) return;
  throw new Refusal(
    ErrorCode.USER_NOT_PERMITTED,
    sentence`${what} needs the role ${least}; ${titleOf(caller)} is ${caller.role}.`,
  );
}

const titles = {
  user: (name: string) => sentence`the user "${name}"`,
  token: (name: string) => sentence`the token "${name}"`,
  issuer: (name: string) => sentence`the issuer "${name}"`,
} as const;

/** Such as `the user "admin"`. */
export function titleOf({ kind, name, issuer }: Caller): Sentence {
  const title = titles[kind](name);
  return issuer === undefined ? title : sentence`${title} of the issuer "${issuer}"`;
}
