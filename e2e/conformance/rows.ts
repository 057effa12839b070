import { Attribute, ErrorCode, type ErrorName } from '@tagway/schemas';
import type { Data } from '../client.ts';

/**
 * One reply of the API: what is asked, of the gateway that test/conformance.test.ts sets up, and what is answered. The
 * gateway has the drivers `plant` (connected), `dark` (its device is not there), `idle` (never set up) and `single`
 * (running, cannot write several tags), the apps `north` (subscribed to plant/line and plant/watched) and `bare` (never set
 * up). The group `line` of `plant` has one tag of each kind that the rows name. Rows run in the order in which they stand.
 */
export type ConformanceRow = readonly [
  when: string,
  send: Data,
  status: number,
  error: Refusal,
  more?: number | RowDetails,
];

/** The name of a code, or 0 for success. */
export type Refusal = ErrorName | 0;

export function codeOf(error: Refusal): number {
  return error === 0 ? 0 : ErrorCode[error];
}

export interface RowDetails {
  /** Of a batch, how many tags were applied; a number in the place of the details is this. */
  readonly index?: number;
  /** Status and code under `--compat family`, where they differ. */
  readonly family?: readonly [status: number, error: Refusal];
  /** The token that the request carries; left out, a good one. */
  readonly token?: TokenKind;
}

/**
 * Tokens beside the good one: none, no token at all, past its end, before its beginning, without an end; and good ones of another
 * user, and of one who does not exist.
 */
export type TokenKind = 'missing' | 'undecodable' | 'expired' | 'early' | 'endless' | 'operator' | 'stranger';

/** Rows by endpoint. */
export type ConformanceTable = Readonly<Record<string, readonly ConformanceRow[]>>;

export const n127 = 'n'.repeat(127);
export const n128 = 'n'.repeat(128);
export const tag = (members: object = {}): object => ({
  name: 'fresh',
  address: '1!400001',
  attribute: Attribute.READ,
  type: 3,
  ...members,
});
export const line = { node: 'plant', group: 'line' };
export const many = (...tags: object[]): Data => ({ node: 'idle', group: 'line', tags });
export const write = (name: string, value: unknown): Data => ({ ...line, tag: name, value });
export const writes = (...tags: [name: string, value: unknown][]): Data => ({
  ...line,
  tags: tags.map(([name, value]) => ({ tag: name, value })),
});
