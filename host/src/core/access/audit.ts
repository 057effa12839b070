import { stringifyJson } from '@tagway/sdk/json';
import type { PageQuery } from '../ports/machine.ts';

/** One change, or an attempt at one, as `GET /api/v2/audit` shows it. */
export interface AuditEntry {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Who; empty when it is not known, as for a login that failed. */
  readonly user: string;
  /** A user, a machine's token, an issuer whose token names no user, an app that passed a write on, somebody with the data folder. */
  readonly kind: 'user' | 'token' | 'issuer' | 'app' | 'folder' | 'nobody';
  /** Who authenticated the user, where that was not the gateway. */
  readonly issuer?: string | undefined;
  /** The address that the request came from. */
  readonly from?: string | undefined;
  /** Such as `POST /api/v2/node/setting`. */
  readonly endpoint?: string | undefined;
  readonly node?: string | undefined;
  /** What was done or tried, in the past tense. */
  readonly text: string;
  /** The settings that changed, without secrets. */
  readonly before?: object | undefined;
  readonly after?: object | undefined;
  /** The code that was answered. */
  readonly error: number;
  /** Of the reply. */
  readonly status?: number | undefined;
}

export interface AuditQuery extends PageQuery {
  /** Exact names; empty: all. */
  readonly user: string;
  readonly node: string;
  /** A part of the entry; empty: all. */
  readonly text: string;
}

export interface AuditPage {
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  readonly pageCount: number;
}

/** The audit log: who changed what. */
export interface Audit {
  /** Once this returns, an end of the process does not lose the entry. Never throws: a full disk does not stop the gateway. */
  add(entry: AuditEntry): void;
  /** Rejects with BUSY when very many ask at once. */
  query(query: AuditQuery): Promise<AuditPage>;
}

export const noAudit: Audit = {
  add: () => undefined,
  query: async () => ({ entries: [], pageCount: 0 }),
};

/** Writes of one call that an entry lists; the others are counted. */
const mostNamed = 5;
/** Characters of a value that an entry shows. */
const longestValue = 60;

/** `"t" = 5, "u" = true and 3 more`, of what is written to tags. */
export function describeWrites(writes: readonly { readonly tag: string; readonly value: unknown }[]): string {
  const described = writes.slice(0, mostNamed).map(({ tag, value }) => `"${tag}" = ${describeValue(value)}`);
  const rest = writes.length - described.length;
  return `${described.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function describeValue(value: unknown): string {
  const text = isPlain(value) ? stringifyJson(value) : 'what is no value';
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}…`;
}

/** Whether a value is one that a tag can have. Other values may nest so deeply that writing them as text overflows the stack. */
function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'number');
  return value !== undefined && (typeof value !== 'object' || value === null);
}
