import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Clock, ConnectionStep } from '@tagway/sdk';
import { Producer, type ProducerOptions } from '@platformatic/kafka';
import {
  type Batch,
  type Loss,
  Refusal,
  sendHalved,
  type ShownMessage,
  type Store,
  tlsOptions,
  Unavailable,
} from '@tagway/store';
import { Tokens } from '@tagway/store/http';
import { dial } from './dial.ts';
import { decodeOutgoing, topicWithKey } from './record.ts';
import { describe, isOfRecords } from './problem.ts';
import { brokersOf, compressions, mechanisms, type Settings } from './settings.ts';

type Messages = Parameters<Producer['send']>[0]['messages'];

const idHeader = Buffer.from('id');

/** A Kafka cluster as the store of an app. */
export class Cluster implements Store {
  readonly name: string;
  readonly #settings: Settings;
  readonly #tokens: Tokens | undefined;
  #producer: Producer | undefined;

  constructor(settings: Settings, clock: Pick<Clock, 'monotonic'>) {
    this.#settings = settings;
    if (mechanisms[settings.sasl] === 'OAUTHBEARER') this.#tokens = Tokens.of(settings, {}, clock);
    this.name = `the Kafka cluster at ${settings.brokers}`;
  }

  async connect(
    signal: AbortSignal,
    onStep: (step: ConnectionStep) => void = () => undefined,
  ): Promise<void> {
    await this.#dialOne(signal, onStep);
    onStep('login');
    // A broker may have refused the token before its end.
    this.#tokens?.forget();
    const producer = new Producer<Buffer, Buffer, Buffer, Buffer>(this.#options());
    this.#producer = producer;
    try {
      await this.#until(signal, producer.metadata({ topics: [] }));
      if (!this.#settings.idempotent) return;
      onStep('rights');
      await this.#until(signal, producer.initIdempotentProducer({}));
    } catch (error) {
      throw describe(error);
    }
  }

  async send({ id, records }: Batch, signal: AbortSignal): Promise<readonly Loss[]> {
    const losses: Loss[] = [];
    const messages: Messages = [];
    for (const [index, { data }] of records.entries()) {
      const record = decodeOutgoing(data);
      if (record === undefined) {
        losses.push({ count: 1, reason: 'a record is not of this version of the plugin.' });
        continue;
      }
      const { topic, key, time, value } = record;
      // The same record has the same id whenever it is sent: a consumer recognises a repetition by it.
      const headers = new Map([[idHeader, Buffer.from(`${id}-${index}`)]]);
      const message = { topic, value, headers, timestamp: BigInt(Math.trunc(time)) };
      messages.push(key === '' ? message : { ...message, key: Buffer.from(key) });
    }
    await sendHalved(
      messages,
      (part) => this.#produce([...part], signal),
      (part, reason) =>
        losses.push({ count: part.length, reason: `of the topic ${part[0]!.topic}: ${reason}` }),
    );
    return losses;
  }

  shown(record: Uint8Array): ShownMessage {
    const outgoing = decodeOutgoing(record);
    if (outgoing === undefined) return { topic: '', data: record };
    return { topic: topicWithKey(outgoing), data: outgoing.value };
  }

  async disconnect(): Promise<void> {
    const producer = this.#producer;
    this.#producer = undefined;
    await producer?.close(true).catch(() => undefined);
    this.#tokens?.close();
  }

  /** Finds a broker that answers; otherwise rejects with what is wrong with the first one. */
  async #dialOne(signal: AbortSignal, onStep: (step: ConnectionStep) => void): Promise<void> {
    const [first = '', ...others] = brokersOf(this.#settings.brokers) ?? [];
    const tls = this.#tls();
    try {
      await dial(first, tls, signal, onStep);
    } catch (error) {
      for (const broker of others) {
        const isThere = await dial(broker, tls, signal).then(
          () => true,
          () => false,
        );
        if (isThere) return;
      }
      throw error;
    }
  }

  #tls(): ConnectionOptions | undefined {
    const settings = this.#settings;
    const { ssl, 'any-certificate': any = false } = settings;
    if (!ssl) return undefined;
    return {
      ...tlsOptions(settings),
      ...(any && settings.ca === undefined && { rejectUnauthorized: false }),
    };
  }

  async #produce(messages: Messages, signal: AbortSignal): Promise<void> {
    const producer = this.#producer;
    if (producer === undefined) throw new Unavailable('There is no connection.');
    try {
      await this.#until(signal, producer.send({ messages, acks: -1 }));
    } catch (error) {
      if (isOfRecords(error)) throw new Refusal(describe(error).message);
      throw describe(error);
    }
  }

  /** Settles with the work, or rejects when the signal aborts; the library has no signals of its own. */
  async #until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(new Unavailable('The attempt was given up.'));
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    work.catch(() => undefined);
    try {
      return await Promise.race([work, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  #options(): ProducerOptions<Buffer, Buffer, Buffer, Buffer> {
    const settings = this.#settings;
    const { username, password, timeout } = settings;
    const tls = this.#tls();
    const tokens = this.#tokens;
    const mechanism = mechanisms[settings.sasl];
    const brokers = brokersOf(settings.brokers) ?? [];
    return {
      clientId: settings['client-id'],
      bootstrapBrokers: [...brokers],
      autocreateTopics: settings.create_topics,
      idempotent: settings.idempotent,
      // Without an id of an earlier producer: the library's own default, 0, is one.
      producerId: -1n,
      producerEpoch: -1,
      acks: -1,
      compression: compressions[settings.compression],
      timeout,
      connectTimeout: timeout,
      requestTimeout: timeout,
      // The node itself tries again. The library takes fewer than two retries of an idempotent producer as retries without an end, which say nothing.
      retries: settings.idempotent ? 2 : 0,
      retryDelay: 20,
      strict: false,
      ...(tls !== undefined && {
        tls,
        // An address is no name of a server.
        tlsServerName: !brokers.every((broker) => isIP(broker.replace(/:\d+$/, '')) !== 0),
      }),
      ...(mechanism !== undefined && {
        sasl: {
          mechanism,
          ...(tokens !== undefined && { token: () => tokens.get(AbortSignal.timeout(timeout)) }),
          ...(username !== undefined && { username }),
          ...(password !== undefined && { password }),
        },
      }),
    };
  }
}
