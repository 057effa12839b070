import type { LinkStep } from '../context.ts';

/**
 * Why a connection or an attempt to connect ended. `waiting`: no device has connected yet; `malformed`: the received bytes are not of the
 * protocol; `given up`: the driver has ended it.
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

/** The meaning of a socket's error for operators. `target` names the other side, such as `plc:102`. */
export function failureOf(target: string, error: Error, step: LinkStep = 'connect'): Failure {
  const { code, syscall, message } = firstOf(error);
  if (syscall === 'getaddrinfo' || syscall === 'queryA' || syscall === 'queryAaaa')
    return {
      kind: 'unknown host',
      step: 'resolve',
      reason: `the name of ${target} cannot be resolved (${code})`,
    };
  const meaning = meanings.get(code);
  if (meaning === undefined)
    return { kind: 'error', step, reason: `${target}: ${message || (code ?? 'unknown error')}` };
  return { kind: meaning.kind, step, reason: `${meaning.reason.replace('TARGET', () => target)} (${code})` };
}

const unreachable = { kind: 'unreachable', reason: 'no way leads to TARGET' } as const;
const closed = { kind: 'closed', reason: 'TARGET closed the connection' } as const;

/** By the code of an error of a socket. */
const meanings = new Map<string | undefined, Pick<Failure, 'kind' | 'reason'>>([
  ['ECONNREFUSED', { kind: 'refused', reason: 'TARGET refuses connections: nothing listens on that port' }],
  ['EHOSTUNREACH', unreachable],
  ['ENETUNREACH', unreachable],
  ['EHOSTDOWN', unreachable],
  ['ETIMEDOUT', { kind: 'timeout', reason: 'TARGET does not answer any more' }],
  ['ECONNRESET', closed],
  ['EPIPE', closed],
]);

/** Why a port of this machine cannot be used and what to do, a clause; `setting` holds the port. */
export function bindProblem({ code, message }: SystemError, setting: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `another program or node has it; choose a free one in the setting ${setting} (${code})`;
    case 'EACCES':
      return `this user may not have ports below 1024, and the service of "tagway service install" may; without it choose a higher one in the setting ${setting} (${code})`;
    case 'EADDRNOTAVAIL':
      return `this machine has no such address (${code})`;
    default:
      return message;
  }
}

/** For a name with several addresses Node throws an AggregateError without a text, with one error for each address. */
function firstOf(error: Error): SystemError {
  if (!(error instanceof AggregateError)) return error;
  const [first] = error.errors as SystemError[];
  return first ?? error;
}
