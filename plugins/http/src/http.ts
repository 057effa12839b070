import type { AppContext, Sample } from '@tagway/sdk';
import { type Store, StoreApp } from '@tagway/store';
import { Samples } from './samples.ts';
import { Server } from './server.ts';
import type { Settings } from './settings.ts';

/** One run of an HTTP node. */
export class HttpApp extends StoreApp<Settings> {
  readonly #samples: Samples;

  constructor(context: AppContext<Settings>) {
    super(context);
    this.#samples = new Samples(context.node, context.settings);
  }

  protected store(): Store {
    return new Server(this.context.settings, this.context.clock);
  }

  protected encode(sample: Sample): readonly Uint8Array[] {
    return this.#samples.of(sample);
  }
}
