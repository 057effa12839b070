import { NodeType } from '@tagway/schemas';
import { useQuery } from '@tanstack/react-query';
import { useNodes } from '../api/queries.ts';
import { tagsOf, useAllGroups } from '../api/tag-queries.ts';
import { functionCompletions, nameCompletions, type Completion, type Unfinished } from './completion.ts';

/** The ways to go on with what was begun: names of nodes, groups and tags, or functions. */
export function useCompletions(unfinished: Unfinished | undefined, own: string): readonly Completion[] {
  const nodes = useNodes(NodeType.DRIVER);
  const groups = useAllGroups();
  const [node = '', group = ''] = unfinished?.kind === 'reference' ? unfinished.names : [];
  const tags = useQuery({ ...tagsOf(node, group), enabled: group !== '' });
  if (unfinished === undefined) return [];
  const { begun } = unfinished;
  if (unfinished.kind === 'word') return functionCompletions(begun);
  if (group !== '') return nameCompletions(tags.data?.map(({ name }) => name) ?? [], begun, true);
  if (node !== '') {
    const ofNode = groups.data?.filter(({ driver }) => driver === node) ?? [];
    return nameCompletions(
      ofNode.map((one) => one.group),
      begun,
      false,
    );
  }
  // A node cannot read itself.
  const others = nodes.data?.filter(({ name }) => name !== own) ?? [];
  return nameCompletions(
    others.map(({ name }) => name),
    begun,
    false,
  );
}
