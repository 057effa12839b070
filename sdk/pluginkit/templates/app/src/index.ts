import { app, ErrorCode, Fault, LinkState } from '@tagway/sdk';
import type { App, AppContext, Sample } from '@tagway/sdk';
import { writerOf } from '@tagway/sdk/json';
import { Client } from './client.ts';
import type { Settings } from './settings.ts';

/** Posts each sample on its own. What the server does not take is counted and lost; a later sample holds newer values. */
class Poster implements App {
  readonly #context: AppContext<Settings>;
  readonly #client: Client;

  constructor(context: AppContext<Settings>) {
    this.#context = context;
    this.#client = new Client(context.settings.url, context.settings.timeout);
  }

  /** Nothing to open: the first sample connects. */
  async start(): Promise<void> {
    this.#context.link(LinkState.CONNECTING, {
      reason: 'Nothing was posted yet: the first sample of a subscribed group is.',
    });
  }

  /** Every subscription goes to the same place, so there is nothing to prepare. */
  subscriptionsChanged(): void {}

  /** While this is under way, the runner keeps newer samples, as many as it can hold. A sample of events may make several payloads. */
  async deliver(sample: Sample): Promise<void> {
    for (const body of writerOf(sample.layout).values(sample, { meta: true })) await this.#post(body);
  }

  async stop(): Promise<void> {
    this.#client.close();
  }

  async #post(body: Buffer): Promise<void> {
    const context = this.#context;
    try {
      await this.#client.post(body, context.signal);
      context.count('send_bytes', body.length);
      context.count('send_msgs_total', 1);
      context.link(LinkState.CONNECTED);
    } catch (error) {
      context.count('send_msg_errors_total', 1);
      const reason = error instanceof Error ? error.message : String(error);
      // Operators see the reason beside the state of the link, so there is nothing to log.
      context.link(LinkState.DISCONNECTED, {
        reason: `${context.settings.url} does not take samples: ${reason}`,
      });
    }
  }
}

export default app<Settings>({
  create: (context) => new Poster(context),
  checkSettings: ({ url }) =>
    URL.canParse(url)
      ? undefined
      : new Fault(ErrorCode.NODE_SETTING_INVALID, `The setting "url" is not a URL: ${url}`),
});
