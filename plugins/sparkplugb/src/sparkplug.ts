import {
  brokerOf,
  cacheInterval,
  Link,
  openCache,
  ownClientId,
  RateLimit,
  Sender,
  type Broker,
  type Connection,
  type Session,
} from '@tagway/broker';
import { LinkState } from '@tagway/sdk';
import type { App, AppContext, DriverState, Sample, Subscription } from '@tagway/sdk';
import type { Spool } from '@tagway/sdk/spool';
import { Aliases } from './aliases.ts';
import { BdSeq } from './bd-seq.ts';
import { Commands } from './commands.ts';
import { EdgeNode, type Publish } from './edge-node.ts';
import { handOver, type HandedOver, HandOverTopics } from './hand-over.ts';
import { Topics } from './names.ts';
import { bdSeqMetric, payloadOf } from './payload.ts';
import { PrimaryHost } from './primary-host.ts';
import type { Settings } from './settings.ts';

/** Milliseconds that the end of a run waits for messages to be confirmed. */
const flushTimeout = 1000;

/** Milliseconds that the broker has for the confirmation of a death. */
const deathTimeout = 500;

/** One run of a Sparkplug node. */
export class SparkplugApp implements App, Session {
  readonly subscribeQos = 1;
  readonly topics: readonly string[];
  readonly #context: AppContext<Settings>;
  readonly #names: Topics;
  readonly #host: PrimaryHost | undefined;
  readonly #commands: Commands;
  readonly #bdSeqs: BdSeq;
  /** In a pair of gateways. */
  readonly #handOver: HandOverTopics | undefined;
  readonly #node: EdgeNode;
  #starting: Promise<void> | undefined;
  #spool: Spool | undefined;
  #sender: Sender | undefined;
  #link: Link | undefined;
  #bdSeq = 0;
  /** The connection, once births were sent over it. */
  #connection: Connection | undefined;
  #bornAt = -Infinity;
  #rebirth: Disposable | undefined;
  #clientId = '';

  constructor(context: AppContext<Settings>) {
    const { settings, node, log, clock, pairId } = context;
    this.#context = context;
    this.#bdSeqs = new BdSeq(context);
    this.#names = new Topics(settings['group-id'], settings['node-id']);
    this.#host = settings['primary-host-id'] ? new PrimaryHost(settings['primary-host-id']) : undefined;
    const host = this.#host === undefined ? [] : [Topics.state(this.#host.id)];
    this.#handOver = pairId === undefined ? undefined : new HandOverTopics(pairId);
    const handOver = this.#handOver === undefined ? [] : [this.#handOver.allData];
    this.topics = [this.#names.node('NCMD'), this.#names.deviceCommands, ...host, ...handOver];
    const clashes = new RateLimit(clock);
    const naming = {
      path: settings['group-path'],
      all: settings['report-all'],
      aliases: settings.alias ? new Aliases() : undefined,
      clashed: (device: string, name: string): void => {
        const times = clashes.add();
        if (times > 0)
          log.warn(
            `Two tags of the driver ${device} want the metric name ${name} at the node ${node}, or names that differ in case alone. ` +
              `Set "group-path", or rename one of them. ${times} since the last such line.`,
          );
      },
    };
    const queue = {
      send: (key: string, metrics: Buffer) => this.#sender?.send(key, metrics),
      backlog: () => this.#spool?.backlog ?? 0,
      last: () => this.#spool?.last ?? 0,
    };
    this.#node = new EdgeNode(context, this.#names, naming, queue, settings['rebirth-debounce']);
    this.#commands = new Commands(
      context,
      (device, id) => this.#node.target(device, id),
      () => this.#bearAgain(),
    );
  }

  async start(): Promise<void> {
    this.#starting = this.#start();
    await this.#starting;
  }

  async #start(): Promise<void> {
    const { settings } = this.#context;
    this.#clientId = await this.#ownClientId();
    this.#spool = await openCache(this.#context, () => this.#sender?.pump());
    this.#sender = new Sender(this.#context, this.#spool, cacheInterval(settings), (record, backlog) =>
      this.#node.encode(record, backlog),
    );
    this.#link = new Link(this.#context, this, this.#sender);
    this.#link.start();
  }

  async tail(): Promise<void> {
    // Without a pair there is nobody to hand anything to.
    if (this.#handOver !== undefined)
      await handOver(this.#context, await this.#ownClientId(), this.#handOver);
  }

  subscriptionsChanged(all: readonly Subscription[]): void {
    this.#node.subscriptionsChanged(all);
  }

  driversChanged(states: readonly DriverState[]): void {
    this.#node.driversChanged(states);
  }

  deliver(sample: Sample, subscription: Subscription): Promise<void> | undefined {
    return this.#node.deliver(sample, subscription);
  }

  async stop(): Promise<void> {
    // What a start that is under way still opens is closed too.
    await this.#starting?.catch(() => undefined);
    await this.#sender?.flush(flushTimeout);
    await this.#link?.stop();
    await this.#spool?.close();
  }

  /** Every CONNECT has a number of its own, in the will as in the births that follow. */
  async broker(): Promise<Broker> {
    this.#bdSeq = await this.#bdSeqs.next();
    this.#host?.forget();
    return {
      ...brokerOf(this.#context.settings, this.#clientId),
      qos: 0,
      proof: true,
      will: { topic: this.#names.node('NDEATH'), payload: this.#death(), qos: 1 },
    };
  }

  async opened(connection: Connection, signal: AbortSignal): Promise<void> {
    const host = this.#host;
    if (host !== undefined && !host.isOnline) {
      const reason = `The broker is there, and the primary host ${host.id} is not: data waits until it is online.`;
      this.#context.link(LinkState.CONNECTING, { reason, step: 'first answer' });
      await host.online(signal);
    }
    this.#connection = connection;
    this.#bear();
  }

  closed(): void {
    this.#end();
  }

  async closing(connection: Connection): Promise<void> {
    this.#end();
    const { promise, resolve } = Promise.withResolvers<void>();
    using _late = this.#context.clock.timer(deathTimeout, resolve);
    connection.publish(this.#names.node('NDEATH'), this.#death(), () => resolve(), 1);
    await Promise.race([promise, connection.closed]);
  }

  readonly received = (topic: string, payload: Buffer, retained: boolean): void => {
    const host = this.#host;
    if (host !== undefined && topic === Topics.state(host.id)) {
      this.#hostChanged(host, payload);
      return;
    }
    const handedOver = this.#handOver?.handedOver(topic);
    if (handedOver !== undefined) {
      if (!retained) void this.#takeOver(handedOver, payload);
      return;
    }
    const device = this.#names.commandedDevice(topic);
    if (device !== undefined || topic === this.#names.node('NCMD'))
      this.#commands.take(device, payload, retained);
  };

  async #ownClientId(): Promise<string> {
    const { settings, dataDir, pairId } = this.#context;
    return settings['client-id'] || (await ownClientId(dataDir, pairId));
  }

  /** What is not confirmed comes again. */
  async #takeOver({ number, device }: HandedOver, metrics: Buffer): Promise<void> {
    if (this.#connection === undefined || this.#handOver === undefined) return;
    await this.#node.takeOver(device, Buffer.from(metrics));
    this.#connection?.publish(this.#handOver.done(number), Buffer.alloc(0), undefined, 1);
  }

  #hostChanged(host: PrimaryHost, payload: Buffer): void {
    const { log, node } = this.#context;
    if (!host.take(payload))
      log.warn(`The primary host ${host.id} of the node ${node} sent a STATE that is none.`);
    // A connection that still waits for the host has said nothing that would have to be taken back.
    if (host.isOnline || this.#connection === undefined) return;
    void this.#link?.leave(`The primary host ${host.id} is offline.`);
  }

  #death(): Buffer {
    const now = this.#context.clock.now();
    return payloadOf([bdSeqMetric(this.#bdSeq, now)], now);
  }

  #bear(): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    const publish: Publish = (topic, payload, proven) => {
      this.#context.count('send_msgs_total', 1);
      this.#context.count('send_bytes', payload.length);
      connection.publish(topic, payload, proven, 0);
    };
    this.#bornAt = this.#context.clock.monotonic();
    this.#node.begin(publish, this.#bdSeq);
  }

  /** A host asks for all births: at once, but not more often than is good for everybody else. Until then no data is sent. */
  #bearAgain(): void {
    if (this.#connection === undefined || this.#rebirth !== undefined) return;
    const { clock, settings } = this.#context;
    const wait = this.#bornAt + settings['rebirth-debounce'] - clock.monotonic();
    if (wait <= 0) {
      this.#bear();
      return;
    }
    this.#sender?.hold();
    this.#rebirth = clock.timer(wait, () => {
      this.#rebirth = undefined;
      this.#bear();
      this.#sender?.resume();
    });
  }

  #end(): void {
    this.#rebirth?.[Symbol.dispose]();
    this.#rebirth = undefined;
    this.#connection = undefined;
    this.#sender?.detach();
    this.#sender?.resume();
    this.#node.end();
  }
}
