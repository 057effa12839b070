import type { PreviewMessage, PreviewOf, Sample, Subscription } from '@tagway/sdk';
import { writerOf } from '@tagway/sdk/json';
import { defaultTopicOf } from './services.ts';
import { Format, type Settings } from './settings.ts';
import { TemplateMessages } from './template-messages.ts';
import { isPerTag, topicOf, type Params } from './topics.ts';

type Route = Pick<Subscription<Params>, 'driver' | 'group' | 'params'>;

/** The topic of a subscription's samples, before names are put into it. */
function patternFor(
  { params }: Route,
  settings: Pick<Settings, 'upload-topic' | 'service' | 'connection-string'>,
): string {
  return params?.topic || settings['upload-topic'] || defaultTopicOf(settings);
}

/** The topic of a subscription's samples. */
export function topicFor(
  route: Route,
  node: string,
  settings: Pick<Settings, 'upload-topic' | 'expand_topics' | 'service' | 'connection-string'>,
): string {
  const given = route.params?.topic || settings['upload-topic'];
  if (given && !settings.expand_topics) return given;
  return topicOf(patternFor(route, settings), node, route.driver, route.group);
}

/** The messages of a subscription whose format is a template. */
export function templateFor(route: Route, node: string, settings: Settings): TemplateMessages {
  const pattern = patternFor(route, settings);
  const own = settings.expand_topics && isPerTag(pattern) ? pattern : undefined;
  return new TemplateMessages(node, settings, topicFor(route, node, settings), own);
}

/** The payloads of a sample: none when no tag is due, several when a tag has several values. */
export function payloadsOf(
  sample: Sample,
  { format, upload_err: errors, upload_meta: meta }: Pick<Settings, 'format' | 'upload_err' | 'upload_meta'>,
): readonly Buffer[] {
  const writer = writerOf(sample.layout);
  return format === Format.TAGS
    ? writer.tags(sample, { errors, meta })
    : writer.values(sample, { errors, meta });
}

/** The messages that would be published for a sample. */
export function preview({
  node,
  settings,
  subscription,
  sample,
}: PreviewOf<Settings, Params>): PreviewMessage[] {
  if (settings.format === Format.TEMPLATE) {
    const messages: PreviewMessage[] = [];
    templateFor(subscription, node, settings).each(
      sample,
      (topic, payload) => void messages.push({ topic, payload: payload.toString() }),
    );
    return messages;
  }
  const topic = topicFor(subscription, node, settings);
  return payloadsOf(sample, settings).map((payload) => ({ topic, payload: payload.toString() }));
}
