import { ErrorCode, Fault } from '@tagway/sdk';

export interface Params {
  readonly topic?: string;
}

/** Longest topic of MQTT, in bytes of UTF-8. */
const longest = 65_535;

/** Why no message can be published to this topic, or undefined. */
export function topicProblem(topic: string): string | undefined {
  if (topic === '') return 'it is empty.';
  // eslint-disable-next-line no-control-regex -- U+0000 is what MQTT forbids.
  if (/[+#\u0000]/.test(topic)) return 'a topic to publish to has no "+", "#" or NUL.';
  if (Buffer.byteLength(topic) > longest) return `it is longer than ${longest} bytes.`;
  return undefined;
}

/** What a topic of a group may have in braces. */
const places = /\{(app|driver|group)\}/g;

/** Why a topic with places for names cannot be that of a group, or undefined. */
export function patternProblem(topic: string): string | undefined {
  const [brace] = /\{[^}]*\}?|\}/.exec(topic.replace(places, '')) ?? [];
  if (brace !== undefined)
    return `"${brace}" stands for nothing; {app}, {driver} and {group} stand for their names.`;
  return topicProblem(topic);
}

/** A topic with the names of a group in their places. */
export function topicOf(pattern: string, app: string, driver: string, group: string): string {
  const names: Readonly<Record<string, string>> = { app, driver, group };
  return pattern.replace(places, (_all, name: string) => part(names[name] ?? ''));
}

/** A name as a part of a topic: names are free, topics are not. */
function part(name: string): string {
  // eslint-disable-next-line no-control-regex -- U+0000 is what MQTT forbids.
  return name.replace(/[+#\u0000]/g, '_');
}

/** Refuses parameters of a subscription that name no topic to publish to. */
export function checkSubscription({ params }: { readonly params?: Readonly<Params> }): Fault | undefined {
  if (params === undefined) return undefined;
  const { topic } = params;
  if (typeof topic !== 'string') {
    return new Fault(
      ErrorCode.GROUP_PARAM_INVALID,
      'The parameters of a subscription need "topic", a string.',
    );
  }
  const problem = patternProblem(topic);
  if (problem === undefined) return undefined;
  return new Fault(ErrorCode.GROUP_PARAM_INVALID, `"topic" is not a topic: ${problem}`);
}

/** Where a group is published that has no topic of its own. */
export const defaultTopic = '/neuron/{app}/{driver}/{group}';

/** Where the drivers' states are published unless the settings name a topic. */
export function defaultStateTopic(app: string): string {
  return `/neuron/${part(app)}/state/update`;
}

export interface RequestTopic {
  readonly kind: 'read' | 'write';
  readonly reply: string;
}

/**
 * The topics that requests come in on, each with the topic of its replies. The documentation of this API's family writes
 * the fixed topics with a leading slash, its software without one: both are served, and the reply takes the same form.
 */
export function requestTopics(
  app: string,
  writeRequest = '',
  writeReply = '',
): ReadonlyMap<string, RequestTopic> {
  const topics = new Map<string, RequestTopic>();
  for (const slash of ['/', '']) {
    const base = `${slash}neuron/${part(app)}`;
    topics.set(`${base}/read/req`, { kind: 'read', reply: `${base}/read/resp` });
    const reply = writeReply === '' ? `${base}/write/resp` : writeReply;
    if (writeRequest === '') topics.set(`${base}/write/req`, { kind: 'write', reply });
  }
  if (writeRequest !== '') {
    const reply = writeReply === '' ? `/neuron/${part(app)}/write/resp` : writeReply;
    topics.set(writeRequest, { kind: 'write', reply });
  }
  return topics;
}
