import type { Held, Holder, Lease } from './ports.ts';

/** The lease of a gateway without a pair: nobody else wants it. */
export class SoleLease implements Lease {
  #holder: (Holder & Held) | undefined;
  #fence = 0;

  async take(holder: Holder): Promise<Held | undefined> {
    if (this.#holder !== undefined) return undefined;
    this.#holder = { ...holder, fence: String(++this.#fence) };
    return { fence: this.#holder.fence };
  }

  async renew(): Promise<boolean> {
    return this.#holder !== undefined;
  }

  async release(): Promise<void> {
    this.#holder = undefined;
  }

  async holder(): Promise<(Holder & Held) | undefined> {
    return this.#holder;
  }
}
