import { connectAsync } from 'mqtt';
import type { MqttClient } from 'mqtt';
import { parseExact } from '../kit/json.ts';
import { until } from '../kit/until.ts';

export interface Message {
  readonly topic: string;
  readonly text: string;
  /** `performance.now()` of its arrival. */
  readonly at: number;
}

/** A sample in both payload formats of the MQTT app. */
export interface Upload {
  readonly node: string;
  readonly group: string;
  readonly timestamp: number;
  readonly values?: Readonly<Record<string, unknown>>;
  readonly errors?: Readonly<Record<string, number>>;
  readonly metas?: Readonly<Record<string, unknown>>;
  readonly tags?: readonly { readonly name: string; readonly value?: unknown; readonly error?: number }[];
}

/** A client of the broker that keeps the latest messages it received. */
export class Subscriber {
  readonly messages: Message[] = [];
  readonly #client: MqttClient;

  private constructor(client: MqttClient) {
    this.#client = client;
    client.on('message', (topic, payload) => {
      this.messages.push({ topic, text: payload.toString(), at: performance.now() });
      if (this.messages.length > 5_000) this.messages.shift();
    });
  }

  static async connect(port: number, ...topics: string[]): Promise<Subscriber> {
    const subscriber = new Subscriber(await connectAsync(`mqtt://127.0.0.1:${port}`));
    for (const topic of topics) await subscriber.subscribe(topic);
    return subscriber;
  }

  async subscribe(topic: string): Promise<void> {
    await this.#client.subscribeAsync(topic, { qos: 1 });
  }

  async publish(topic: string, text: string): Promise<void> {
    await this.#client.publishAsync(topic, text, { qos: 1 });
  }

  /** The first message on the topic that satisfies the condition, among those received and those to come. */
  next(
    topic: string,
    condition: (message: Message) => boolean = () => true,
    within = 15_000,
  ): Promise<Message> {
    return until(
      `a message arrives on ${topic}`,
      () => this.messages.find((message) => message.topic === topic && condition(message)),
      { within, every: 20 },
    );
  }

  /** Like `next`, parsed. */
  async upload(
    topic: string,
    condition: (upload: Upload) => boolean = () => true,
    within?: number,
  ): Promise<Upload> {
    const message = await this.next(topic, ({ text }) => condition(parseExact(text) as Upload), within);
    return parseExact(message.text) as Upload;
  }

  clear(): void {
    this.messages.length = 0;
  }

  async close(): Promise<void> {
    await this.#client.endAsync(true);
  }
}
