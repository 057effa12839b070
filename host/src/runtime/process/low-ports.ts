import { hasSetpriv, setpriv, type LowPortRight } from '../../core/system/low-ports.ts';
import type { Command } from './data-limit.ts';

/** The right to have ports below 1024, as `setpriv` calls it. */
const name = 'net_bind_service';

/** Whom a runner is to become: the first group is that of the user itself. */
export interface OtherUser {
  readonly uid: number;
  readonly groups: readonly number[];
}

/**
 * A command that runs `command` with the right to have ports below 1024, where the gateway has it and the plugin takes connections, and without it
 * otherwise. `becomes` is true when the process is `user` from its beginning, so that it has not to become that user itself.
 */
export function withLowPorts(
  command: Command,
  {
    listens,
    user,
    right,
  }: { readonly listens: boolean; readonly user?: OtherUser | undefined; readonly right: LowPortRight },
): { readonly command: Command; readonly becomes: boolean } {
  const plain = { command, becomes: false };
  if (!hasSetpriv()) return plain;
  if (user === undefined) {
    if (!right.isInherited) return plain;
    const rights = listens ? `-all,+${name}` : '-all';
    return { command: [setpriv, '--ambient-caps', rights, '--', ...command], becomes: false };
  }
  if (!listens || !right.isHeld) return plain;
  const { uid, groups } = user;
  const identity = ['--reuid', String(uid), '--regid', String(groups[0]), '--groups', groups.join(',')];
  const rights = ['--inh-caps', `+${name}`, '--ambient-caps', `+${name}`];
  return { command: [setpriv, ...identity, ...rights, '--', ...command], becomes: true };
}
