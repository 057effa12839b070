import { type Fault, isFault, type Value } from '@tagway/sdk';
import { isNumeric } from '@tagway/sdk/internal';
import type { TagBody } from '../model.ts';
import type { TrialRead } from '../ports/ports.ts';
import type { GroupDraft } from '../transfer/drafts.ts';
import { silences } from './registers.ts';

/** Tags that are read before a node is made, and the milliseconds that this may take. */
const most = { tags: 40, time: 15_000, silent: 2 } as const;

/** A tag and what was read of it: a value as the node will show it, or the fault. */
export interface ShownValue {
  readonly group: string;
  readonly tag: TagBody;
  readonly value?: Value;
  readonly fault?: Fault;
}

/** Reads the first tags of groups that no node has yet. A device that falls silent is not asked on. */
export async function readValues(groups: readonly GroupDraft[], read: TrialRead): Promise<ShownValue[]> {
  const until = Date.now() + most.time;
  const shown: ShownValue[] = [];
  let silent = 0;
  for (const { name: group, tags } of groups)
    for (const tag of tags) {
      if (shown.length === most.tags || silent === most.silent || Date.now() > until) return shown;
      const { name, address, type, attribute } = tag;
      try {
        const raw = await read({ name, address, type, attribute });
        shown.push({ group, tag, value: scaled(tag, raw) });
        silent = 0;
      } catch (error) {
        if (!isFault(error)) throw error;
        shown.push({ group, tag, fault: error });
        silent = silences.has(error.code) ? silent + 1 : 0;
      }
    }
  return shown;
}

function scaled({ type, decimal = 0, bias = 0 }: TagBody, raw: Value): Value {
  if (!isNumeric(type) || (decimal === 0 && bias === 0)) return raw;
  const value = Number(raw) * (decimal === 0 ? 1 : decimal) + bias;
  return Number(value.toPrecision(15));
}
