import type { LinkStep } from '../context.ts';

/**
 * What kind of trouble ended a connection or an attempt to make one. `waiting`: nobody has dialled in yet; `malformed`: what came is not
 * of the protocol; `given up`: by our own choice.
 */
export type FailureKind =
  | 'unknown host'
  | 'refused'
  | 'unreachable'
  | 'timeout'
  | 'closed'
  | 'waiting'
  | 'malformed'
  | 'given up'
  | 'error';

/** Why there is no connection. */
export interface Failure {
  readonly kind: FailureKind;
  /** The step that failed; absent for a connection that had served. */
  readonly step?: LinkStep;
  /** A clause that names the address and what happened, without a full stop: `plc:102 refuses connections: …`. */
  readonly reason: string;
}

type SystemError = Pick<NodeJS.ErrnoException, 'code' | 'syscall' | 'message'>;

/** What an error of a socket means to the people who have to find its cause. `target` is what was to be reached, such as `plc:102`. */
export function failureOf(target: string, error: Error, step: LinkStep = 'connect'): Failure {
  const { code, syscall, message } = firstOf(error);
  if (syscall === 'getaddrinfo' || syscall === 'queryA' || syscall === 'queryAaaa')
    return {
      kind: 'unknown host',
      step: 'resolve',
      reason: `the name of ${target} cannot be resolved (${code})`,
    };
  switch (code) {
    case 'ECONNREFUSED':
      return {
        kind: 'refused',
        step,
        reason: `${target} refuses connections: nothing listens on that port (${code})`,
      };
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EHOSTDOWN':
      return { kind: 'unreachable', step, reason: `no way leads to ${target} (${code})` };
    case 'ETIMEDOUT':
      return { kind: 'timeout', step, reason: `${target} does not answer any more (${code})` };
    case 'ECONNRESET':
    case 'EPIPE':
      return { kind: 'closed', step, reason: `${target} closed the connection (${code})` };
    default:
      return { kind: 'error', step, reason: `${target}: ${message || (code ?? 'unknown error')}` };
  }
}

/** A name with several addresses fails with one error for each of them, and no text of its own. */
function firstOf(error: Error): SystemError {
  if (!(error instanceof AggregateError)) return error;
  const [first] = error.errors as SystemError[];
  return first ?? error;
}
