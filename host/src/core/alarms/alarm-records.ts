import { alarmCauses, alarmPriorities, alarmStates } from '@tagway/schemas';
import type { Transition } from '@tagway/sdk';
import { parseJson, stringifyJson } from '@tagway/sdk/json';

/** A transition as the gateway keeps it. */
export interface AlarmRecord extends Transition {
  /** Counts the transitions of the node. */
  readonly sequence: number;
  /** When it was recorded by the clock of the gateway, in milliseconds since the epoch. */
  readonly recorded: number;
  /** Number of the tag that the alarm belongs to, and its names at that time. */
  readonly id: number;
  readonly group: string;
  readonly tag: string;
}

/** The text that is stored for transitions, the first of which has this number; they follow each other without a gap. */
export function textOf(records: readonly AlarmRecord[]): string {
  return stringifyJson(records.map(rowOf));
}

/** The transitions that a stored text has; undefined when it has none. */
export function recordsOf(first: number, text: string): AlarmRecord[] | undefined {
  try {
    const rows: unknown = parseJson(text);
    if (!Array.isArray(rows)) return undefined;
    const records = (rows as readonly unknown[]).map((row, index) => recordOf(first + index, row));
    return records.every((record) => record !== undefined) ? records : undefined;
  } catch {
    return undefined;
  }
}

/** Short, because there are many: what is mostly not there comes last, and is left out at the end. */
function rowOf({
  recorded,
  time,
  id,
  group,
  tag,
  from,
  to,
  cause,
  priority,
  text,
  ...rest
}: AlarmRecord): unknown[] {
  const { limit, value, by, comment, shelf } = rest;
  const codes = [alarmStates.indexOf(from), alarmStates.indexOf(to), alarmCauses.indexOf(cause)];
  const row: unknown[] = [recorded, time, id, group, tag, ...codes, alarmPriorities.indexOf(priority), text];
  row.push(value ?? null, limit ?? null, by?.name ?? null, by?.kind ?? null, comment ?? null);
  row.push(shelf?.until ?? null, shelf?.once === true ? 1 : null);
  while (row.at(-1) === null) row.pop();
  return row;
}

function recordOf(sequence: number, row: unknown): AlarmRecord | undefined {
  if (!Array.isArray(row)) return undefined;
  const [recorded, time, id, group, tag, fromCode, toCode, causeCode, priorityCode, text, ...rest] =
    row as readonly unknown[];
  const [value, limit, name, kind, comment, until, once] = rest;
  const from = alarmStates[Number(fromCode)];
  const to = alarmStates[Number(toCode)];
  const cause = alarmCauses[Number(causeCode)];
  const priority = alarmPriorities[Number(priorityCode)];
  if (from === undefined || to === undefined || cause === undefined || priority === undefined)
    return undefined;
  if (typeof recorded !== 'number' || typeof time !== 'number' || typeof id !== 'number') return undefined;
  if (typeof group !== 'string' || typeof tag !== 'string' || typeof text !== 'string') return undefined;
  return {
    sequence,
    recorded,
    time,
    id,
    group,
    tag,
    from,
    to,
    cause,
    priority,
    text,
    ...(isValue(value) && { value }),
    ...(typeof limit === 'number' && { limit }),
    ...(typeof name === 'string' && (kind === 'user' || kind === 'app') && { by: { kind, name } }),
    ...(typeof comment === 'string' && { comment }),
    ...(typeof until === 'number' && { shelf: { until, once: once === 1 } }),
  };
}

function isValue(thing: unknown): thing is NonNullable<Transition['value']> {
  return ['number', 'bigint', 'string', 'boolean'].includes(typeof thing);
}
