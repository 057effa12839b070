import { hash } from 'node:crypto';

/** Bytes of an alias: few enough for a number, so many that two metrics of one node hardly ever want the same. */
const size = 6;

/**
 * Numbers for the metrics of an edge node. They are made of the names, so that a metric has the same alias after a restart: what was
 * stored before is then still understood. Where two want the same, the later one gets the next.
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
