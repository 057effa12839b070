import { Attribute, type ConfigBody, RunningState, type TagInput } from '@tagway/schemas';
import type { Gateway } from '../core/gateway.ts';

/**
 * What a source says, with what operators decide as it is: a node that somebody has stopped or started stays so, unless the files say otherwise
 * than what was applied before, and a static tag that may be written keeps its value. `before`: the nodes that were stopped in what was applied.
 */
export function asOperated(
  body: ConfigBody,
  { nodes }: Pick<Gateway, 'nodes'>,
  before: ReadonlySet<string> | undefined,
): ConfigBody {
  const present = new Map(nodes.all().map((node) => [node.name, node]));
  return {
    ...body,
    nodes: body.nodes.map((node) => {
      const now = present.get(node.name);
      const isStopped = node.running === RunningState.STOPPED;
      const isChanged = before === undefined || before.has(node.name) !== isStopped;
      if (now === undefined || isChanged || (now.running === RunningState.STOPPED) === isStopped) return node;
      return { ...node, running: isStopped ? RunningState.RUNNING : RunningState.STOPPED };
    }),
    tags: body.tags.map((one) => {
      const group = present.get(one.driver ?? '')?.groups.get(one.group ?? '');
      if (group === undefined || !one.tags.some(isWritable)) return one;
      return {
        ...one,
        tags: one.tags.map((tag) => {
          const now = isWritable(tag) ? group.tags.get(tag.name) : undefined;
          return now?.value === undefined || now.type !== tag.type || !isWritable(now)
            ? tag
            : { ...tag, value: now.value as NonNullable<TagInput['value']> };
        }),
      };
    }),
  };
}

const written = Attribute.STATIC | Attribute.WRITE;

/** Whether a tag keeps a value that operators may write. */
export function isWritable({ attribute }: { readonly attribute: number }): boolean {
  return (attribute & written) === written;
}
