import { writerOf } from '@tagway/sdk/json';
import type { Layout } from '@tagway/sdk';
import type { GroupReading } from '../../core/model.ts';
import { changedColumns } from '../../core/tags/changed-columns.ts';

/** Some tags of a group that a viewer wants. */
export class TagSelection {
  /** The same for the same tags. */
  readonly key: string;
  readonly tags: ReadonlySet<string>;
  #layout: Layout | undefined;
  #columns: readonly number[] = [];

  constructor(tags: readonly string[]) {
    this.tags = new Set(tags);
    this.key = JSON.stringify([...this.tags].toSorted());
  }

  /** Looked for once in a layout: a viewer wants some tens of what may be fifty thousand. */
  columnsIn(layout: Layout): readonly number[] {
    if (this.#layout !== layout) {
      this.#layout = layout;
      this.#columns = layout.columns.flatMap(({ name }, column) => (this.tags.has(name) ? [column] : []));
    }
    return this.#columns;
  }
}

interface Made {
  /** The sample that a viewer has seen before. */
  readonly from: GroupReading['sample'] | undefined;
  readonly event: Buffer | undefined;
}

/**
 * The events with the values of one group. Viewers that were sent the same sample before and want the same tags share the bytes of the next
 * event, so that a change is printed once for any number of viewers.
 */
export class GroupValues {
  readonly #node: string;
  readonly #group: string;
  /** The sample that all of `#made` leads to. */
  #to: GroupReading['sample'] | undefined;
  /** By the key of what is wanted; the empty text stands for all tags. */
  readonly #made = new Map<string, Made>();

  constructor(node: string, group: string) {
    this.#node = node;
    this.#group = group;
  }

  /**
   * The event with a reading for a viewer that has seen `seen`: what has changed since, undefined when nothing has. For a viewer that
   * has seen nothing, or another layout, everything. With `wanted`, of these tags alone.
   */
  event(reading: GroupReading, seen: GroupReading | undefined, wanted?: TagSelection): Buffer | undefined {
    if (this.#to !== reading.sample) {
      this.#to = reading.sample;
      this.#made.clear();
    }
    const from = seen?.layout === reading.layout ? seen : undefined;
    const key = wanted?.key ?? '';
    const made = this.#made.get(key);
    if (made !== undefined && made.from === from?.sample) return made.event;
    const event = this.#make(reading, from, wanted);
    this.#made.set(key, { from: from?.sample, event });
    return event;
  }

  #make(reading: GroupReading, from: GroupReading | undefined, wanted?: TagSelection): Buffer | undefined {
    const { sample, since } = reading;
    const { layout } = sample;
    const among = wanted?.columnsIn(layout);
    const columns =
      from === undefined ? (among ?? [...layout.columns.keys()]) : changedColumns(from, reading, among);
    if (columns.length === 0 && from !== undefined) return undefined;
    const head = JSON.stringify({ node: this.#node, group: this.#group }).slice(0, -1);
    const full = from === undefined ? ',"full":true' : '';
    return Buffer.concat([
      Buffer.from(`event: values\ndata: ${head},"time":${sample.timestamp}${full},"tags":`),
      writerOf(layout).records(sample, { columns, messages: true, ...(since && { since }) }),
      Buffer.from('}\n\n'),
    ]);
  }
}
