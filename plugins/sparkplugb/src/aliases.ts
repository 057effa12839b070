import { hash } from 'node:crypto';

/** Bytes of an alias: it fits a number, and two metrics of one node rarely have the same hash. */
const size = 6;

/**
 * Aliases of the metrics of an edge node: hashes of their names. A metric has the same alias after a restart, so that stored data stays valid.
 * When two names have the same hash, the later one gets the next free number.
 */
export class Aliases {
  /** Device of each alias. */
  readonly #taken = new Map<number, string>();

  of(device: string, names: readonly string[]): number[] {
    return names.map((name) => {
      let alias = hash('sha1', `${device}/${name}`, 'buffer').readUIntBE(0, size);
      while (this.#taken.has(alias)) alias++;
      this.#taken.set(alias, device);
      return alias;
    });
  }

  forget(device: string): void {
    for (const [alias, owner] of this.#taken) if (owner === device) this.#taken.delete(alias);
  }
}
