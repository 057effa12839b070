import { type ServerWords, tlsProblem } from '@tagway/store';
import { failureOf } from '@tagway/sdk/link';

const words: ServerWords = {
  server: 'server',
  place: '"host"',
  plain: 'set "ssl" to false, or "port" to one with TLS',
};

/** An error as `pg` gives it: one of the server has a severity and an SQLSTATE in `code`, one of the socket what Node gives. */
export interface DatabaseError extends Error {
  readonly code?: string;
  readonly severity?: string;
  readonly detail?: string;
  readonly constraint?: string;
}

/** What to do, by SQLSTATE. */
const advice: ReadonlyMap<string, string> = new Map([
  ['28P01', 'Check the settings "user" and "password".'],
  ['28000', 'Check the settings "user" and "ssl", and the file pg_hba.conf of the server.'],
  ['3D000', 'Check the setting "database".'],
  ['3F000', 'Check the setting "schema", or create the schema.'],
  ['42501', 'Give the user of the setting "user" the right, or name another user.'],
  ['42P01', 'Create the table, or set "create_tables" to true.'],
  ['25006', 'The server takes no changes: it is a standby, or read-only. Name the primary in "host".'],
  ['53100', 'The disk of the server is full. Free some of it.'],
  ['53300', 'The server has no connection left. Raise its max_connections, or end others.'],
  ['57014', 'The statement took longer than the setting "timeout".'],
  ['57P01', 'The server is shutting down.'],
  ['57P03', 'The server is starting or stopping.'],
]);

/** A sentence for an error of the server or of the way to it. `target` names the server, such as `db:5432`. */
export function describe(error: DatabaseError, target: string): string {
  if (error.severity !== undefined) {
    const { code = '', message, detail } = error;
    const hint = advice.get(code);
    const further = detail === undefined ? '' : ` ${detail}`;
    return `${sentence(`The server says: ${message}`)}${further} (${code})${hint === undefined ? '' : ` ${hint}`}`;
  }
  const ofTls = tlsProblem(error, words);
  if (ofTls !== undefined) return ofTls;
  if (/does not support SSL/.test(error.message))
    return 'The server does not speak TLS. Set "ssl" to false, or turn TLS on at the server.';
  if (/SASL|password must be a string/.test(error.message))
    return `The login failed: ${sentence(error.message)} Check the settings "user" and "password".`;
  return sentence(failureOf(target, error).reason);
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?)]$/.test(capital) ? capital : `${capital}.`;
}

/**
 * Whether the server refuses the rows, and not the statement: data that do not fit, a constraint, a trigger that raises an error, a limit.
 * Where no partition takes a row, a later one may, so that this is not one of them.
 */
export function isOfRows({ severity, code = '', constraint, message }: DatabaseError): boolean {
  if (severity === undefined) return false;
  if (code === '23514' && constraint === undefined && message.includes('partition')) return false;
  return ['22', '23', '44', '54', 'P0'].includes(code.slice(0, 2));
}
