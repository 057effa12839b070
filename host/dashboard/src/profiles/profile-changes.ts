import type { ProfileDecision, ProfilePlanReply } from '@tagway/schemas';
import { dataTypeName } from '@tagway/schemas';

export type Change = ProfilePlanReply['changes'][number];
export type Side = ProfileDecision['take'];

/** What a difference is about, as a key. */
export const keyOf = ({ group, tag, setting, kind }: Change): string =>
  JSON.stringify([group, tag, setting, kind]);

/** Somebody has to say which side counts. */
export const isAsked = ({ kind }: Pick<Change, 'kind'>): boolean => kind === 'remove' || kind === 'conflict';

/** How many differences there are of each sort. */
export function countsOf(changes: readonly Change[]): Record<'add' | 'change' | 'kept' | 'ask', number> {
  const counts = { add: 0, change: 0, kept: 0, ask: 0 };
  for (const { kind } of changes) counts[kind === 'remove' || kind === 'conflict' ? 'ask' : kind] += 1;
  return counts;
}

/** The decisions as the gateway takes them. */
export function decisionsOf(changes: readonly Change[], sides: ReadonlyMap<string, Side>): ProfileDecision[] {
  return changes.flatMap((change) => {
    const take = sides.get(keyOf(change));
    if (take === undefined) return [];
    const { group, tag, setting } = change;
    return [
      {
        take,
        ...(group !== undefined && { group }),
        ...(tag !== undefined && { tag }),
        ...(setting !== undefined && { setting }),
      },
    ];
  });
}

/** A member of one side as text; nothing is a dash. */
export function memberText(field: string, value: unknown): string {
  if (value === undefined || value === null || value === '') return '–';
  if (field === 'type' && typeof value === 'number') return dataTypeName(value);
  return typeof value === 'object' ? JSON.stringify(value) : `${value as string | number | boolean}`;
}
