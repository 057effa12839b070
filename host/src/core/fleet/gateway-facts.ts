import {
  ErrorCode,
  type FleetMember,
  type FleetNode,
  type NodeStateRecord,
  type StatusReply,
  LinkState,
  RunningState,
  countHealths,
  healthOf,
  healths,
  tagsInError,
  worstFirst,
} from '@tagway/schemas';
import { plainLine } from '../directory/plain-text.ts';
import type { GatewayReplies } from '../ports/fleet.ts';
import { Refusal, sentence } from '../system/sentence.ts';
import { type Check, isNumber, isObject, isText, membersOf, oneOf, optional } from '../system/shapes.ts';

/** What is known of a gateway that answers. */
export type GatewayFacts = Pick<
  FleetMember,
  'health' | 'version' | 'nodes' | 'worst' | 'alarms' | 'pair' | 'source'
>;

/** Nodes of a gateway that are shown one by one. */
const mostNodes = 5;
/** Characters of names and of sentences of another gateway. */
const longestName = 128;
const longestSentence = 300;

const isCounts: Check = (thing) => isObject(thing) && Object.values(thing).every(isNumber);

const isState = membersOf<Pick<NodeStateRecord, 'node' | 'running' | 'link' | 'tags_in_error'>>({
  node: isText,
  running: oneOf(Object.values(RunningState)),
  link: oneOf(Object.values(LinkState)),
  tags_in_error: optional(isCounts),
});
const isSlow: Check = (thing) => Array.isArray(thing);
const isError = membersOf<NonNullable<NodeStateRecord['last_error']>>({
  code: isNumber,
  text: isText,
  since: isNumber,
});
const isStates = membersOf<{ readonly states: readonly unknown[] }>({
  states: (thing) => Array.isArray(thing),
});
const isVersion = membersOf<{ readonly version: string }>({ version: isText });
const isAlarms = membersOf<{ readonly counts: Readonly<Record<string, number>> }>({ counts: isCounts });
const isPair = membersOf<{ readonly id: string; readonly role: 'active' | 'standby' }>({
  id: isText,
  role: oneOf(['active', 'standby']),
});

type Source = NonNullable<StatusReply['source']>;

const isDrift = membersOf<Pick<Source['drift'], 'differences'>>({
  differences: (thing) => thing === null || isNumber(thing),
});
const isProblem = membersOf<{ readonly message: string }>({ message: isText });
const isSource = membersOf<Pick<Source, 'commit' | 'subject' | 'applied_at' | 'drift' | 'problem'>>({
  commit: (thing) => thing === null || isText(thing),
  subject: optional(isText),
  applied_at: optional(isNumber),
  drift: isDrift,
  problem: (thing) => thing === null || isProblem(thing),
});

/** What the replies of a gateway say. Texts of others are made plain, and cut. Throws GATEWAY_REPLY_INVALID. */
export function factsOf({ version, status, states, alarms }: GatewayReplies): GatewayFacts {
  if (!isVersion(version) || !isObject(status) || !isStates(states)) throw unexpected();
  const { pair, source } = status;
  const known = {
    version: plainLine(version.version, longestName),
    ...(isAlarms(alarms) && { alarms: owedOf(alarms.counts) }),
    ...(isPair(pair) && { pair: { id: plainLine(pair.id, longestName), role: pair.role } }),
    ...(isSource(source) && { source: sourceOf(source) }),
  };
  // The nodes of the pair run at the active gateway.
  if (isPair(pair) && pair.role === 'standby') return { health: 'standby', worst: [], ...known };
  const nodes = states.states.map(conditionOf);
  const counts = countHealths(nodes);
  const worst = nodes
    .filter((node) => ['down', 'degraded'].includes(healthOf(node)))
    .toSorted(worstFirst)
    .slice(0, mostNodes);
  return {
    ...known,
    health: healths.find((health) => counts[health] > 0) ?? 'stopped',
    nodes: counts,
    worst: worst.map(shown),
  };
}

function unexpected(): Refusal {
  return new Refusal(
    ErrorCode.GATEWAY_REPLY_INVALID,
    sentence`The gateway answers with something that is not the reply of a gateway. Is its address right?`,
  );
}

type Condition = Pick<NodeStateRecord, 'node' | 'running' | 'link' | 'tags_in_error' | 'slow_groups'> & {
  readonly last_error?: NodeStateRecord['last_error'];
};

/** Throws GATEWAY_REPLY_INVALID. */
function conditionOf(state: unknown): Condition {
  if (!isState(state)) throw unexpected();
  const { slow_groups: slow, last_error: error } = state as NodeStateRecord;
  const { node, running, link, tags_in_error: inError } = state;
  return {
    node: plainLine(node, longestName),
    running,
    link,
    ...(inError !== undefined && { tags_in_error: inError }),
    ...(isSlow(slow) && slow !== undefined && { slow_groups: slow }),
    ...(isError(error) && { last_error: error }),
  };
}

function shown(state: Condition): FleetNode {
  const { node, slow_groups: slow = [], last_error: error } = state;
  return {
    node,
    health: healthOf(state) === 'down' ? 'down' : 'degraded',
    tags_in_error: tagsInError(state).reduce((sum, [, count]) => sum + count, 0),
    slow_groups: slow.length,
    ...(error !== undefined && {
      message: plainLine(error.text, longestSentence),
      error: error.code,
      since: error.since,
    }),
  };
}

function sourceOf({
  commit,
  subject,
  applied_at: at,
  drift,
  problem,
}: Pick<Source, 'commit' | 'subject' | 'applied_at' | 'drift' | 'problem'>): NonNullable<
  FleetMember['source']
> {
  return {
    commit: plainLine(commit ?? '', longestName),
    drift: drift.differences ?? 0,
    ...(subject !== undefined && { subject: plainLine(subject, longestName) }),
    ...(at !== undefined && { applied_at: at }),
    ...(problem !== null && { problem: plainLine(problem.message, longestSentence) }),
  };
}

/** Alarms that want an acknowledgement. */
function owedOf(counts: Readonly<Record<string, number>>): number {
  return (counts['unacknowledged'] ?? 0) + (counts['latched'] ?? 0);
}
