import { ErrorCode, Fault } from '@tagway/sdk';
import type { Layout } from '@tagway/sdk';
import { PlaceTemplate } from '@tagway/store/template';

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

/** Why a topic with placeholders cannot be that of a group, or undefined. */
export function patternProblem(topic: string): string | undefined {
  return PlaceTemplate.problem(topic) ?? topicProblem(topic);
}

/** Whether each tag has a topic of its own. */
export function isPerTag(pattern: string): boolean {
  return PlaceTemplate.of(pattern).isPerTag;
}

/** A topic with the names of a group in place of the placeholders; a placeholder of a tag becomes `_`. */
export function topicOf(pattern: string, app: string, driver: string, group: string): string {
  return PlaceTemplate.of(pattern).text(app, { driver, group }, undefined, (name) => topicLevel(name) || '_');
}

/** The topics of the columns of a layout. */
export function topicsOf(pattern: string, app: string, layout: Layout): readonly string[] {
  return PlaceTemplate.of(pattern).texts(app, layout, topicLevel);
}

/** A name as a level of a topic, without characters that MQTT forbids there. */
function topicLevel(name: string): string {
  // eslint-disable-next-line no-control-regex -- U+0000 is what MQTT forbids.
  return name.replace(/[+#\u0000]/g, '_');
}

/** Refuses parameters of a subscription that name no topic to publish to. */
export function checkSubscription({ params }: { readonly params?: Readonly<Params> }): Fault | undefined {
  if (params === undefined) return undefined;
  const { topic } = params;
  if (typeof topic !== 'string')
    return new Fault(
      ErrorCode.GROUP_PARAM_INVALID,
      'The parameters of a subscription need "topic", a string.',
    );
  const problem = patternProblem(topic);
  if (problem === undefined) return undefined;
  return new Fault(ErrorCode.GROUP_PARAM_INVALID, `"topic" is not a topic: ${problem}`);
}

/** The topic of a group without a topic of its own. */
export const defaultTopic = '/neuron/{app}/{driver}/{group}';

/** The topic of the drivers' states when the settings name none. */
export function defaultStateTopic(app: string): string {
  return `/neuron/${topicLevel(app)}/state/update`;
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
    const base = `${slash}neuron/${topicLevel(app)}`;
    topics.set(`${base}/read/req`, { kind: 'read', reply: `${base}/read/resp` });
    const reply = writeReply === '' ? `${base}/write/resp` : writeReply;
    if (writeRequest === '') topics.set(`${base}/write/req`, { kind: 'write', reply });
  }
  if (writeRequest !== '') {
    const reply = writeReply === '' ? `/neuron/${topicLevel(app)}/write/resp` : writeReply;
    topics.set(writeRequest, { kind: 'write', reply });
  }
  return topics;
}
