import {
  asItIs,
  brokerOf,
  cacheInterval,
  type Encode,
  Link,
  openCache,
  ownClientId,
  Sender,
  sendTail,
  type Will,
} from '@tagway/broker';
import type { App, AppContext, Sample, Subscription } from '@tagway/sdk';
import type { Spool } from '@tagway/sdk/spool';
import { Requests } from './requests.ts';
import type { Settings } from './settings.ts';
import { reportStates } from './states.ts';
import { payloadsOf, topicFor } from './messages.ts';
import { defaultStateTopic, requestTopics } from './topics.ts';
import type { Params, RequestTopic } from './topics.ts';

/** Milliseconds that the end of a run waits for messages to be confirmed. */
const flushTimeout = 1000;

function willOf({ qos, 'will-topic': topic, 'will-payload': payload = '' }: Settings): Will | undefined {
  return topic ? { topic, payload: Buffer.from(payload), qos } : undefined;
}

/**
 * Samples and states are retained, replies are not. Nor is what an outage left behind where it is sent beside the new messages: the old
 * would stay as the last.
 */
function retaining(settings: Settings, topics: ReadonlyMap<string, RequestTopic>): Encode {
  const replies = new Set([...topics.values()].map(({ reply }) => reply));
  const inOrder = cacheInterval(settings) === 0;
  return (record, backlog) => {
    const outgoing = asItIs(record, backlog);
    return outgoing && { ...outgoing, retain: (inOrder || !backlog) && !replies.has(outgoing.topic) };
  };
}

/** One run of an MQTT node. */
export class MqttApp implements App<Params> {
  readonly #context: AppContext<Settings>;
  #starting: Promise<void> | undefined;
  #spool: Spool | undefined;
  #sender: Sender | undefined;
  /** By the id of the subscription. */
  #topics = new Map<number, string>();
  #link: Link | undefined;
  #states: Promise<void> | undefined;

  constructor(context: AppContext<Settings>) {
    this.#context = context;
  }

  async start(): Promise<void> {
    this.#starting = this.#start();
    await this.#starting;
  }

  async #start(): Promise<void> {
    const { settings, node } = this.#context;
    const clientId = await this.#clientId();
    const topics = requestTopics(node, settings['write-req-topic'], settings['write-resp-topic']);
    const spool = await openCache(this.#context, () => this.#sender?.pump());
    const sender = new Sender(
      this.#context,
      spool,
      cacheInterval(settings),
      settings.retain ? retaining(settings, topics) : asItIs,
    );
    this.#spool = spool;
    this.#sender = sender;
    const requests = new Requests(this.#context, topics, (topic, payload) => {
      void sender.send(topic, payload);
    });
    const { qos } = settings;
    const broker = { ...brokerOf(settings, clientId), qos, will: willOf(settings) };
    this.#link = new Link(
      this.#context,
      {
        topics: [...topics.keys()],
        subscribeQos: qos,
        broker: () => broker,
        received: (topic, payload, retained) => requests.take(topic, payload, retained),
      },
      sender,
    );
    this.#link.start();
    if (settings.upload_drv_state) this.#states = this.#reportStates(sender);
  }

  subscriptionsChanged(all: readonly Subscription<Params>[]): void {
    const { node, settings } = this.#context;
    this.#topics = new Map(all.map((one) => [one.id, topicFor(one, node, settings)]));
  }

  deliver(sample: Sample, { id }: Subscription<Params>): Promise<void> | undefined {
    const topic = this.#topics.get(id);
    if (topic === undefined) return undefined;
    let drained: Promise<void> | undefined;
    for (const payload of payloadsOf(sample, this.#context.settings))
      drained = this.#sender?.send(topic, payload);
    return drained;
  }

  tail(): Promise<void> {
    return sendTail(this.#context, () => this.#clientId(), this.#context.settings.qos);
  }

  async stop(): Promise<void> {
    // What a start that is under way still opens is closed too.
    await this.#starting?.catch(() => undefined);
    await this.#sender?.flush(flushTimeout);
    await this.#link?.stop();
    await this.#states;
    await this.#spool?.close();
  }

  async #clientId(): Promise<string> {
    const { settings, dataDir, pairId } = this.#context;
    return settings['client-id'] ?? (await ownClientId(dataDir, pairId));
  }

  #reportStates(sender: Sender): Promise<void> {
    const { settings, node } = this.#context;
    const topic = settings.upload_drv_state_topic || defaultStateTopic(node);
    return reportStates(
      this.#context,
      settings.upload_drv_state_interval * 1000,
      () => sender.connected,
      (payload) => {
        void sender.send(topic, payload);
      },
    );
  }
}
