import type { WriteOptions } from '@tagway/sdk';
import type { ISessionContext } from 'node-opcua-address-space';
import type { Identity, Users } from './users.ts';

/** Who sends a request. */
export interface Caller extends Identity {
  /** IP address of the client. */
  readonly address?: string;
}

/** What the library's session has. */
interface Session {
  readonly userIdentityToken?: unknown;
  readonly channel?: { readonly remoteAddress?: string } | undefined;
}

/** Whose request the library carries out; undefined: its own. */
export function callerOf(context: ISessionContext, users: Users): Caller | undefined {
  const { session } = context as { readonly session?: Session | null };
  if (!session) return undefined;
  const address = session.channel?.remoteAddress;
  return { ...users.identityOf(session.userIdentityToken), ...(address && { address }) };
}

/** For whom the gateway writes, and what its audit has of it. */
export function writesFor(caller: Caller | undefined): Pick<WriteOptions, 'user' | 'from'> {
  const { user, address } = caller ?? {};
  return { ...(user !== undefined && { user }), ...(address !== undefined && { from: address }) };
}
