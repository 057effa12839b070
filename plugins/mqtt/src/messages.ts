import type { PreviewMessage, PreviewOf, Sample, Subscription } from '@tagway/sdk';
import { writerOf } from '@tagway/sdk/json';
import type { Settings } from './settings.ts';
import { defaultTopic, topicOf, type Params } from './topics.ts';

/** The topic of a subscription's samples. */
export function topicFor(
  { driver, group, params }: Pick<Subscription<Params>, 'driver' | 'group' | 'params'>,
  node: string,
  settings: Pick<Settings, 'upload-topic' | 'expand_topics'>,
): string {
  const given = params?.topic || settings['upload-topic'];
  if (given && !settings.expand_topics) return given;
  return topicOf(given || defaultTopic, node, driver, group);
}

/** The payloads of a sample: none when no tag is due, several when a tag has several values. */
export function payloadsOf(
  sample: Sample,
  { format, upload_err: errors, upload_meta: meta }: Pick<Settings, 'format' | 'upload_err' | 'upload_meta'>,
): readonly Buffer[] {
  const writer = writerOf(sample.layout);
  return format === 1 ? writer.tags(sample, { errors, meta }) : writer.values(sample, { errors, meta });
}

/** The messages that would be published for a sample. */
export function preview({
  node,
  settings,
  subscription,
  sample,
}: PreviewOf<Settings, Params>): PreviewMessage[] {
  const topic = topicFor(subscription, node, settings);
  return payloadsOf(sample, settings).map((payload) => ({ topic, payload: payload.toString() }));
}
