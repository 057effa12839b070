import type { Sample } from '@tagway/sdk';
import { writerOf } from '@tagway/sdk/json';
import type { GroupReading } from '../../core/model.ts';
import { changedColumns } from './changed-columns.ts';

/**
 * The events with the values of one group. Viewers that were sent the same sample before share the bytes of the next event, so that a
 * change is printed once for any number of viewers.
 */
export class GroupValues {
  readonly #node: string;
  readonly #group: string;
  #last:
    | { readonly from: Sample | undefined; readonly to: Sample; readonly event: Buffer | undefined }
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
    { layout, sample }: GroupReading,
    seen: Sample | undefined,
    wanted?: ReadonlySet<string>,
  ): Buffer | undefined {
    const from = seen?.layout === layout ? seen : undefined;
    if (wanted !== undefined) return this.#make(sample, from, wanted);
    if (this.#last?.to === sample && this.#last.from === from) return this.#last.event;
    const event = this.#make(sample, from);
    this.#last = { from, to: sample, event };
    return event;
  }

  #make(sample: Sample, from: Sample | undefined, wanted?: ReadonlySet<string>): Buffer | undefined {
    const { columns } = sample.layout;
    const changed = from === undefined ? [...columns.keys()] : changedColumns(from, sample);
    const shown =
      wanted === undefined ? changed : changed.filter((column) => wanted.has(columns[column]?.name ?? ''));
    if (shown.length === 0 && from !== undefined) return undefined;
    const head = JSON.stringify({ node: this.#node, group: this.#group }).slice(0, -1);
    const full = from === undefined ? ',"full":true' : '';
    return Buffer.concat([
      Buffer.from(`event: values\ndata: ${head},"time":${sample.timestamp}${full},"tags":`),
      writerOf(sample.layout).records(sample, { columns: shown, messages: true }),
      Buffer.from('}\n\n'),
    ]);
  }
}
