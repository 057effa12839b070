import {
  BrokerLink,
  brokerOf,
  cacheInterval,
  type Connection,
  openCache,
  tailClientId,
} from '@tagway/mqtt-client';
import type { AppContext } from '@tagway/sdk';
import type { SpoolRecord } from '@tagway/sdk/spool';
import type { Settings } from './settings.ts';

/** Milliseconds after which what the active gateway has not confirmed is sent again. */
const resendAfter = 5000;

/** Milliseconds between two checks for a connection, or for a record that is still being read. */
const checkInterval = 100;

/** Room for topic and properties in a broker's limit on packets, in bytes. */
const packetMargin = 1024;

/** A record of an earlier run that the standby gateway of a pair hands over to the active one. */
export interface HandedOver {
  readonly number: number;
  readonly device: string;
}

/** The topics by which the standby of a pair hands data over, and by which the active gateway confirms it. */
export class HandOverTopics {
  readonly #data: string;
  readonly #done: string;
  readonly allData: string;
  readonly allDone: string;

  constructor(pairId: string) {
    this.#data = `tagway/tail/${pairId}/data/`;
    this.#done = `tagway/tail/${pairId}/done/`;
    this.allData = `${this.#data}#`;
    this.allDone = `${this.#done}+`;
  }

  data({ number, device }: HandedOver): string {
    return `${this.#data}${number}/${device}`;
  }

  done(number: number): string {
    return `${this.#done}${number}`;
  }

  /** Undefined for other topics. */
  handedOver(topic: string): HandedOver | undefined {
    if (!topic.startsWith(this.#data)) return undefined;
    const [number = '', device = ''] = topic.slice(this.#data.length).split('/');
    return /^\d{1,15}$/.test(number) ? { number: Number(number), device } : undefined;
  }
}

/**
 * Hands the messages that an earlier run left in the cache to the active gateway of the pair, over the broker: only the active gateway has a
 * session of the edge node. It hands over one record at a time, which the active gateway confirms. Resolves when nothing is left, or when the
 * context's signal aborts; what is left then stays in the cache. An empty cache makes no connection.
 */
export async function handOver(
  context: AppContext<Settings>,
  clientId: string,
  topics: HandOverTopics,
): Promise<void> {
  const { clock, settings, signal } = context;
  const spool = await openCache(context, () => undefined);
  try {
    if (spool.backlog === 0) return;
    const broker = { ...brokerOf(settings, tailClientId(clientId)), qos: 1 as const, will: undefined };
    const sender = new HandOverSender(context, topics);
    const link = new BrokerLink(
      context,
      {
        topics: [topics.allDone],
        subscribeQos: 1,
        broker: () => broker,
        received: (topic) => sender.confirmed(topic),
        // With this function nothing is sent before the topic of confirmations is subscribed to.
        opened: () => undefined,
      },
      sender,
    );
    link.start();
    while (!signal.aborted && spool.backlog > 0) {
      const record = spool.takeBacklog();
      const isDone = record !== undefined && (await sender.deliver(record));
      if (isDone) spool.acknowledge(record);
      const pause = record === undefined ? checkInterval : cacheInterval(settings);
      await clock.sleep(pause, signal).catch(() => undefined);
    }
    await link.stop();
  } finally {
    await spool.close();
  }
}

/** Sends one record at a time over the present connection, until it is confirmed. */
class HandOverSender {
  readonly #context: AppContext<Settings>;
  readonly #topics: HandOverTopics;
  #connection: Connection | undefined;
  #awaited: { readonly topic: string; readonly done: () => void } | undefined;

  constructor(context: AppContext<Settings>, topics: HandOverTopics) {
    this.#context = context;
    this.#topics = topics;
  }

  attach(connection: Connection): void {
    this.#connection = connection;
  }

  detach(): void {
    this.#connection = undefined;
  }

  confirmed(topic: string): void {
    if (this.#awaited?.topic === topic) this.#awaited.done();
  }

  /** False when the run ended before the record was confirmed. */
  async deliver({ sequence: number, key: device, data }: SpoolRecord): Promise<boolean> {
    const context = this.#context;
    const { clock, signal } = context;
    const payload = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    while (!signal.aborted) {
      const connection = this.#connection;
      if (connection === undefined) {
        await clock.sleep(checkInterval, signal).catch(() => undefined);
        continue;
      }
      if (payload.length + packetMargin > connection.largest) {
        context.count('dropped_msgs_total', 1);
        return true;
      }
      const answered = new AbortController();
      this.#awaited = { topic: this.#topics.done(number), done: () => answered.abort() };
      context.count('send_msgs_total', 1);
      context.count('send_bytes', payload.length);
      connection.publish(this.#topics.data({ number, device }), payload);
      await clock.sleep(resendAfter, AbortSignal.any([signal, answered.signal])).catch(() => undefined);
      if (answered.signal.aborted) return true;
    }
    return false;
  }
}
