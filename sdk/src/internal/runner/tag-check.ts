import { dataTypeName, ErrorCode, referencesIn } from '@tagway/schemas';
import type { AppPlugin } from '../../app.ts';
import { type DriverPlugin, isDriver, type TagDraft } from '../../driver.ts';
import { Fault } from '../../fault.ts';
import { type FaultData, faultData } from '../channel/fault-data.ts';
import type { RunnerRequest, TagRules } from '../channel/protocol.ts';
import { tryPatterns } from './patterns.ts';

/**
 * The fault of each refused tag, by the rules of the plugin's manifest, if they are given, or by its code. The code is asked also for a
 * type that it does not have and an address that no pattern matches, because its sentence says best what is wrong.
 */
export function checkTags(
  plugin: DriverPlugin,
  tags: readonly TagDraft[],
  settings: Readonly<Record<string, unknown>> | undefined,
  rules: TagRules | undefined,
): (FaultData | undefined)[] {
  const faults = rules === undefined ? [] : faultsByRules(rules, tags);
  // From a pattern that hangs on, the code is not asked: it cannot make the tags valid.
  const end = faults.findIndex((fault) => fault?.isFinal === true);
  return tags.map((tag, index) => {
    const fault = faults[index]?.fault;
    const own = end < 0 || index < end ? faultByCode(plugin, tag, settings) : undefined;
    const wrong = rules?.inputs === true ? referenceFault(tag) : undefined;
    if (wrong !== undefined) return faultData(wrong, wrong.code);
    // About an address of a type that it does not have the code has nothing to say.
    const isOff = fault?.code === ErrorCode.TAG_TYPE_UNSUPPORTED && own?.code !== fault.code;
    return (isOff ? undefined : own) ?? (fault && faultData(fault, fault.code));
  });
}

/** How many requests a reading of these tags takes; undefined when the plugin cannot say. */
export function countRequests(
  plugin: DriverPlugin | AppPlugin,
  { tags, settings }: Extract<RunnerRequest, { op: 'countRequests' }>,
): number | undefined {
  return isDriver(plugin) ? plugin.countRequests?.(tags, settings as never) : undefined;
}

function faultByCode(
  plugin: DriverPlugin,
  tag: TagDraft,
  settings: Readonly<Record<string, unknown>> | undefined,
): FaultData | undefined {
  try {
    const fault = plugin.checkTag(tag, settings as never);
    return fault && faultData(fault, ErrorCode.TAG_ADDRESS_INVALID);
  } catch (error) {
    return faultData(error, ErrorCode.TAG_ADDRESS_INVALID);
  }
}

/** What stands for a reference in an address and is none. */
function referenceFault({ name, address }: TagDraft): Fault | undefined {
  const wrong = referencesIn(address).find(({ reference }) => reference === undefined);
  if (wrong === undefined) return undefined;
  const text = `The tag "${name}" refers to "${wrong.text}", which names no tag: a reference is node/group/tag, with %2F for a slash and %25 for a percent sign in a name.`;
  return new Fault(ErrorCode.TAG_ADDRESS_INVALID, text);
}

/** The names of types, in a sentence. */
function listed(types: readonly number[]): string {
  const names = types.map(dataTypeName);
  return [names.slice(0, -1).join(', '), names.at(-1)].filter((part) => part !== '').join(' and ');
}

interface RuleFault {
  readonly fault: Fault;
  /** Nothing that comes after it was checked. */
  readonly isFinal?: boolean;
}

function faultsByRules(
  { plugin, addresses }: TagRules,
  tags: readonly TagDraft[],
): (RuleFault | undefined)[] {
  const groups = Map.groupBy(addresses, ({ type }) => type as number);
  const byType = new Map(Array.from(groups, ([type, some]) => [type, some.map(({ pattern }) => pattern)]));
  const known = tags.filter(({ type }) => byType.has(type));
  const verdicts = tryPatterns(
    known.map(({ type, address }) => ({ patterns: byType.get(type) ?? [], text: address })),
  );
  let next = 0;
  return tags.map(({ name, address, type }) => {
    const patterns = byType.get(type);
    if (patterns === undefined) {
      const text = `The tag "${name}" is of the type ${dataTypeName(type)}, which the plugin "${plugin}" does not have; its types are ${listed([...byType.keys()])}.`;
      return { fault: new Fault(ErrorCode.TAG_TYPE_UNSUPPORTED, text) };
    }
    const verdict = verdicts[next++];
    if (verdict === 'fits') return undefined;
    const text =
      verdict === 'differs'
        ? `The tag "${name}" has the address "${address}", which the plugin "${plugin}" does not understand for a tag of its type.`
        : verdict === 'untried'
          ? `The address "${address}" of the tag "${name}" was not checked, as one before it could not be.`
          : `The address "${address}" of the tag "${name}" could not be checked: a pattern of the plugin "${plugin}" for addresses of this type takes too long (${patterns.join(' or ')}). Tell the plugin's author.`;
    return { fault: new Fault(ErrorCode.TAG_ADDRESS_INVALID, text), isFinal: verdict !== 'differs' };
  });
}
