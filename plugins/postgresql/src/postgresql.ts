import { type Store, StoreApp } from '@tagway/store';
import type { AppContext, Sample, Subscription } from '@tagway/sdk';
import { PostgresqlStore } from './postgresql-store.ts';
import { recordOf, RowSequence } from './record.ts';
import { databaseOf, type Settings } from './settings.ts';
import { Tables } from './tables.ts';

/** One run of a PostgreSQL node. */
export class PostgresqlApp extends StoreApp<Settings> {
  readonly #sequence: RowSequence;
  #store: PostgresqlStore | undefined;

  constructor(context: AppContext<Settings>) {
    super(context);
    this.#sequence = new RowSequence(context.clock.now());
  }

  override subscriptionsChanged(all: readonly Subscription[]): void {
    this.#store?.keep(all);
  }

  protected store(): Store {
    return (this.#store = storeOf(this.context));
  }

  protected encode(sample: Sample): readonly Uint8Array[] {
    const { form, upload_err: faults } = this.context.settings;
    // A row for each sample has all tags, as long as one of them is to be reported.
    const isDue = sample.due === undefined || sample.due.includes(1);
    if (!isDue) return [];
    const record = recordOf(sample, this.#sequence, { faults: faults && form === 0, all: form === 1 });
    return record === undefined ? [] : [record];
  }
}

/** The database of a node. */
export function storeOf({
  settings,
  node,
  clock,
}: Pick<AppContext<Settings>, 'settings' | 'node'> & {
  readonly clock: Pick<AppContext['clock'], 'monotonic'>;
}): PostgresqlStore {
  return new PostgresqlStore({
    database: databaseOf(settings, node),
    tables: new Tables(settings, node),
    ofDevice: settings.value_time === 1,
    now: () => clock.monotonic(),
  });
}
