import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ErrorCode, Limits } from '@tagway/schemas';
import type { Fault } from '@tagway/sdk';
import type { Plugin, Tag, TagBody } from '../model.ts';
import { Pacer } from '../system/pacer.ts';
import { requirePlugin } from '../nodes/plugins.ts';
import { tagOf } from '../records/records.ts';
import type { State } from '../records/state.ts';
import { checkTag, isStatic, longestAddress } from './tag-check.ts';
import { reasonOf, Refusal, type Sentence, sentence } from '../system/sentence.ts';

/** Tags that a plugin checks at once: a whole batch would block the gateway and the plugin. */
export const askedAtOnce = 500;

/** Of a batch: how many tags, from the first on, were applied, and the code that ended it, or 0. */
export interface BatchResult {
  readonly index: number;
  readonly error: number;
  /** Why it ended, in one sentence that names the tag. */
  readonly message?: Sentence;
}

/** Why a tag is refused for what it refers to; `before` is what it was. */
export type LinkCheck = (tag: TagBody, before?: Tag) => Fault | undefined;

/** The tags that a batch brings, and the answer once they are stored. */
export interface Batch extends BatchResult {
  readonly tags: readonly Tag[];
}

/** Refuses a batch in which a tag has no name. */
export function checkNames(bodies: readonly TagBody[]): void {
  if (bodies.some((body) => body.name === '')) {
    throw new Refusal(ErrorCode.BODY_INVALID, sentence`The name of a tag may not be empty.`);
  }
}

/** How many tags, from the first on, the gateway and the plugin accept, and why the next is refused. */
export async function checkBatch(
  state: State,
  plugin: Plugin,
  bodies: readonly TagBody[],
): Promise<BatchResult> {
  for (let from = 0; from < bodies.length; from += askedAtOnce) {
    if (from > 0) await nextTurn();
    const { index, fault } = await firstRefused(state, plugin, bodies.slice(from, from + askedAtOnce));
    if (fault !== undefined) return endedBy(fault, bodies, from + index);
  }
  return { index: bodies.length, error: 0 };
}

/** The first of these tags that the gateway or the plugin does not accept. */
async function firstRefused(
  state: State,
  plugin: Plugin,
  bodies: readonly TagBody[],
): Promise<{ readonly index: number; readonly fault?: Fault | undefined }> {
  let fault: Fault | undefined;
  const index = bodies.findIndex(
    (body) => (fault = checkTag(body, longestAddress(state.ports.dialect, plugin))) !== undefined,
  );
  const asked = (index < 0 ? bodies : bodies.slice(0, index)).filter((body) => !isStatic(body));
  if (asked.length === 0) return { index, fault };
  requirePlugin(plugin);
  const drafts = asked.map(({ name, address, type, attribute }) => ({ name, address, type, attribute }));
  const faults = await state.ports.runtime.checkTags(plugin, drafts);
  const first = asked[faults.findIndex((one) => one !== undefined)];
  if (first === undefined) return { index, fault };
  return { index: bodies.indexOf(first), fault: faults.find((one) => one !== undefined) };
}

/** The result of a batch that ended at the tag at `index`, with its fault if it has one. */
function endedBy(fault: Fault | undefined, bodies: readonly TagBody[], index: number): BatchResult {
  if (fault === undefined) return { index, error: 0 };
  // The name itself may be too long.
  const name = (bodies[index]?.name ?? '').slice(0, Limits.tagName);
  const isNamed = fault.message.includes(`"${name}"`);
  const reason = reasonOf(fault);
  return {
    index,
    error: fault.code,
    message: isNamed
      ? sentence`${reason} (tags[${index}])`
      : sentence`The tag "${name}" (tags[${index}]): ${reason}`,
  };
}

/**
 * The tags to add to those that are `present`: the checked ones before the first whose name is taken, or which `refusal` refuses, and not
 * more than there is `room` for.
 */
export async function additions(
  state: State,
  present: ReadonlyMap<string, Tag> | undefined,
  bodies: readonly TagBody[],
  checked: BatchResult,
  refusal: LinkCheck,
  room = Infinity,
): Promise<Batch> {
  const pace = new Pacer();
  const fresh = new Map<string, Tag>();
  const end = (fault: Fault): Batch => ({
    tags: [...fresh.values()],
    ...endedBy(fault, bodies, fresh.size),
  });
  for (const body of bodies.slice(0, checked.index)) {
    if (pace.isDue) await pace.rest();
    if (fresh.size >= room)
      return end(
        new Refusal(
          ErrorCode.LICENSE_MAX_TAGS,
          sentence`The license leaves room for ${fresh.size} of these tags in the node.`,
        ),
      );
    if (present?.has(body.name) || fresh.has(body.name)) {
      return end(
        new Refusal(ErrorCode.TAG_NAME_CONFLICT, sentence`The group has a tag "${body.name}" already.`),
      );
    }
    const fault = refusal(body);
    if (fault !== undefined) return end(fault);
    fresh.set(body.name, tagOf(state.newId(), body));
  }
  return { ...checked, tags: [...fresh.values()], index: fresh.size };
}

/**
 * The tags that take the place of those that are `present`: the checked ones before the first that is missing. A tag that would not
 * change is left out: the object that is there stays, and with it the tag's latest value.
 */
export async function replacements(
  present: ReadonlyMap<string, Tag>,
  bodies: readonly TagBody[],
  checked: BatchResult,
  refusal: LinkCheck,
): Promise<Batch> {
  const pace = new Pacer();
  const fresh = new Map<string, Tag>();
  for (const [index, body] of bodies.slice(0, checked.index).entries()) {
    if (pace.isDue) await pace.rest();
    const old = present.get(body.name);
    if (old === undefined) {
      const fault = new Refusal(ErrorCode.TAG_NOT_FOUND, sentence`The group has no tag "${body.name}".`);
      return { ...endedBy(fault, bodies, index), tags: [...fresh.values()] };
    }
    const refused = refusal(body, old);
    if (refused !== undefined) return { ...endedBy(refused, bodies, index), tags: [...fresh.values()] };
    const tag = tagOf(old.id, body);
    if (isSameTag(tag, old)) fresh.delete(tag.name);
    else fresh.set(tag.name, tag);
  }
  return { ...checked, tags: [...fresh.values()] };
}

/** As deep equality, which is slow and needed for values alone. */
export function isSameTag(one: Tag, other: Tag): boolean {
  return (
    one.address === other.address &&
    one.attribute === other.attribute &&
    one.type === other.type &&
    Object.is(one.precision, other.precision) &&
    Object.is(one.decimal, other.decimal) &&
    Object.is(one.bias, other.bias) &&
    one.description === other.description &&
    one.deadband === other.deadband &&
    one.unit === other.unit &&
    one.low === other.low &&
    one.high === other.high &&
    (one.value === other.value || isDeepStrictEqual(one.value, other.value))
  );
}
