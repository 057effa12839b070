import {
  BrokerApp,
  brokerOf,
  LimitedLog,
  type Broker,
  type BrokerClient,
  type Connection,
  type ShownMessage,
} from '@tagway/mqtt-client';
import { LinkState } from '@tagway/sdk';
import type { App, AppContext, DriverState, MessageOrigin, Sample, Subscription } from '@tagway/sdk';
import { Aliases } from './aliases.ts';
import { BdSeq } from './bd-seq.ts';
import { Commands } from './commands.ts';
import { EdgeNode, type Publish } from './edge-node.ts';
import { explain } from './explain.ts';
import { handOver, type HandedOver, HandOverTopics } from './hand-over.ts';
import { subscribedTopics, Topics } from './names.ts';
import { bdSeqMetric, payloadOf } from './payload.ts';
import { PrimaryHost } from './primary-host.ts';
import type { Settings } from './settings.ts';

/** Milliseconds that `closing` waits for the broker to confirm the death. */
const deathTimeout = 500;

/** One run of a Sparkplug node. */
export class SparkplugApp extends BrokerApp<Settings> implements App, BrokerClient {
  readonly subscribeQos = 1;
  readonly topics: readonly string[];
  readonly #names: Topics;
  readonly #host: PrimaryHost | undefined;
  readonly #commands: Commands;
  readonly #bdSeqs: BdSeq;
  /** Absent without a pair of gateways. */
  readonly #handOver: HandOverTopics | undefined;
  readonly #node: EdgeNode;
  #bdSeq = 0;
  /** The connection, after births were sent over it. */
  #connection: Connection | undefined;
  #bornAt = -Infinity;
  #rebirthTimer: Disposable | undefined;
  #clientId = '';

  constructor(context: AppContext<Settings>) {
    super(context);
    const { settings, node, log, clock, pairId } = context;
    this.#bdSeqs = new BdSeq(context);
    this.#names = new Topics(settings['group-id'], settings['node-id']);
    this.#host = settings['primary-host-id'] ? new PrimaryHost(settings['primary-host-id']) : undefined;
    this.#handOver = pairId === undefined ? undefined : new HandOverTopics(pairId);
    const handOver = this.#handOver === undefined ? [] : [this.#handOver.allData];
    this.topics = [...subscribedTopics(settings), ...handOver];
    const clashes = new LimitedLog(clock);
    const naming = {
      path: settings['group-path'],
      all: settings['report-all'],
      aliases: settings.alias ? new Aliases() : undefined,
      onClash: (device: string, name: string): void => {
        clashes.add((others) =>
          log.warn(
            `Two tags of the driver ${device} want the metric name ${name} at the node ${node}, or names that differ in case alone. ` +
              `Set "group-path", or rename one of them.${others}`,
          ),
        );
      },
    };
    const queue = {
      send: (key: string, metrics: Buffer, of?: MessageOrigin) => this.sender?.send(key, metrics, of),
      backlog: () => this.spool?.backlog ?? 0,
      last: () => this.spool?.last ?? 0,
    };
    this.#node = new EdgeNode(context, this.#names, naming, queue, settings['rebirth-debounce']);
    this.#commands = new Commands(
      context,
      (device, id) => this.#node.target(device, id),
      () => this.#requestBirths(),
    );
  }

  protected async open(): Promise<void> {
    this.#clientId = await this.clientId();
    await this.connect(this, (record, backlog) => this.#node.encode(record, backlog));
  }

  async tail(): Promise<void> {
    // Without a pair there is no gateway to hand data over to.
    if (this.#handOver !== undefined) await handOver(this.context, await this.clientId(), this.#handOver);
  }

  subscriptionsChanged(all: readonly Subscription[]): void {
    this.#node.subscriptionsChanged(all);
  }

  protected override shownAs(topic: string, payload: Buffer): ShownMessage {
    const device = this.#names.deviceOf(topic);
    const text = explain(payload, (id) => (device === undefined ? undefined : this.#node.target(device, id)));
    return { topic, data: payload, text };
  }

  driversChanged(states: readonly DriverState[]): void {
    this.#node.driversChanged(states);
  }

  deliver(sample: Sample, subscription: Subscription): Promise<void> | undefined {
    return this.#node.deliver(sample, subscription);
  }

  broker(): Broker {
    this.#host?.forget();
    return {
      ...brokerOf(this.context.settings, this.#clientId),
      qos: 0,
      confirmsByPing: true,
      // Every CONNECT has a new number, which its will and its births contain; an attempt that sends none has none.
      will: async () => {
        this.#bdSeq = await this.#bdSeqs.next();
        return { topic: this.#names.node('NDEATH'), payload: this.#death(), qos: 1 };
      },
    };
  }

  async opened(connection: Connection, signal: AbortSignal): Promise<void> {
    const host = this.#host;
    if (host !== undefined && !host.isOnline) {
      const reason = `The broker is there, and the primary host ${host.id} is not: data waits until it is online.`;
      this.context.link(LinkState.CONNECTING, { reason, step: 'first answer' });
      await host.online(signal);
    }
    this.#connection = connection;
    this.#publishBirths();
  }

  closed(): void {
    this.#end();
  }

  async closing(connection: Connection): Promise<void> {
    this.#end();
    const { promise, resolve } = Promise.withResolvers<void>();
    using _late = this.context.clock.timer(deathTimeout, resolve);
    connection.publish(this.#names.node('NDEATH'), this.#death(), () => resolve(), 1);
    await Promise.race([promise, connection.closed]);
  }

  readonly received = (topic: string, payload: Buffer, retained: boolean): void => {
    if (this.shown.areWanted) this.shown.show('received', this.shownAs(topic, payload));
    const host = this.#host;
    if (host !== undefined && topic === Topics.state(host.id)) return this.#hostChanged(host, payload);
    const handedOver = this.#handOver?.handedOver(topic);
    if (handedOver !== undefined) {
      if (!retained) void this.#takeOver(handedOver, payload);
      return;
    }
    const device = this.#names.commandedDevice(topic);
    if (device !== undefined || topic === this.#names.node('NCMD'))
      this.#commands.take(device, payload, retained);
  };

  /** Without a confirmation the standby gateway sends the data again. */
  async #takeOver({ number, device }: HandedOver, metrics: Buffer): Promise<void> {
    if (this.#connection === undefined || this.#handOver === undefined) return;
    await this.#node.takeOver(device, Buffer.from(metrics));
    this.#connection?.publish(this.#handOver.done(number), Buffer.alloc(0), undefined, 1);
  }

  #hostChanged(host: PrimaryHost, payload: Buffer): void {
    const { log, node } = this.context;
    if (!host.takeState(payload))
      log.warn(`The primary host ${host.id} of the node ${node} sent a STATE message that is not valid.`);
    // A connection that still waits for the host has sent no births, so it can stay.
    if (host.isOnline || this.#connection === undefined) return;
    void this.link?.reconnect(`The primary host ${host.id} is offline.`);
  }

  #death(): Buffer {
    const now = this.context.clock.now();
    return payloadOf([bdSeqMetric(this.#bdSeq, now)], now);
  }

  #publishBirths(): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    const publish: Publish = (topic, payload, confirmed) => {
      this.context.count('send_msgs_total', 1);
      this.context.count('send_bytes', payload.length);
      if (this.shown.areWanted) this.shown.show('sent', this.shownAs(topic, payload));
      connection.publish(topic, payload, confirmed, 0);
    };
    this.#bornAt = this.context.clock.monotonic();
    this.#node.begin(publish, this.#bdSeq);
  }

  /** A host asks for all births: they are sent at once, or after the debounce time. Until then no data is sent. */
  #requestBirths(): void {
    if (this.#connection === undefined || this.#rebirthTimer !== undefined) return;
    const { clock, settings } = this.context;
    const wait = this.#bornAt + settings['rebirth-debounce'] - clock.monotonic();
    if (wait <= 0) return this.#publishBirths();
    this.sender?.hold();
    this.#rebirthTimer = clock.timer(wait, () => {
      this.#rebirthTimer = undefined;
      this.#publishBirths();
      this.sender?.resume();
    });
  }

  #end(): void {
    this.#rebirthTimer?.[Symbol.dispose]();
    this.#rebirthTimer = undefined;
    this.#connection = undefined;
    this.sender?.detach();
    this.sender?.resume();
    this.#node.end();
  }
}
