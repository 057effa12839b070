import { Attribute, ErrorCode, type ErrorName } from '@tagway/schemas';
import type { Data } from '../kit/client.ts';

/**
 * One reply of the API: what is asked, of the gateway that test/conformance.test.ts sets up, and what is answered. The
 * gateway has the drivers `plant` (connected), `dark` (its device is not there), `idle` (never set up) and `single`
 * (running, cannot write several tags), the apps `north` (subscribed to plant/line and plant/watched) and `bare` (never set
 * up). The group `line` of `plant` has one tag of each kind that the rows name. Rows run in the order in which they stand.
 */
export interface ConformanceRow extends Outcome {
  readonly when: string;
  readonly send: Data;
  /** Of a batch, how many tags were applied. */
  readonly index: number | undefined;
  /** What is answered under `--compat family`, where that differs. */
  readonly family: Outcome | undefined;
  /** The token that the request carries; left out, a good one. */
  readonly token: TokenKind | undefined;
}

export interface Outcome {
  readonly status: number;
  readonly error: Refusal;
}

/** The name of a code, or 0 for success. */
export type Refusal = ErrorName | 0;

export function codeOf(error: Refusal): number {
  return error === 0 ? 0 : ErrorCode[error];
}

/**
 * Tokens beside the good one: none, no token at all, past its end, before its beginning, without an end; and good ones of another
 * user, and of one who does not exist.
 */
const tokens = ['missing', 'undecodable', 'expired', 'early', 'endless', 'operator', 'stranger'] as const;
export type TokenKind = (typeof tokens)[number];

type StatusAndName = `${number} ${ErrorName | 'OK'}`;

/**
 * Status and code, then what else is to be known of the rows: `index 1`, `token expired`, `family 400 BODY_INVALID`, or `family 400` where
 * the family has the same code.
 */
export type Answer = StatusAndName | `${StatusAndName}, ${string}`;

/** Rows by endpoint. */
export type ConformanceTable = Readonly<Record<string, readonly (readonly ConformanceRow[])[]>>;

/** The requests that are answered alike, by the condition that each shows. */
export function answers(answer: Answer, cases: Readonly<Record<string, Data>>): readonly ConformanceRow[] {
  const [outcome = '', ...details] = answer.split(', ');
  const own = outcomeOf(outcome);
  const more = new Map(details.map((detail) => [detail.split(' ', 1)[0], detail.replace(/^\w+ /, '')]));
  const { index, family, token, ...unknown } = Object.fromEntries(more) as Record<string, string | undefined>;
  const kind = tokens.find((one) => one === token);
  if (Object.keys(unknown).length > 0 || kind !== token) throw new Error(`What is meant by "${answer}"?`);
  return Object.entries(cases).map(([when, send]) => ({
    when,
    send,
    ...own,
    index: index === undefined ? undefined : Number(index),
    family: family === undefined ? undefined : outcomeOf(family, own.error),
    token: kind,
  }));
}

function outcomeOf(text: string, same?: Refusal): Outcome {
  const [, status, name] = /^(\d{3})(?: (\w+))?$/.exec(text) ?? [];
  const error = name === undefined ? same : name === 'OK' ? 0 : (name as ErrorName);
  if (error === undefined || (error !== 0 && !(error in ErrorCode)))
    throw new Error(`"${text}" is neither OK nor the name of a code.`);
  return { status: Number(status), error };
}

type Body = Readonly<Record<string, unknown>>;

/** Makes bodies that are this one but for the members that are given. */
export const from =
  (body: object) =>
  (members: object = {}): Body => ({ ...body, ...members });

export const n127 = 'n'.repeat(127);
export const n128 = 'n'.repeat(128);
export const tag = from({ name: 'fresh', address: '1!400001', attribute: Attribute.READ, type: 3 });
export const line = { node: 'plant', group: 'line' };
/** The group `line` of `plant`, or another one. */
export const at = from(line);
