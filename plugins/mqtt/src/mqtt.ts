import {
  asQueued,
  BrokerApp,
  brokerOf,
  cacheInterval,
  type Encode,
  sendTail,
  type Will,
} from '@tagway/mqtt-client';
import { alarmMembers, type AlarmEvent, type App, type Sample, type Subscription } from '@tagway/sdk';
import { stringifyJson } from '@tagway/sdk/json';
import { alarmTopics } from './alarms.ts';
import { Requests } from './requests.ts';
import { renewAfter, Service, serviceBroker } from './services.ts';
import { Format, type Settings } from './settings.ts';
import { reportStates } from './states.ts';
import { payloadsOf, templateFor, topicFor } from './messages.ts';
import type { TemplateMessages } from './template-messages.ts';
import { defaultStateTopic, requestTopics, topicOf } from './topics.ts';
import type { Params, RequestTopic } from './topics.ts';

function willOf({ qos, 'will-topic': topic, 'will-payload': payload = '' }: Settings): Will | undefined {
  return topic ? { topic, payload: Buffer.from(payload), qos } : undefined;
}

/**
 * Samples and states are retained, replies and what happens to alarms are not. Messages of the backlog are not retained either when new messages are sent at the same
 * time: an old value would become the retained one.
 */
function withRetain(settings: Settings, topics: ReadonlyMap<string, RequestTopic>): Encode {
  const replies = new Set([...topics.values()].map(({ reply }) => reply));
  const isAlarm = alarmTopics(settings['alarm-topic']);
  const inOrder = cacheInterval(settings) === 0;
  return (record, backlog) => {
    const outgoing = asQueued(record);
    const { topic } = outgoing;
    return { ...outgoing, retain: (inOrder || !backlog) && !replies.has(topic) && !isAlarm(topic) };
  };
}

/** One run of an MQTT node. */
export class MqttApp extends BrokerApp<Settings> implements App<Params> {
  /** By the id of the subscription. */
  #topics = new Map<number, string>();
  /** By the id of the subscription, where the format is a template. */
  #templates = new Map<number, TemplateMessages>();
  /** Ends a connection before the token that it was made with is good no more. */
  #renewal: Disposable | undefined;

  protected async open(): Promise<void> {
    const { settings, node, clock } = this.context;
    const { qos } = settings;
    const topics = settings.enable_topic
      ? requestTopics(node, settings['write-req-topic'], settings['write-resp-topic'])
      : new Map<string, RequestTopic>();
    const requests = new Requests(this.context, topics, (topic, payload) => this.#send(topic, payload));
    const clientId = await this.clientId();
    const broker = { ...brokerOf(settings, clientId), qos, will: willOf(settings) };
    await this.connect(
      {
        topics: [...topics.keys()],
        subscribeQos: qos,
        broker: () => serviceBroker(broker, settings, clock.now()),
        ...(settings.service === Service.AZURE && {
          opened: () => this.#renewLater(),
          closed: () => this.#renewal?.[Symbol.dispose](),
        }),
        received: (topic, payload, retained) => {
          this.shown.show('received', { topic, data: payload });
          requests.take(topic, payload, retained);
        },
      },
      settings.retain ? withRetain(settings, topics) : asQueued,
    );
    if (settings.upload_drv_state) this.sending = this.#reportStates();
  }

  subscriptionsChanged(all: readonly Subscription<Params>[]): void {
    const { node, settings } = this.context;
    if (settings.format === Format.TEMPLATE)
      this.#templates = new Map(all.map((one) => [one.id, templateFor(one, node, settings)]));
    else this.#topics = new Map(all.map((one) => [one.id, topicFor(one, node, settings)]));
  }

  deliver(sample: Sample, subscription: Subscription<Params>): Promise<void> | undefined {
    const { id } = subscription;
    const template = this.#templates.get(id);
    if (template !== undefined) return this.#deliverBy(template, sample, subscription);
    const topic = this.#topics.get(id);
    if (topic === undefined) return undefined;
    let drained: Promise<void> | undefined;
    for (const payload of payloadsOf(sample, this.context.settings))
      drained = this.sender?.send(topic, payload, subscription);
    return drained;
  }

  deliverAlarms(events: readonly AlarmEvent[], subscription: Subscription<Params>): void {
    const { driver, group } = subscription;
    const { node, settings } = this.context;
    const pattern = settings['alarm-topic'];
    if (!pattern) return;
    const topic = topicOf(pattern, node, driver, group);
    for (const event of events)
      void this.sender?.send(
        topic,
        Buffer.from(stringifyJson(alarmMembers(event, { node: driver, group }))),
        subscription,
      );
  }

  async tail(): Promise<void> {
    const { settings } = this.context;
    if (settings.service !== Service.ANY) return;
    await sendTail(this.context, () => this.clientId(), settings.qos);
  }

  override async stop(): Promise<void> {
    this.#renewal?.[Symbol.dispose]();
    await super.stop();
  }

  #deliverBy(
    template: TemplateMessages,
    sample: Sample,
    of: Subscription<Params>,
  ): Promise<void> | undefined {
    let drained: Promise<void> | undefined;
    template.each(sample, (topic, payload) => {
      drained = this.sender?.send(topic, payload, of);
    });
    return drained;
  }

  /** Connects again, with a new token, before the service ends the connection because the token is too old. */
  #renewLater(): void {
    this.#renewal = this.context.clock.timer(renewAfter, () => {
      void this.link?.reconnect('Its token is renewed.');
    });
  }

  #send(topic: string, payload: Buffer): void {
    void this.sender?.send(topic, payload);
  }

  #reportStates(): Promise<void> {
    const { settings, node } = this.context;
    const topic = settings.upload_drv_state_topic || defaultStateTopic(node);
    return reportStates(
      this.context,
      settings.upload_drv_state_interval * 1000,
      () => this.sender?.connected === true,
      (payload) => this.#send(topic, payload),
    );
  }
}
