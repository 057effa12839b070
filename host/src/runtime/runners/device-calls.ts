import type { BrowsePage, BrowseRequest, Fault, Sample, TagDraft, Value, Writer } from '@tagway/sdk';
import { dataOf, deadlines, faultFrom, type RunnerTag } from '@tagway/sdk/internal';
import type { Group, Node, Tag } from '../../core/model.ts';
import type { TraceFilter } from '../../core/ports/ports.ts';
import type { Supervisor } from './supervisor.ts';

/** Milliseconds. */
const readDeadline = deadlines.read + deadlines.abort;
const traceDeadline = 5000;
const writeDeadline = deadlines.write + deadlines.abort;

/** Reads a group now. Whatever goes wrong shows in the errors of the group's tags. */
export async function poll(runner: Supervisor, { node, id }: Group): Promise<void> {
  await runner
    .ask<'poll'>({ op: 'poll', node: node.id, group: id }, readDeadline)
    .catch((_shown: unknown) => undefined);
}

/** `inputs`: what the tag refers to. */
export function testRead(
  runner: Supervisor,
  node: Node,
  tag: TagDraft,
  inputs: readonly Sample[],
): Promise<Value> {
  const given = inputs.map((sample, group) => ({ sample: dataOf(sample, group), layout: sample.layout }));
  return runner.ask<'test'>({ op: 'test', node: node.id, tag, inputs: given }, readDeadline);
}

/** Entry `i` is the fault of write `i`. Rejects with a Fault when the driver cannot be asked. */
export async function write(
  runner: Supervisor,
  node: Node,
  writes: readonly { readonly tag: Tag; readonly value: Value }[],
  by: Writer | undefined,
): Promise<readonly (Fault | undefined)[]> {
  const request = {
    op: 'write',
    node: node.id,
    writes: writes.map(({ tag, value }) => ({
      tag: { ...draftOf(tag), ...(node.plugin.inputs && { id: tag.id }) },
      value,
    })),
    ...(by && { by }),
  } as const;
  const failed = await runner.ask<'write'>(request, writeDeadline);
  const faults = new Array<Fault | undefined>(writes.length).fill(undefined);
  for (const [index, fault] of failed) faults[index] = faultFrom(fault);
  return faults;
}

function draftOf({ name, address, type, attribute }: RunnerTag): TagDraft {
  return { name, address, type, attribute };
}

/** Begins to trace the frames of a driver or the messages of an app, or ends it. */
export async function trace(
  runner: Supervisor,
  { id }: Node,
  filter: TraceFilter | undefined,
): Promise<void> {
  await runner.ask<'trace'>({ op: 'trace', node: id, ...(filter && { filter }) }, traceDeadline);
}

/** Lists what the device has at one place. */
export function browse(runner: Supervisor, { id }: Node, request: BrowseRequest): Promise<BrowsePage> {
  const deadline = deadlines.browse + deadlines.abort;
  return runner.ask<'browse'>({ op: 'browse', node: id, browse: request }, deadline);
}
