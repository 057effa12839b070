import { createHash } from 'node:crypto';
import type { AlarmEvent } from '@tagway/sdk';
import type { UAObject } from 'node-opcua-address-space';

type AlarmState = AlarmEvent['to'];

/** An alarm as clients see it: the latest of what has happened to it, and what is known of the state beneath one that hides it. */
export interface Condition {
  readonly driver: string;
  readonly group: string;
  readonly tag: string;
  readonly node: UAObject;
  /** Of its tag. */
  readonly source: UAObject['nodeId'];
  readonly event: AlarmEvent;
  /** The state A to F as it was last seen. */
  readonly beneath: AlarmState;
  /** Sequence of the transition with which the occurrence began, as far as it is known. */
  readonly first: number;
  /** The alarm is gone with its tag, or its group is not served any more. */
  readonly isGone: boolean;
}

/** What of a condition an event makes. */
export type Happened = Pick<Condition, 'event' | 'beneath' | 'first' | 'isGone'>;

const hidden: ReadonlySet<AlarmState> = new Set<AlarmState>(['shelved', 'suppressed', 'out of service']);
const active: ReadonlySet<AlarmState> = new Set<AlarmState>([
  'unacknowledged',
  'acknowledged',
  'latched',
  'latched acknowledged',
]);
const acknowledged: ReadonlySet<AlarmState> = new Set<AlarmState>([
  'normal',
  'acknowledged',
  'latched acknowledged',
]);
const latched: ReadonlySet<AlarmState> = new Set<AlarmState>(['latched', 'latched acknowledged']);

export const isActive = ({ beneath }: Condition): boolean => active.has(beneath);
export const isAcknowledged = ({ beneath }: Condition): boolean => acknowledged.has(beneath);
export const isLatched = ({ beneath }: Condition): boolean => latched.has(beneath);
export const isHidden = ({ event }: Condition): boolean => hidden.has(event.to);
export const isRetained = ({ event, isGone }: Condition): boolean => !isGone && event.to !== 'normal';

/** What a condition is after an event, which is later than what is known of it. */
export function after(event: AlarmEvent, before?: Happened): Happened {
  const { from, to, sequence } = event;
  const beneathBefore = hidden.has(from) ? (before?.beneath ?? 'normal') : from;
  return {
    event,
    beneath: hidden.has(to) ? beneathBefore : to,
    first: before === undefined || begins(from, to) ? sequence : before.first,
    isGone: false,
  };
}

/** Whether clients have to look anew: another occurrence, or one that was hidden. */
function begins(from: AlarmState, to: AlarmState): boolean {
  if (hidden.has(from)) return to === 'unacknowledged' || to === 'returned' || to === 'latched';
  return (
    (from === 'normal' || from === 'returned' || from === 'latched acknowledged') &&
    (to === 'unacknowledged' || to === 'acknowledged')
  );
}

/** Bytes of an id that stand for the condition, before the number of its transition. */
const nameLength = 10;
const idLength = nameLength + 7;

/** The id of the latest event of a condition, the same at every run and at both gateways of a pair. */
export function eventIdOf(condition: Condition): Buffer {
  const id = Buffer.alloc(idLength);
  nameOf(condition).copy(id);
  id.writeUIntBE(condition.event.sequence, nameLength, 6);
  id[idLength - 1] = condition.isGone ? 1 : 0;
  return id;
}

/** Whether an id is one of an event of the occurrence that the condition is about now. */
export function isEventOf(id: unknown, condition: Condition): boolean {
  if (!Buffer.isBuffer(id) || id.length !== idLength) return false;
  if (!id.subarray(0, nameLength).equals(nameOf(condition))) return false;
  const sequence = id.readUIntBE(nameLength, 6);
  return sequence >= condition.first && sequence <= condition.event.sequence;
}

function nameOf({ driver, group, tag }: Condition): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([driver, group, tag]))
    .digest()
    .subarray(0, nameLength);
}
