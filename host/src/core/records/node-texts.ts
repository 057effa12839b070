import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { StoredTransition } from '@tagway/sdk/internal';
import type { AlarmRecord } from '../alarms/alarm-records.ts';
import { recordingOf } from '../alarms/recording.ts';
import type { Node } from '../model.ts';
import { keys } from './records.ts';
import type { State } from './state.ts';

/** What a node may store: bytes of UTF-8 of a key, of a text, of one call, and of everything together. */
const most = { key: 255, text: 65_536, call: 1_048_576, node: 8_388_608 } as const;

/** Texts that a node keeps by key. */
export type Texts = readonly (readonly [key: string, text: string | null])[];

/**
 * Stores texts of a node, deletes those that are null, and records transitions of its alarms, in one step; returns what was recorded. Rejects with PARAM_INVALID, NODE_NOT_FOUND, or with what the store
 * refuses the records with; everything is as it was then.
 */
export function storeTexts(
  state: State,
  node: Node,
  entries: Texts,
  transitions: readonly StoredTransition[] = [],
): Promise<readonly AlarmRecord[]> {
  return state.changeValues(async () => {
    if (!state.has(node))
      throw new Fault(ErrorCode.NODE_NOT_FOUND, `The node "${node.name}" was deleted meanwhile.`);
    const given = new Map(entries.map(([key, text]) => [key.toWellFormed(), text?.toWellFormed() ?? null]));
    const bytes = checkedBytes(node, given);
    const set = Array.from(given).filter((entry): entry is [string, string] => entry[1] !== null);
    const deleted = Array.from(given.keys()).filter((key) => given.get(key) === null);
    const recording = transitions.length > 0 ? recordingOf(node, transitions, Date.now()) : undefined;
    await state.commit({
      set: [
        ...set.map(([key, text]) => [keys.text(node.id, key), text] as const),
        ...(recording?.changes.set ?? []),
      ],
      delete: [...deleted.map((key) => keys.text(node.id, key)), ...(recording?.changes.delete ?? [])],
    });
    recording?.apply();
    node.texts ??= { bytes: 0, byKey: new Map() };
    for (const [key, text] of set) node.texts.byKey.set(key, text);
    for (const key of deleted) node.texts.byKey.delete(key);
    node.texts.bytes = bytes;
    return recording?.records ?? [];
  }, true);
}

/** Takes a stored text; returns what is wrong with the record. The text is deleted with its node. */
export function takeText(
  nodes: ReadonlyMap<number, Node>,
  record: string,
  text: unknown,
): string | undefined {
  const found = textOf(nodes, record);
  if (found === undefined) return 'its node is gone';
  if (typeof text !== 'string') return 'it is not a text';
  const { node, key } = found;
  node.texts ??= { bytes: 0, byKey: new Map() };
  node.texts.bytes += bytesOf(key, text) - bytesOf(key, node.texts.byKey.get(key));
  node.texts.byKey.set(key, text);
  return undefined;
}

/** A stored text is deleted. */
export function dropText(nodes: ReadonlyMap<number, Node>, record: string): void {
  const found = textOf(nodes, record);
  const texts = found?.node.texts;
  if (found === undefined || texts === undefined) return;
  texts.bytes -= bytesOf(found.key, texts.byKey.get(found.key));
  texts.byKey.delete(found.key);
}

/** The node and the key of a record. */
function textOf(
  nodes: ReadonlyMap<number, Node>,
  record: string,
): { readonly node: Node; readonly key: string } | undefined {
  const [, id, name = ''] = record.split('/');
  const node = nodes.get(Number(id));
  return node && { node, key: decodeURIComponent(name.slice(1)) };
}

/** The bytes of everything once these are stored. Throws PARAM_INVALID when that is too much. */
function checkedBytes(node: Node, given: ReadonlyMap<string, string | null>): number {
  const refused = (what: string): Fault =>
    new Fault(ErrorCode.PARAM_INVALID, `The node "${node.name}" cannot store ${what}.`);
  let bytes = node.texts?.bytes ?? 0;
  let call = 0;
  for (const [key, text] of given) {
    const length = Buffer.byteLength(key);
    if (length === 0 || length > most.key)
      throw refused(`a text under a key of ${length} bytes of UTF-8: a key has 1 to ${most.key}`);
    if (text !== null && Buffer.byteLength(text) > most.text)
      throw refused(`a text of more than ${most.text} bytes of UTF-8 under the key "${key}"`);
    call += bytesOf(key, text ?? undefined);
    bytes += bytesOf(key, text ?? undefined) - bytesOf(key, node.texts?.byKey.get(key));
  }
  if (call > most.call) throw refused(`more than ${most.call} bytes of UTF-8 in one call`);
  if (bytes > most.node) throw refused(`more than ${most.node} bytes of UTF-8`);
  return bytes;
}

function bytesOf(key: string, text: string | undefined): number {
  return text === undefined ? 0 : Buffer.byteLength(key) + Buffer.byteLength(text);
}
