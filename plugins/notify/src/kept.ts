import type { NodeStore } from '@tagway/sdk';

/** Texts by key that both gateways of a pair have. Changes are gathered: one write is under way at a time. */
export class Kept {
  readonly #store: NodeStore;
  readonly #texts: Map<string, string>;
  #changed = new Map<string, string | undefined>();
  #bytes = 0;
  #writing: Promise<void> | undefined;

  private constructor(store: NodeStore, texts: ReadonlyMap<string, string>) {
    this.#store = store;
    this.#texts = new Map(texts);
    for (const [key, text] of texts) this.#bytes += sizeOf(key, text);
  }

  static async open(store: NodeStore): Promise<Kept> {
    return new Kept(store, await store.read());
  }

  get(key: string): string | undefined {
    return this.#texts.get(key);
  }

  /** Those whose keys begin so, in the order of the keys. */
  entries(prefix: string): [key: string, text: string][] {
    return [...this.#texts].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Whether there is room for what could be left out: the rest is for messages that are on their way. */
  get hasRoom(): boolean {
    return this.#bytes < mostBytes.leavable;
  }

  /** Whether something was set that is not being stored. */
  get isChanged(): boolean {
    return this.#changed.size > 0;
  }

  /** Undefined deletes it. */
  set(key: string, text: string | undefined): void {
    const before = this.#texts.get(key);
    if (before === text) return;
    this.#bytes += sizeOf(key, text) - sizeOf(key, before);
    // What was set last is stored last, when it takes more than one write.
    this.#changed.delete(key);
    if (text === undefined) this.#texts.delete(key);
    else this.#texts.set(key, text);
    this.#changed.set(key, text);
  }

  /** Resolves when everything that was set before is stored. Rejects when it cannot be stored now; it goes with the next call then. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing.catch(() => undefined);
    if (this.#changed.size === 0) return;
    this.#writing = this.#write();
    try {
      await this.#writing;
    } finally {
      this.#writing = undefined;
    }
    await this.flush();
  }

  async #write(): Promise<void> {
    const part = new Map<string, string | undefined>();
    let bytes = 0;
    for (const [key, text] of this.#changed) {
      bytes += Buffer.byteLength(key) + Buffer.byteLength(text ?? '');
      if (bytes > mostBytes.write && part.size > 0) break;
      part.set(key, text);
      this.#changed.delete(key);
    }
    try {
      await this.#store.write(part);
    } catch (error) {
      // What was set meanwhile is newer.
      this.#changed = new Map([...part, ...this.#changed]);
      throw error;
    }
  }
}

/** Below what the gateway takes in one call, and of a node. */
const mostBytes = { write: 900_000, leavable: 4_000_000 } as const;

function sizeOf(key: string, text: string | undefined): number {
  return text === undefined ? 0 : Buffer.byteLength(key) + Buffer.byteLength(text);
}
