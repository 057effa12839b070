import type { ConnectionOptions } from 'node:tls';
import { writerOf } from '@tagway/sdk';
import type { App, AppContext, Route, Sample } from '@tagway/sdk';
import { ownClientId } from './client-id.ts';
import type { Broker } from './connection.ts';
import { Link } from './link.ts';
import { Outbox } from './outbox.ts';
import { Requests } from './requests.ts';
import { Sender } from './sender.ts';
import { cacheOn, fileText, memoryLimit } from './settings.ts';
import type { Settings } from './settings.ts';
import { reportStates } from './states.ts';
import { defaultStateTopic, defaultTopic, requestTopics } from './topics.ts';
import type { Params } from './topics.ts';

/** Milliseconds that the end of a run waits for messages to be confirmed. */
const flushTimeout = 1000;

function tlsOf({ ssl, ca, cert, key, keypass }: Settings): ConnectionOptions | undefined {
  if (!ssl) return undefined;
  const options: ConnectionOptions = { ca: fileText(ca ?? '') };
  if (cert !== undefined && key !== undefined)
    Object.assign(options, { cert: fileText(cert), key: fileText(key) });
  if (keypass !== undefined) options.passphrase = keypass;
  return options;
}

function brokerOf(settings: Settings, clientId: string): Broker {
  const { host, port, username, password, version, qos } = settings;
  // Forms send an empty name for none.
  return {
    host,
    port,
    clientId,
    username: username || undefined,
    password,
    version,
    qos,
    tls: tlsOf(settings),
  };
}

/** One run of an MQTT node. */
export class MqttApp implements App<Params> {
  readonly #context: AppContext<Settings>;
  readonly #sender: Sender;
  #topics = new Map<Route<Params>, string>();
  #link: Link | undefined;
  #states: Promise<void> | undefined;

  constructor(context: AppContext<Settings>) {
    const { settings } = context;
    this.#context = context;
    const interval = cacheOn(settings) ? settings['cache-sync-interval'] : 0;
    this.#sender = new Sender(context, new Outbox(memoryLimit(settings)), interval);
  }

  async start(): Promise<void> {
    const { settings, node, dataDir } = this.#context;
    const clientId = settings['client-id'] ?? (await ownClientId(dataDir));
    const topics = requestTopics(node, settings['write-req-topic'], settings['write-resp-topic']);
    const requests = new Requests(this.#context, topics, (topic, payload) => {
      this.#sender.send(topic, payload);
    });
    const broker = brokerOf(settings, clientId);
    this.#link = new Link(
      this.#context,
      broker,
      this.#sender,
      [...topics.keys()],
      (topic, payload, retained) => {
        requests.take(topic, payload, retained);
      },
    );
    this.#link.start();
    if (settings.upload_drv_state) this.#states = this.#reportStates();
  }

  routes(routes: readonly Route<Params>[]): void {
    const { node, settings } = this.#context;
    this.#topics = new Map(
      routes.map((route) => {
        const { node: driver, group } = route.layout;
        return [route, route.params?.topic || settings['upload-topic'] || defaultTopic(node, driver, group)];
      }),
    );
  }

  deliver(sample: Sample, route: Route<Params>): void {
    const topic = this.#topics.get(route);
    if (topic === undefined) return;
    const { format, upload_err: errors } = this.#context.settings;
    const writer = writerOf(route.layout);
    const payload = format === 1 ? writer.tags(sample, { errors }) : writer.values(sample, { errors });
    if (payload !== undefined) this.#sender.send(topic, payload);
  }

  async stop(): Promise<void> {
    await this.#sender.flush(flushTimeout);
    await this.#link?.stop();
    await this.#states;
  }

  #reportStates(): Promise<void> {
    const { settings, node } = this.#context;
    const topic = settings.upload_drv_state_topic || defaultStateTopic(node);
    return reportStates(
      this.#context,
      settings.upload_drv_state_interval * 1000,
      () => this.#sender.connected,
      (payload) => {
        this.#sender.send(topic, payload);
      },
    );
  }
}
