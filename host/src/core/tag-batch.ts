import { isDeepStrictEqual } from 'node:util';
import { ErrorCode, Limits } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { Plugin, Tag, TagBody } from './model.ts';
import { requirePlugin } from './plugins.ts';
import { tagOf } from './records.ts';
import type { State } from './state.ts';
import { checkTag, isStatic } from './tag-check.ts';

/** Of a batch: how many tags, from the first on, were applied, and the code that ended it, or 0. */
export interface BatchResult {
  readonly index: number;
  readonly error: number;
  /** Why it ended, in one sentence that names the tag. */
  readonly message?: string;
}

/** The tags that a batch brings, and what it is answered with once they are in place. */
export interface Batch extends BatchResult {
  readonly tags: readonly Tag[];
}

/** Refuses names that no tag can have, and with them the whole batch. */
export function checkNames(bodies: readonly TagBody[]): void {
  if (bodies.some((body) => body.name === '')) {
    throw new Fault(ErrorCode.BODY_INVALID, 'The name of a tag may not be empty.');
  }
}

/** How many tags, from the first on, the gateway and the plugin accept, and why the next is refused. */
export async function checkBatch(
  state: State,
  plugin: Plugin,
  bodies: readonly TagBody[],
): Promise<BatchResult> {
  let index = bodies.findIndex((body) => checkTag(body) !== undefined);
  const refused = bodies[index];
  let fault = refused && checkTag(refused);
  if (refused === undefined) index = bodies.length;

  const asked = bodies.slice(0, index).filter((body) => !isStatic(body));
  if (asked.length === 0) return endedBy(fault, bodies, index);
  requirePlugin(plugin);
  const drafts = asked.map(({ name, address, type, attribute }) => ({ name, address, type, attribute }));
  const faults = await state.ports.runtime.checkTags(plugin, drafts);
  const first = faults.findIndex((fault) => fault !== undefined);
  const body = asked[first];
  if (body !== undefined) {
    index = bodies.indexOf(body);
    fault = faults[first] ?? fault;
  }
  return endedBy(fault, bodies, index);
}

/** The result of a batch that a fault of the tag at `index` ended, or none. */
function endedBy(fault: Fault | undefined, bodies: readonly TagBody[], index: number): BatchResult {
  if (fault === undefined) return { index, error: 0 };
  // The name may be what is too long.
  const name = (bodies[index]?.name ?? '').slice(0, Limits.tagName);
  const isNamed = fault.message.includes(`"${name}"`);
  const place = isNamed ? `(tags[${index}])` : `The tag "${name}" (tags[${index}]):`;
  return {
    index,
    error: fault.code,
    message: isNamed ? `${fault.message} ${place}` : `${place} ${fault.message}`,
  };
}

/**
 * The tags to add to those that are `present`: the checked ones before the first whose name is taken, and not more than there is
 * `room` for.
 */
export function additions(
  state: State,
  present: ReadonlyMap<string, Tag> | undefined,
  bodies: readonly TagBody[],
  checked: BatchResult,
  room = Infinity,
): Batch {
  const fresh = new Map<string, Tag>();
  const end = (fault: Fault): Batch => ({
    tags: [...fresh.values()],
    ...endedBy(fault, bodies, fresh.size),
  });
  for (const body of bodies.slice(0, checked.index)) {
    if (fresh.size >= room)
      return end(
        new Fault(
          ErrorCode.LICENSE_MAX_TAGS,
          `The license leaves room for ${fresh.size} of these tags in the node.`,
        ),
      );
    if (present?.has(body.name) || fresh.has(body.name)) {
      return end(new Fault(ErrorCode.TAG_NAME_CONFLICT, `The group has a tag "${body.name}" already.`));
    }
    fresh.set(body.name, tagOf(state.newId(), body));
  }
  return { ...checked, tags: [...fresh.values()], index: fresh.size };
}

/**
 * The tags that take the place of those that are `present`: the checked ones before the first that is missing. A tag that would not
 * change is left out: the object that is there stays, and with it the tag's latest value.
 */
export function replacements(
  present: ReadonlyMap<string, Tag>,
  bodies: readonly TagBody[],
  checked: BatchResult,
): Batch {
  const fresh = new Map<string, Tag>();
  let result = checked;
  for (const [i, body] of bodies.slice(0, checked.index).entries()) {
    const old = present.get(body.name);
    if (old === undefined) {
      result = endedBy(new Fault(ErrorCode.TAG_NOT_FOUND, `The group has no tag "${body.name}".`), bodies, i);
      break;
    }
    fresh.set(body.name, tagOf(old.id, body));
  }
  const tags = [...fresh.values()].filter((tag) => !isDeepStrictEqual(tag, present.get(tag.name)));
  return { ...result, tags };
}
