import type { Context } from '@tagway/sdk';
import type { CalculatedTag } from './calculated-tag.ts';

/** Hours after which what no tag has asked for is forgotten: groups that are read rarely come late. */
const forgottenAfter = 24 * 3_600_000;

/** Most characters of one write to the store. */
const writeMost = 500_000;

/** Key of a tag in the store of the node: its number, which outlives its names. */
const keyOf = (id: number): string => `t${id}`;

/**
 * The totals and counts of a node, by tag: what was kept by an earlier run, and what tags of this run have. Between two moments at which
 * they are saved, what is new is in memory alone.
 */
export class KeptStates {
  readonly #context: Pick<Context, 'store' | 'log' | 'clock'>;
  /** What is in the store. */
  #kept = new Map<string, string>();
  /** The tags of this run by their number, also those of groups that have changed since. */
  readonly #tags = new Map<number, CalculatedTag>();
  #began = 0;
  #saving: Promise<void> = Promise.resolve();
  #hasFailed = false;

  constructor(context: Pick<Context, 'store' | 'log' | 'clock'>) {
    this.#context = context;
  }

  /** Rejects when the store cannot be read: without it every total would begin anew. */
  async open(): Promise<void> {
    this.#kept = new Map(await this.#context.store.read());
    this.#began = this.#context.clock.monotonic();
  }

  /** A tag of a group that is new or has changed: goes on where it was, in this run or in an earlier one. */
  take(tag: CalculatedTag): void {
    const { id } = tag.point;
    if (id === undefined) return;
    const earlier = this.#tags.get(id);
    const kept = this.#kept.get(keyOf(id));
    // What is kept waits for inputs that have no type yet; the rest of a state does not.
    const text = earlier?.expression.save() ?? kept;
    if (text !== undefined) tag.expression.load(text);
    if (earlier !== undefined) tag.expression.adopt(earlier.expression);
    tag.isUnsaved = earlier?.isUnsaved ?? false;
    this.#tags.set(id, tag);
  }

  /** The tag that is calculated now, by its number. */
  tag(id: number | undefined): CalculatedTag | undefined {
    return id === undefined ? undefined : this.#tags.get(id);
  }

  /** A running tag with this address. */
  withAddress(address: string): CalculatedTag | undefined {
    for (const tag of this.#tags.values()) if (tag.point.address === address) return tag;
    return undefined;
  }

  /** Saves what is new. Never rejects: what could not be saved is tried again the next time. */
  save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#save());
    return this.#saving;
  }

  async #save(): Promise<void> {
    const entries = this.#fresh();
    try {
      for (const part of partsOf(entries)) {
        await this.#context.store.write(part);
        for (const [key, text] of part)
          if (text === undefined) this.#kept.delete(key);
          else this.#kept.set(key, text);
      }
      if (this.#hasFailed) this.#context.log.notice('Totals and counts are saved again.');
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed)
        this.#context.log.error(
          'Totals and counts could not be saved: a gateway that ends now would go on with those that were saved before. It is tried again.',
          { error },
        );
      this.#hasFailed = true;
    }
  }

  /** What differs from the store. */
  #fresh(): (readonly [key: string, text: string | undefined])[] {
    const entries: (readonly [key: string, text: string | undefined])[] = [];
    for (const [id, tag] of this.#tags) {
      if (!tag.isUnsaved && !this.#hasFailed) continue;
      tag.isUnsaved = false;
      const text = tag.expression.save();
      const key = keyOf(id);
      if (text !== this.#kept.get(key)) entries.push([key, text]);
    }
    if (this.#context.clock.monotonic() - this.#began > forgottenAfter)
      for (const key of this.#kept.keys())
        if (!this.#tags.has(Number(key.slice(1)))) entries.push([key, undefined]);
    return entries;
  }
}

/** Entries in portions that one write takes. */
function* partsOf<Entry extends readonly [string, string | undefined]>(
  entries: readonly Entry[],
): Generator<Entry[]> {
  let part: Entry[] = [];
  let size = 0;
  for (const entry of entries) {
    const [key, text = ''] = entry;
    if (size + key.length + text.length > writeMost && part.length > 0) {
      yield part;
      part = [];
      size = 0;
    }
    part.push(entry);
    size += key.length + text.length;
  }
  if (part.length > 0) yield part;
}
