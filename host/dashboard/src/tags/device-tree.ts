import type { ScanReply } from '@tagway/schemas';
import { call } from '../api/call.ts';

/** An entry in the tree of a device. */
export interface DeviceEntry {
  /** The path of ids to the entry, which is unique in the tree. */
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly depth: number;
  /** Whether the id can be the address of a tag. */
  readonly isTag: boolean;
  readonly type: number;
  /** What the device says of it: its description and its unit; empty where it says nothing. */
  readonly note: string;
}

/** The loaded children of an entry, and where to go on when there are more. */
export interface LoadedChildren {
  readonly entries: readonly DeviceEntry[];
  readonly total: number;
  readonly next: { readonly ctx: string; readonly load_index: number } | undefined;
}

/** Loads the next children of an entry; without a parent, of the root. */
export async function loadChildren(
  node: string,
  parent: DeviceEntry | undefined,
  before: LoadedChildren | undefined,
  signal: AbortSignal,
): Promise<LoadedChildren> {
  const body = { node, ...(parent !== undefined && { id: parent.id }), ...before?.next };
  const reply = await call<ScanReply>('POST', 'api/v2/scan/tags', { body, signal });
  const start = before?.entries.length ?? 0;
  const entries = reply.tags.map(({ name, id, tag, type, description, unit }, index) => ({
    key: `${parent?.key ?? ''}/${start + index}:${id}`,
    id,
    name,
    type,
    isTag: tag === 1,
    note: [description, unit].filter(Boolean).join(', '),
    depth: (parent?.depth ?? -1) + 1,
  }));
  return {
    entries: [...(before?.entries ?? []), ...entries],
    total: reply.total,
    next: reply.completed ? undefined : { ctx: reply.ctx, load_index: reply.load_index },
  };
}
