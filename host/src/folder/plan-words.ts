import type { PlanConfigReply } from '@tagway/schemas';

type Difference = PlanConfigReply['differences'][number];
type Counts = Pick<PlanConfigReply, 'nodes' | 'groups' | 'tags' | 'subscriptions' | 'templates'>;

/** Differences that are said one by one. */
const mostLines = 200;

const kinds = ['nodes', 'groups', 'tags', 'subscriptions', 'templates'] as const;

/** A sentence for each difference. */
export function differenceLines({
  differences,
  ...counts
}: Counts & Pick<PlanConfigReply, 'differences'>): string[] {
  const all = changesIn(counts);
  const lines = differences.slice(0, mostLines).map(lineOf);
  return all > lines.length ? [...lines, `… and ${all - lines.length} more.`] : lines;
}

/** How many things would be added, changed and removed. */
export function changesIn(counts: Counts): number {
  return kinds.reduce((sum, kind) => sum + counts[kind].add + counts[kind].update + counts[kind].remove, 0);
}

/** How much would change, by kind. */
export function sumOf(counts: Counts): string {
  const parts = kinds.flatMap((kind) => {
    const { add, update, remove } = counts[kind];
    const own = [
      ...(add > 0 ? [`${add} new`] : []),
      ...(update > 0 ? [`${update} changed`] : []),
      ...(remove > 0 ? [`${remove} removed`] : []),
    ];
    return own.length > 0 ? [`${kind}: ${own.join(', ')}`] : [];
  });
  return parts.join('; ');
}

function lineOf({ kind, change, path, fields = [] }: Difference): string {
  const what = nameOf(kind, path);
  if (change === 'add') return `${what} is new.`;
  if (change === 'remove') return `${what} goes.`;
  const settings = fields.filter((field) => field.startsWith('params.')).map((field) => field.slice(7));
  const others = fields.filter((field) => !field.startsWith('params.'));
  const parts = [
    ...(settings.length > 0
      ? [`${kind === 'nodes' ? 'settings' : 'parameters'} ${settings.join(', ')}`]
      : []),
    ...(others.length > 0 ? [others.join(', ')] : []),
  ];
  return `${what} changes: ${parts.join('; ')}.${endOf(kind, fields)}`;
}

function endOf(kind: Difference['kind'], fields: readonly string[]): string {
  if (kind !== 'nodes') return '';
  if (fields.includes('plugin')) return ' It is made anew.';
  return fields.some((field) => field.startsWith('params.')) ? ' It starts anew, if it runs.' : '';
}

function nameOf(kind: Difference['kind'], [first = '', second = '', third = '']: readonly string[]): string {
  if (kind === 'nodes') return `The node "${first}"`;
  if (kind === 'templates') return `The template "${first}"`;
  if (kind === 'groups') return `The group "${second}" of "${first}"`;
  if (kind === 'tags') return `The tag "${third}" of the group "${second}" of "${first}"`;
  return `The subscription of "${first}" to the group "${third}" of "${second}"`;
}
