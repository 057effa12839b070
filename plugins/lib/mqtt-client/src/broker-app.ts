import type { AppContext } from '@tagway/sdk';
import type { Spool } from '@tagway/sdk/spool';
import { BrokerLink, type BrokerClient } from './broker-link.ts';
import { ownClientId } from './client-id.ts';
import { openCache } from './offline-cache.ts';
import { type ShownMessage, ShownMessages } from '@tagway/store/messages';
import { Sender, type Encode } from './sender.ts';
import { cacheInterval, type BrokerSettings } from './settings.ts';

/** Milliseconds that `stop` waits for the broker to confirm messages. */
const flushTimeout = 1000;

/** What the apps on a broker have in common: one run of a node with its cache, its sender and its link. */
export abstract class BrokerApp<Settings extends BrokerSettings> {
  protected readonly context: AppContext<Settings>;
  protected spool: Spool | undefined;
  protected sender: Sender | undefined;
  protected link: BrokerLink | undefined;
  protected readonly shown: ShownMessages;
  /** What goes on until the run ends and may still send. */
  protected sending: Promise<void> | undefined;
  #starting: Promise<void> | undefined;

  constructor(context: AppContext<Settings>) {
    this.context = context;
    const { host, port } = context.settings;
    this.shown = new ShownMessages(`${host}:${port}`);
  }

  async start(): Promise<void> {
    this.#starting = this.open();
    await this.#starting;
  }

  async stop(): Promise<void> {
    // A start that has not ended yet opens more, which is closed too.
    await this.#starting?.catch(() => undefined);
    await this.sender?.flush(flushTimeout);
    await this.link?.stop();
    await this.sending;
    await this.spool?.close();
  }

  /** Prepares the run, and connects. */
  protected abstract open(): Promise<void>;

  /** Opens the cache and begins to connect. */
  protected async connect(client: BrokerClient, encode?: Encode): Promise<void> {
    const context: AppContext<BrokerSettings> = this.context;
    this.spool = await openCache(context, () => this.sender?.pump());
    this.context.messages?.(this.shown);
    this.sender = new Sender(context, this.spool, cacheInterval(context.settings), encode, {
      messages: this.shown,
      of: (topic, payload) => this.shownAs(topic, payload),
    });
    this.link = new BrokerLink(context, client, this.sender);
    this.link.start();
  }

  /** A message as people see it who look at those of the node. */
  protected shownAs(topic: string, payload: Buffer): ShownMessage {
    return { topic, data: payload };
  }

  /** The client id of the settings, or the one of the node. */
  protected async clientId(): Promise<string> {
    const { settings, dataDir, pairId } = this.context;
    return settings['client-id'] ?? (await ownClientId(dataDir, pairId));
  }
}
