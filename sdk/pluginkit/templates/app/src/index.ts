import { app, ErrorCode, Fault, LinkState, writerOf } from '@tagway/sdk';
import type { App, AppContext, Route, Sample } from '@tagway/sdk';
import { Client } from './client.ts';
import type { Settings } from './settings.ts';

/** Posts each sample on its own. What the server does not take is counted and lost; a later sample holds newer values. */
class Poster implements App {
  readonly #context: AppContext<Settings>;
  readonly #client: Client;
  #isDown = false;

  constructor(context: AppContext<Settings>) {
    this.#context = context;
    this.#client = new Client(context.settings.url, context.settings.timeout);
  }

  /** Nothing to open: the first sample connects. */
  async start(): Promise<void> {
    this.#context.link(LinkState.CONNECTING);
  }

  /** Every subscription goes to the same place, so there is nothing to prepare. */
  routes(): void {}

  /** While this is under way, the runner keeps newer samples, as many as it can hold. */
  async deliver(sample: Sample, { layout }: Route): Promise<void> {
    const body = writerOf(layout).values(sample);
    if (body === undefined) return;
    const context = this.#context;
    try {
      await this.#client.post(body, context.signal);
      context.count('send_bytes', body.length);
      context.link(LinkState.CONNECTED);
      if (this.#isDown) context.log.notice('The server takes samples again.');
      this.#isDown = false;
    } catch (error) {
      context.count('lost_msgs', 1);
      context.link(LinkState.DISCONNECTED);
      // Once, not with every sample.
      if (!this.#isDown && !context.signal.aborted)
        context.log.warn('The server does not take samples.', { error });
      this.#isDown = true;
    }
  }

  async stop(): Promise<void> {
    this.#client.close();
  }
}

export default app<Settings>({
  create: (context) => new Poster(context),
  checkSettings: ({ url }) =>
    URL.canParse(url) ? undefined : new Fault(ErrorCode.NODE_SETTING_INVALID, `"${url}" is not a URL.`),
});
