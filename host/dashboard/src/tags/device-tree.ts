import type { ScanReply } from '@tagway/schemas';
import { call } from '../api/call.ts';

/** An entry of what a device has. */
export interface DeviceEntry {
  /** Tells places of the same name apart: the ids on the way to it. */
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly depth: number;
  /** A tag may have this address. */
  readonly isTag: boolean;
  readonly type: number;
}

/** What was loaded of a place: its entries, and how to go on where there are more. */
export interface DevicePlace {
  readonly entries: readonly DeviceEntry[];
  readonly total: number;
  readonly next: { readonly ctx: string; readonly load_index: number } | undefined;
}

/** Asks for the next entries of a place; of the top, when there is none. */
export async function loadPlace(
  node: string,
  parent: DeviceEntry | undefined,
  before: DevicePlace | undefined,
  signal: AbortSignal,
): Promise<DevicePlace> {
  const body = { node, ...(parent !== undefined && { id: parent.id }), ...before?.next };
  const reply = await call<ScanReply>('POST', 'api/v2/scan/tags', { body, signal });
  const start = before?.entries.length ?? 0;
  const entries = reply.tags.map(({ name, id, tag, type }, index) => ({
    key: `${parent?.key ?? ''}/${start + index}:${id}`,
    ...{ id, name, type, isTag: tag === 1, depth: (parent?.depth ?? -1) + 1 },
  }));
  return {
    entries: [...(before?.entries ?? []), ...entries],
    total: reply.total,
    next: reply.completed ? undefined : { ctx: reply.ctx, load_index: reply.load_index },
  };
}
