import { ErrorCode, includesRole, type Role } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';

/** Who makes a request. */
export interface Caller {
  /** `issuer`: a token of another issuer that names no user. */
  readonly kind: 'user' | 'token' | 'issuer';
  readonly name: string;
  /** Who vouches for the user, where that is not the gateway. */
  readonly issuer?: string;
  readonly role: Role;
  /** May change who else there is. */
  readonly manages: boolean;
  /** The bearer token; empty where the gateway asks for none. */
  readonly token: string;
}

/** Throws USER_NOT_PERMITTED unless the caller may do what needs this role. `what` is the endpoint. */
export function checkRole(caller: Caller, least: Role, what: string): void {
  if (includesRole(caller.role, least)) return;
  throw new Fault(
    ErrorCode.USER_NOT_PERMITTED,
    `${what} needs the role ${least}; ${titleOf(caller)} is ${caller.role}.`,
  );
}

const titles = { user: 'the user', token: 'the token', issuer: 'the issuer' } as const;

/** Such as `the user "admin"`. */
export function titleOf({ kind, name, issuer }: Caller): string {
  return `${titles[kind]} "${name}"${issuer === undefined ? '' : ` of the issuer "${issuer}"`}`;
}
