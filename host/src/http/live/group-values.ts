import { writerOf } from '@tagway/sdk/json';
import type { GroupReading } from '../../core/model.ts';
import { changedColumns } from '../../core/tags/changed-columns.ts';

/**
 * The events with the values of one group. Viewers that were sent the same sample before share the bytes of the next event, so that a
 * change is printed once for any number of viewers.
 */
export class GroupValues {
  readonly #node: string;
  readonly #group: string;
  #last:
    | {
        readonly from: GroupReading | undefined;
        readonly to: GroupReading;
        readonly event: Buffer | undefined;
      }
    | undefined;

  constructor(node: string, group: string) {
    this.#node = node;
    this.#group = group;
  }

  /**
   * The event with a reading for a viewer that has seen `seen`: what has changed since, undefined when nothing has. For a viewer that
   * has seen nothing, or another layout, everything. With `wanted`, of these tags alone.
   */
  event(
    reading: GroupReading,
    seen: GroupReading | undefined,
    wanted?: ReadonlySet<string>,
  ): Buffer | undefined {
    const from = seen?.layout === reading.layout ? seen : undefined;
    if (wanted !== undefined) return this.#make(reading, from, wanted);
    if (this.#last?.to.sample === reading.sample && this.#last.from?.sample === from?.sample)
      return this.#last.event;
    const event = this.#make(reading, from);
    this.#last = { from, to: reading, event };
    return event;
  }

  #make(
    reading: GroupReading,
    from: GroupReading | undefined,
    wanted?: ReadonlySet<string>,
  ): Buffer | undefined {
    const { sample, since } = reading;
    const { columns } = sample.layout;
    const changed = from === undefined ? [...columns.keys()] : changedColumns(from, reading);
    const shown =
      wanted === undefined ? changed : changed.filter((column) => wanted.has(columns[column]?.name ?? ''));
    if (shown.length === 0 && from !== undefined) return undefined;
    const head = JSON.stringify({ node: this.#node, group: this.#group }).slice(0, -1);
    const full = from === undefined ? ',"full":true' : '';
    return Buffer.concat([
      Buffer.from(`event: values\ndata: ${head},"time":${sample.timestamp}${full},"tags":`),
      writerOf(sample.layout).records(sample, { columns: shown, messages: true, ...(since && { since }) }),
      Buffer.from('}\n\n'),
    ]);
  }
}
