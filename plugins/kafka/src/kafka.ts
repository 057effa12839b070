import type { AppContext, Sample } from '@tagway/sdk';
import { type Store, StoreApp } from '@tagway/store';
import { Cluster } from './cluster.ts';
import { Records } from './records.ts';
import type { Settings } from './settings.ts';

/** One run of a Kafka node. */
export class KafkaApp extends StoreApp<Settings> {
  readonly #records: Records;

  constructor(context: AppContext<Settings>) {
    super(context);
    this.#records = new Records(context.node, context.settings);
  }

  protected store(): Store {
    return new Cluster(this.context.settings, this.context.clock);
  }

  protected encode(sample: Sample): readonly Uint8Array[] {
    return this.#records.of(sample);
  }
}
