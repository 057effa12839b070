import { type Store, StoreApp } from '@tagway/store';
import type { AppContext, Sample } from '@tagway/sdk';
import { NarrowRows, narrowKey } from './narrow-rows.ts';
import { PostgresqlStore } from './postgresql-store.ts';
import { recordOf, RowSequence } from './record.ts';
import { databaseOf, hasOneTable, type Settings, tableNamer, tableRights } from './settings.ts';
import { Table } from './table.ts';
import { WideRows, wideKey } from './wide-rows.ts';

/** One run of a PostgreSQL node. */
export class PostgresqlApp extends StoreApp<Settings> {
  readonly #sequence: RowSequence;

  constructor(context: AppContext<Settings>) {
    super(context);
    this.#sequence = new RowSequence(context.clock.now());
  }

  protected store(): Store {
    return storeOf(this.context);
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
  const ofDevice = settings.value_time === 1;
  const rights = tableRights(settings);
  const nameOf = tableNamer(settings, node);
  const tables = new Map<string, Table>();
  const tableOf = (driver: string, group: string): Table => {
    const name = nameOf({ driver, group });
    let table = tables.get(name);
    if (table === undefined) {
      table =
        settings.form === 0
          ? new Table(settings.schema, name, narrowKey, new NarrowRows(ofDevice), rights)
          : new Table(settings.schema, name, wideKey, new WideRows(ofDevice), rights);
      tables.set(name, table);
    }
    return table;
  };
  return new PostgresqlStore({
    database: databaseOf(settings, node),
    tableOf,
    ofDevice,
    tables: () => (hasOneTable(settings) ? [tableOf('', '')] : []),
    now: () => clock.monotonic(),
  });
}
