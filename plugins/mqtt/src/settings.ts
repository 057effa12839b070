import { type BrokerSettings, checkBrokerSettings } from '@tagway/mqtt-client';
import type { Fault } from '@tagway/sdk';
import { BodyTemplate } from '@tagway/store/template';
import { Service, serviceProblem } from './services.ts';
import { isPerTag, patternProblem, topicProblem } from './topics.ts';

/** Shape of a payload. */
export const Format = { VALUES: 0, TAGS: 1, TEMPLATE: 2 } as const;

/** A node's settings, with the schema's defaults filled in. */
export interface Settings extends BrokerSettings {
  readonly qos: 0 | 1 | 2;
  readonly format: (typeof Format)[keyof typeof Format];
  /** Of the format for it. */
  readonly template?: string;
  readonly service: Service;
  /** Of a device of an Azure IoT Hub. */
  readonly 'connection-string'?: string;
  readonly 'upload-topic'?: string;
  /** {app}, {driver} and {group} in the topics of groups stand for their names. */
  readonly expand_topics: boolean;
  readonly upload_err: boolean;
  /** Source times and qualities go with the values. */
  readonly upload_meta: boolean;
  /** Requests are taken. */
  readonly enable_topic: boolean;
  readonly 'write-req-topic'?: string;
  readonly 'write-resp-topic'?: string;
  readonly upload_drv_state: boolean;
  readonly upload_drv_state_topic?: string;
  /** Seconds. */
  readonly upload_drv_state_interval: number;
  /** The broker keeps the last message of each topic. */
  readonly retain: boolean;
  readonly 'alarm-topic'?: string;
  readonly 'will-topic'?: string;
  readonly 'will-payload'?: string;
}

function topicsProblem(settings: Settings): string | undefined {
  const names = [
    'upload-topic',
    'write-req-topic',
    'write-resp-topic',
    'upload_drv_state_topic',
    'alarm-topic',
    'will-topic',
  ] as const;
  for (const name of names) {
    const topic = settings[name];
    const isPattern = name === 'alarm-topic' || (name === 'upload-topic' && settings.expand_topics);
    const problemOf = isPattern ? patternProblem : topicProblem;
    const problem = topic ? problemOf(topic) : undefined;
    if (problem !== undefined) return `"${name}" is not a topic: ${problem}`;
  }
  const upload = settings['upload-topic'];
  if (upload && settings.expand_topics && isPerTag(upload) && !hasTagBodies(settings))
    return '"upload-topic" has a topic for each tag: that needs "format" 2 and a "template" that makes a message of each value.';
  if (settings['will-payload'] && !settings['will-topic']) return '"will-payload" needs "will-topic".';
  const request = settings['write-req-topic'];
  if (request && request === settings['write-resp-topic'])
    return '"write-req-topic" and "write-resp-topic" must differ, or the gateway would answer itself.';
  return undefined;
}

function templateProblem({ format, template = '' }: Settings): string | undefined {
  const problem = format === Format.TEMPLATE ? BodyTemplate.problem(template) : undefined;
  return problem && `"template" is not a template: ${problem}`;
}

function hasTagBodies({ format, template = '' }: Settings): boolean {
  return format === Format.TEMPLATE && BodyTemplate.of(template).isPerTag;
}

/** What the schema cannot say about settings. */
export function checkSettings(settings: Settings): Fault | undefined {
  return checkBrokerSettings(
    settings,
    (own) => serviceProblem(own) ?? templateProblem(own) ?? topicsProblem(own),
    settings.service !== Service.ANY,
  );
}
