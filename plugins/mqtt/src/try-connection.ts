import { type Broker, brokerOf, testClientId, tryBroker, tryDial } from '@tagway/mqtt-client';
import type { ConnectionTest } from '@tagway/sdk';
import { defaultTopicOf, Service, serviceBroker } from './services.ts';
import { Format, type Settings } from './settings.ts';
import { requestTopics, topicOf } from './topics.ts';

/** Names of a driver and a group that there are none of. */
const nobody = { node: 'connection test', group: 'test' } as const;

/**
 * Tries whether the broker lets the node in and takes what it sends. A service knows its client by the id, and ends the session of the node
 * when it connects a second time: there it goes as far as TLS.
 */
export async function tryConnection(test: ConnectionTest<Settings>): Promise<void> {
  const { settings, node } = test;
  const { qos, version, service } = settings;
  const broker: Broker = {
    ...brokerOf(settings, testClientId(settings)),
    qos,
    will: undefined,
  };
  if (service !== Service.ANY) return tryDial(test, serviceBroker(broker, settings, Date.now()));
  const topics = settings.enable_topic
    ? [...requestTopics(node, settings['write-req-topic'], settings['write-resp-topic']).keys()]
    : [];
  const says = version === 5 && qos > 0 && settings.format !== Format.TEMPLATE;
  await tryBroker(test, broker, { topics, message: says ? messageOf(settings, node) : undefined });
}

/** A sample without values. Where topics have the names of driver and group in them, these are of none. */
function messageOf(settings: Settings, app: string): { readonly topic: string; readonly payload: Buffer } {
  const given = settings['upload-topic'];
  const topic =
    given && !settings.expand_topics
      ? given
      : topicOf(given || defaultTopicOf(settings), app, nobody.node, nobody.group);
  const content = settings.format === Format.TAGS ? { tags: [] } : { values: {}, errors: {} };
  return { topic, payload: Buffer.from(JSON.stringify({ ...nobody, timestamp: Date.now(), ...content })) };
}
