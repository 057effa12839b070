import type { Sample } from '@tagway/sdk';
import { writerOf } from '@tagway/sdk/json';
import type { GroupReading } from '../../core/model.ts';
import { changedColumns } from './changed-columns.ts';

/**
 * The events that tell of the values of one group. Viewers who have seen the same are sent the same bytes, so that a change costs its
 * text once, however many look on.
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
   * What one who has seen `seen` is told of a reading, undefined when nothing has changed; of tags alone that are `wanted` if
   * that is given. Who has seen nothing, or another layout, is told everything.
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
    const told =
      wanted === undefined ? changed : changed.filter((column) => wanted.has(columns[column]?.name ?? ''));
    if (told.length === 0 && from !== undefined) return undefined;
    const place = JSON.stringify({ node: this.#node, group: this.#group }).slice(0, -1);
    const full = from === undefined ? ',"full":true' : '';
    return Buffer.concat([
      Buffer.from(`event: values\ndata: ${place},"time":${sample.timestamp}${full},"tags":`),
      writerOf(sample.layout).records(sample, { columns: told, messages: true }),
      Buffer.from('}\n\n'),
    ]);
  }
}
