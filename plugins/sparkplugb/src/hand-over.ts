import { brokerOf, cacheInterval, type Connection, Link, openCache, tailOf } from '@tagway/broker';
import type { AppContext } from '@tagway/sdk';
import type { SpoolRecord } from '@tagway/sdk/spool';
import type { Settings } from './settings.ts';

/** Milliseconds after which what the active gateway has not confirmed is sent again. */
const resendAfter = 5000;

/** Milliseconds between two looks for a connection, or for a record that is still being read. */
const lookInterval = 100;

/** Room for topic and properties in a broker's limit on packets, in bytes. */
const packetMargin = 1024;

/** Data of an earlier run on its way from the standby gateway of a pair to the active one. */
export interface HandedOver {
  readonly number: number;
  readonly device: string;
}

/** The topics by which the standby of a pair hands data over, and the active gateway confirms that it has it. */
export class HandOverTopics {
  readonly #data: string;
  readonly #done: string;

  constructor(pairId: string) {
    this.#data = `tagway/tail/${pairId}/data/`;
    this.#done = `tagway/tail/${pairId}/done/`;
  }

  get allData(): string {
    return `${this.#data}#`;
  }

  get allDone(): string {
    return `${this.#done}+`;
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
 * Hands what the cache of an earlier run holds to the active gateway of the pair, over the broker: there is one session of an edge node, and
 * that is the active gateway's. One record at a time, which is done when the active gateway says that it has it. Resolves when nothing is
 * left, without a connection when there was nothing, and when the context's signal aborts; what is left then stays in the cache.
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
    const broker = { ...brokerOf(settings, tailOf(clientId)), qos: 1 as const, will: undefined };
    const outlet = new Outlet(context, topics);
    const link = new Link(
      context,
      {
        ...{ topics: [topics.allDone], subscribeQos: 1, broker: () => broker },
        received: (topic) => outlet.confirmed(topic),
        // Nothing is sent before its confirmation would be heard.
        opened: () => undefined,
      },
      outlet,
    );
    link.start();
    while (!signal.aborted && spool.backlog > 0) {
      const record = spool.takeBacklog();
      const isDone = record !== undefined && (await outlet.deliver(record));
      if (isDone) spool.acknowledge(record);
      const pause = record === undefined ? lookInterval : cacheInterval(settings);
      await clock.sleep(pause, signal).catch(() => undefined);
    }
    await link.stop();
  } finally {
    await spool.close();
  }
}

/** Sends one record at a time over the connection of the moment, until it is confirmed. */
class Outlet {
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

  /** False: the run ends, and the record was not confirmed. */
  async deliver({ sequence: number, key: device, data }: SpoolRecord): Promise<boolean> {
    const context = this.#context;
    const { clock, signal } = context;
    const payload = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    while (!signal.aborted) {
      const connection = this.#connection;
      if (connection === undefined) {
        await clock.sleep(lookInterval, signal).catch(() => undefined);
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
