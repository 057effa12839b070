import type { StoredTransition } from '@tagway/sdk/internal';
import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { Node } from '../model.ts';
import type { StoreChanges } from '../ports/ports.ts';
import { keys } from '../records/records.ts';
import { recordsOf, textOf, type AlarmRecord } from './alarm-records.ts';
import { NodeAlarms } from './node-alarms.ts';

/** Characters of one stored transition, and of all in one call. */
const most = { one: 4096, call: 1_048_576 } as const;

/** Transitions that are to be stored, and what is to be done once they are. */
export interface Recording {
  readonly records: readonly AlarmRecord[];
  readonly changes: StoreChanges;
  apply(): void;
}

/** What it takes to record transitions of a node's alarms at a time. Throws PARAM_INVALID when they are too long. */
export function recordingOf(node: Node, transitions: readonly StoredTransition[], now: number): Recording {
  const alarms = node.alarms ?? new NodeAlarms();
  const groups = [...node.groups.values()];
  const records = transitions.map(({ tag, ...transition }, index): AlarmRecord => {
    const group = groups.find(({ tags }) => tags.get(tag.name)?.id === tag.id);
    return {
      ...transition,
      sequence: alarms.journal.last + 1 + index,
      recorded: now,
      id: tag.id,
      group: group?.name ?? '',
      tag: tag.name,
    };
  });
  checkLength(node, records);
  const change = alarms.journal.changeOf(records);
  const latest = new Map(records.map((record) => [record.id, record]));
  const ended = [...latest.values()].filter(({ to }) => to === 'normal').map(({ id }) => id);
  const deleted = [...ended, ...goneTags(node, alarms, latest)].filter((id) => alarms.active.has(id));
  for (const id of ended) latest.delete(id);
  return {
    records,
    changes: {
      set: [
        [keys.journal(node.id, change.put.first), change.put.text],
        ...Array.from(latest.values(), (record): [string, object] => [
          keys.alarm(node.id, record.id),
          { sequence: record.sequence, text: textOf([record]) },
        ]),
      ],
      delete: [
        ...change.dropped.map((first) => keys.journal(node.id, first)),
        ...deleted.map((id) => keys.alarm(node.id, id)),
      ],
    },
    apply() {
      node.alarms = alarms;
      alarms.journal.apply(change);
      for (const id of deleted) alarms.active.delete(id);
      for (const [id, record] of latest) alarms.active.set(id, record);
    },
  };
}

/** Tags that were deleted with an alarm that was not normal. They are looked for only when there are more alarms than tags. */
function goneTags(node: Node, { active }: NodeAlarms, latest: ReadonlyMap<number, AlarmRecord>): number[] {
  let count = 0;
  for (const { tags } of node.groups.values()) count += tags.size;
  if (active.size <= count) return [];
  const ids = tagIdsOf(node);
  return [...active.keys()].filter((id) => !ids.has(id) && !latest.has(id));
}

/** The numbers of all tags of a node. */
export function tagIdsOf(node: Node): ReadonlySet<number> {
  const ids = new Set<number>();
  for (const { tags } of node.groups.values()) for (const { id } of tags.values()) ids.add(id);
  return ids;
}

function checkLength(node: Node, records: readonly AlarmRecord[]): void {
  let all = 0;
  for (const { text, comment = '', value, tag } of records) {
    const length = text.length + comment.length + (typeof value === 'string' ? value.length : 0);
    if (length > most.one)
      throw new Fault(
        ErrorCode.PARAM_INVALID,
        `The node "${node.name}" cannot record a transition of the alarm "${tag}" with more than ${most.one} characters of texts.`,
      );
    all += length;
  }
  if (all > most.call)
    throw new Fault(
      ErrorCode.PARAM_INVALID,
      `The node "${node.name}" cannot record transitions with more than ${most.call} characters of texts in one call.`,
    );
}

/** Takes a stored piece of a journal; returns what is wrong with the record. */
export function takePiece(
  nodes: ReadonlyMap<number, Node>,
  key: string,
  record: unknown,
): string | undefined {
  const found = partOf(nodes, key);
  if (found === undefined) return 'its node is gone';
  const { id: first, node } = found;
  const isTaken =
    typeof record === 'string' && (node.alarms ??= new NodeAlarms()).journal.take(first, record);
  return isTaken ? undefined : 'it is no piece of a journal';
}

/** A stored piece of a journal is deleted. */
export function dropPiece(nodes: ReadonlyMap<number, Node>, key: string): void {
  const found = partOf(nodes, key);
  found?.node.alarms?.journal.drop(found.id);
}

/** Takes the stored latest transition of an alarm; returns what is wrong with the record. */
export function takeAlarm(
  nodes: ReadonlyMap<number, Node>,
  key: string,
  record: unknown,
): string | undefined {
  const found = partOf(nodes, key);
  if (found === undefined) return 'its node is gone';
  const { sequence, text } = (record ?? {}) as { readonly sequence?: unknown; readonly text?: unknown };
  const [latest] = typeof text === 'string' ? (recordsOf(Number(sequence), text) ?? []) : [];
  if (latest === undefined || !Number.isSafeInteger(sequence)) return 'it is no transition of an alarm';
  (found.node.alarms ??= new NodeAlarms()).active.set(found.id, latest);
  return undefined;
}

/** An alarm is normal again. */
export function dropAlarm(nodes: ReadonlyMap<number, Node>, key: string): void {
  const found = partOf(nodes, key);
  found?.node.alarms?.active.delete(found.id);
}

/** The node of a record, and the number at the end of its key. */
function partOf(
  nodes: ReadonlyMap<number, Node>,
  key: string,
): { readonly node: Node; readonly id: number } | undefined {
  const [, nodeId, name = ''] = key.split('/');
  const node = nodes.get(Number(nodeId));
  const id = Number(name.slice(1));
  return node !== undefined && Number.isSafeInteger(id) ? { node, id } : undefined;
}

/** Keys of what is stored of the alarms of a node. */
export function* alarmKeys({ id, alarms }: Node): Generator<string> {
  if (alarms === undefined) return;
  for (const first of alarms.journal.firsts()) yield keys.journal(id, first);
  for (const tag of alarms.active.keys()) yield keys.alarm(id, tag);
}
