import type { Subscription } from '@tagway/sdk';
import { NarrowRows, narrowKey } from './narrow-rows.ts';
import { hasOneTable, type Settings, tableNamer, tableRights } from './settings.ts';
import { Table } from './table.ts';
import { WideRows, wideKey } from './wide-rows.ts';

/** The tables of a node, each made when there is something for it. */
export class Tables {
  readonly #settings: Settings;
  readonly #nameOf: ReturnType<typeof tableNamer>;
  readonly #byName = new Map<string, Table>();
  /** Names of the tables of the groups that there are; undefined before they are known. */
  #kept: ReadonlySet<string> | undefined;

  constructor(settings: Settings, app: string) {
    this.#settings = settings;
    this.#nameOf = tableNamer(settings, app);
  }

  /** The one that all groups have, if they have the same. */
  get shared(): Table | undefined {
    return hasOneTable(this.#settings) ? this.of('', '') : undefined;
  }

  of(driver: string, group: string): Table {
    const name = this.#nameOf({ driver, group });
    let table = this.#byName.get(name);
    if (table === undefined) {
      const { schema, form, value_time } = this.#settings;
      const ofDevice = value_time === 1;
      const rights = tableRights(this.#settings);
      table =
        form === 0
          ? new Table(schema, name, narrowKey, new NarrowRows(ofDevice), rights)
          : new Table(schema, name, wideKey, new WideRows(ofDevice), rights);
      this.#byName.set(name, table);
    }
    return table;
  }

  /** There is a new connection: each may be another one. */
  forget(): void {
    for (const table of this.#byName.values()) table.forget();
  }

  /** Drops all but those of these groups. */
  keep(groups: readonly Pick<Subscription, 'driver' | 'group'>[]): void {
    this.#kept = new Set(groups.map((group) => this.#nameOf(group)));
    this.dropGone();
  }

  /** Drops those of groups that are gone: what still waited of them has made them again. Whether there were any. */
  dropGone(): boolean {
    if (this.#kept === undefined) return false;
    let hasDropped = false;
    for (const name of this.#byName.keys()) if (!this.#kept.has(name)) hasDropped = this.#byName.delete(name);
    return hasDropped;
  }
}
