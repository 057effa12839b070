import type { App, AppContext, Sample, Subscription } from '@tagway/sdk';
import { Forwarder } from './forwarder.ts';
import type { StoreSettings } from './settings.ts';
import type { Store } from './store.ts';

/** What the apps for stores have in common: one run of a node, which makes records of samples and forwards them to its store. */
export abstract class StoreApp<
  Settings extends StoreSettings,
  Params = Record<string, unknown>,
> implements App<Params> {
  protected readonly context: AppContext<Settings>;
  #forwarder: Forwarder | undefined;
  #opening: Promise<void> | undefined;

  constructor(context: AppContext<Settings>) {
    this.context = context;
  }

  async start(): Promise<void> {
    this.#forwarder = new Forwarder(this.context, this.store());
    this.#opening = this.#forwarder.open();
    await this.#opening;
  }

  async tail(): Promise<void> {
    this.#forwarder = new Forwarder(this.context, this.store());
    this.#opening = this.#forwarder.tail();
    await this.#opening;
  }

  /** Every subscription goes to the same store; an app that prepares something for each does it here. */
  subscriptionsChanged(_all: readonly Subscription<Params>[]): void {}

  deliver(sample: Sample, subscription: Subscription<Params>): Promise<void> | undefined {
    const forwarder = this.#forwarder;
    if (forwarder === undefined) return undefined;
    for (const record of this.encode(sample, subscription)) forwarder.push(record, subscription);
    return forwarder.drained;
  }

  async stop(): Promise<void> {
    await this.#opening?.catch(() => undefined);
    await this.#forwarder?.stop();
  }

  /** The store of this run. It opens nothing. */
  protected abstract store(): Store;

  /** The records of a sample, finished: none when nothing is due, several where one would be larger than a batch. */
  protected abstract encode(sample: Sample, subscription: Subscription<Params>): readonly Uint8Array[];
}
