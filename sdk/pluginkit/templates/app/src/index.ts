import { join } from 'node:path';
import { app, ErrorCode, Fault, LinkState } from '@tagway/sdk';
import type { App, AppContext, Sample } from '@tagway/sdk';
import { writerOf } from '@tagway/sdk/json';
import { Spool } from '@tagway/sdk/spool';
import { Client, Refusal } from './client.ts';
import type { Settings } from './settings.ts';

/** Bytes that may wait for the server. When both are full the oldest samples are dropped. */
const room = { memory: 4_000_000, disk: 100_000_000 };

/** Milliseconds between two attempts while the server does not take samples. */
const pause = 1000;

/** Posts samples one after the other, the oldest first. Each is kept, over restarts too, until the server has taken it. */
class Poster implements App {
  readonly #context: AppContext<Settings>;
  readonly #client: Client;
  #opening: Promise<Spool> | undefined;
  #spool: Spool | undefined;
  #posting: Promise<void> | undefined;
  /** Ends the wait for something to post. */
  #wake: () => void = () => undefined;
  #logged = '';

  constructor(context: AppContext<Settings>) {
    this.#context = context;
    this.#client = new Client(context.settings.url, context.settings.timeout);
  }

  async start(): Promise<void> {
    const context = this.#context;
    context.signal.addEventListener('abort', () => this.#wake());
    this.#opening = Spool.open({
      ...room,
      folder: join(context.dataDir, 'spool'),
      onReady: () => this.#wake(),
      onLost: (samples, reason) => {
        context.count('dropped_msgs_total', samples);
        this.#log(`Samples are dropped because ${reason}.`);
      },
      onError: (sentence) => this.#log(sentence),
    });
    this.#spool = await this.#opening;
    context.link(LinkState.CONNECTING, {
      reason: 'Nothing was posted yet: the first sample of a subscribed group is.',
    });
    this.#posting = this.#postAll(this.#spool);
  }

  /** Every subscription goes to the same place, so there is nothing to prepare. */
  subscriptionsChanged(): void {}

  /** Keeps a sample, of events also as several payloads. The promise, if there is one, is pending while the disk is behind. */
  deliver(sample: Sample): Promise<void> | undefined {
    for (const body of writerOf(sample.layout).values(sample, { meta: true })) this.#spool?.push('', body);
    this.#wake();
    return this.#spool?.drained;
  }

  /** The signal of the context has aborted before, so nothing is posted any more; what the server does not have is stored. */
  async stop(): Promise<void> {
    await this.#opening;
    await this.#posting;
    await this.#spool?.close();
    this.#client.close();
  }

  async #postAll(spool: Spool): Promise<void> {
    const context = this.#context;
    while (!context.signal.aborted) {
      const record = spool.take();
      context.gauge('cached_msgs', spool.waiting);
      if (record === undefined) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
      } else if (await this.#post(record.data)) {
        spool.connected();
        spool.acknowledge(record);
      } else {
        // The record waits again, before those that came after it.
        spool.disconnected();
        await context.clock.sleep(pause, context.signal).catch(() => undefined);
      }
    }
  }

  /** Whether the server has the sample, or will never take it. */
  async #post(body: Uint8Array): Promise<boolean> {
    const context = this.#context;
    try {
      await this.#client.post(body, context.signal);
      context.count('send_bytes', body.length);
      context.count('send_msgs_total', 1);
      context.link(LinkState.CONNECTED);
      this.#logged = '';
      return true;
    } catch (error) {
      if (context.signal.aborted) return false;
      const reason = error instanceof Error ? error.message : String(error);
      context.count('send_msg_errors_total', 1);
      if (error instanceof Refusal) {
        context.count('dropped_msgs_total', 1);
        this.#log(`A sample is given up: ${reason}`);
        return true;
      }
      // Operators see the reason beside the state of the link, so there is nothing to log.
      context.link(LinkState.DISCONNECTED, {
        reason: `${context.settings.url} does not take samples: ${reason}`,
      });
      return false;
    }
  }

  /** Logs a sentence, but not the same one again and again. */
  #log(sentence: string): void {
    if (sentence === this.#logged) return;
    this.#logged = sentence;
    this.#context.log.warn(sentence);
  }
}

export default app<Settings>({
  create: (context) => new Poster(context),
  checkSettings: ({ url }) =>
    URL.canParse(url)
      ? undefined
      : new Fault(ErrorCode.NODE_SETTING_INVALID, `The setting "url" is not a URL: ${url}`),
});
