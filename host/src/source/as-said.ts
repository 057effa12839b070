import { type ConfigBody, RunningState, type TagInput } from '@tagway/schemas';
import { isWritable } from './as-operated.ts';

/** What a gateway is, with what operators decide as the files of its source say: whether a node is stopped, and the values of static tags. */
export function asSaid(present: ConfigBody, said: ConfigBody): ConfigBody {
  const nodes = new Map(said.nodes.map((node) => [node.name, node]));
  const keyOf = ({ driver, group }: ConfigBody['tags'][number]): string => JSON.stringify([driver, group]);
  const groups = new Map(
    said.tags.map((one) => [keyOf(one), new Map(one.tags.map((tag) => [tag.name, tag]))]),
  );
  return {
    ...present,
    nodes: present.nodes.map((node) => {
      const of = nodes.get(node.name);
      return of === undefined ? node : { ...node, running: of.running ?? RunningState.RUNNING };
    }),
    tags: present.tags.map((one) => {
      const tags = groups.get(keyOf(one));
      if (tags === undefined || !one.tags.some(isWritable)) return one;
      return { ...one, tags: one.tags.map((tag) => withValueOf(tag, tags.get(tag.name))) };
    }),
  };
}

function withValueOf(tag: TagInput, said: TagInput | undefined): TagInput {
  return !isWritable(tag) || said?.value === undefined || said.type !== tag.type
    ? tag
    : { ...tag, value: said.value };
}
