import { Attribute, ErrorCode, Limits, RunningState } from '@tagway/schemas';
import { type Layout, placesOf, type Sample, Store, storeOf } from '@tagway/sdk';
import { type GroupConfig, layoutOf, SampleBuilder } from '@tagway/sdk/internal';
import type { Group, GroupReading, Tag } from '../core/model.ts';

/** The readable tags of a group at one version of it. */
interface View {
  readonly tags: readonly Tag[];
  readonly layout: Layout;
}

const readable = Attribute.READ | Attribute.SUBSCRIBE | Attribute.STATIC;
let lastVersion = 0;

/** Keeps the latest sample of one group and answers reads from it: this is the cache behind the API's reads. */
export class GroupCache {
  readonly group: Group;
  #view: View | undefined;
  /** Views that the driver was told of and may still send samples of. */
  readonly #views = new Map<number, View>();
  #latest: { readonly sample: Sample; readonly view: View; readonly at: number } | undefined;

  #lastError: { readonly code: number; readonly time: number } | undefined;

  constructor(group: Group) {
    this.group = group;
  }

  /** The group's name, interval or tags have changed. */
  invalidate(): void {
    this.#view = undefined;
  }

  /** Forgets values: a new run begins, or the node stops. */
  clear(): void {
    this.#latest = undefined;
    this.#lastError = undefined;
  }

  /** The first fault of the latest sample that had one, and its time. */
  get lastError(): { readonly code: number; readonly time: number } | undefined {
    return this.#lastError;
  }

  get layout(): Layout {
    return this.#current().layout;
  }

  /** What the runner is to poll from now on. */
  config(): GroupConfig {
    const view = this.#current();
    this.#views.set(view.layout.version, view);
    return this.#configOf(view);
  }

  #configOf({ tags, layout }: View): GroupConfig {
    return {
      group: this.group.id,
      interval: this.group.interval,
      layout,
      tags: tags.map(({ name, address, type, attribute, precision, decimal, bias, value }) => ({
        ...{ name, address, type, attribute, precision, decimal, bias },
        ...(value === undefined ? {} : { value }),
      })),
    };
  }

  /** Takes a sample; returns the layout that goes with it, or undefined when it is too old to be understood. */
  take(sample: Sample): Layout | undefined {
    const view = this.#views.get(sample.version);
    if (!view) return undefined;
    for (const version of this.#views.keys()) if (version < sample.version) this.#views.delete(version);
    this.#latest = { sample, view, at: performance.now() };
    if (sample.faults.length > 0) this.#lastError = { code: sample.faults[1] as number, time: sample.time };
    return view.layout;
  }

  /** The latest sample as it came, for a new subscriber. */
  latest(): { readonly sample: Sample; readonly layout: Layout } | undefined {
    return this.#latest && { sample: this.#latest.sample, layout: this.#latest.view.layout };
  }

  /** A sample in which all polled tags carry the same error. */
  failed(code: number): { readonly sample: Sample; readonly layout: Layout } {
    const sample = new SampleBuilder(this.#configOf(this.#current())).buildFailed(code, Date.now());
    return { sample, layout: this.layout };
  }

  /** `isUp`: the driver of the node is there to be asked. */
  reading(isUp: boolean): GroupReading {
    const { tags, layout } = this.#current();
    const { node, interval } = this.group;
    if (node.running !== RunningState.RUNNING)
      return { tags, layout, sample: this.#allFailed(ErrorCode.NOT_RUNNING) };
    if (!isUp) return { tags, ...this.failed(ErrorCode.DISCONNECTED) };
    const latest = this.#latest;
    if (!latest) return { tags, ...this.failed(ErrorCode.NOT_READY) };
    if (performance.now() - latest.at > interval * Limits.expiryIntervals) {
      return { tags, ...this.failed(ErrorCode.VALUE_EXPIRED) };
    }
    if (latest.view.layout === layout) return { tags, layout, sample: latest.sample };
    return { tags, layout, sample: this.#carryOver(latest.sample, latest.view) };
  }

  #current(): View {
    if (!this.#view) {
      const tags = [...this.group.tags.values()].filter((tag) => (tag.attribute & readable) !== 0);
      const layout = layoutOf(++lastVersion, this.group.node.name, this.group.name, tags);
      this.#view = { tags, layout };
    }
    return this.#view;
  }

  /** Static tags too: nothing of a node that does not run is read. */
  #allFailed(code: number): Sample {
    const { sample, layout } = this.failed(code);
    const faults = Int32Array.from(layout.columns.flatMap((_column, index) => [index, code]));
    return { ...sample, faults };
  }

  /** The group has changed since the sample: tags whose values mean the same keep them, others are not ready. */
  #carryOver(old: Sample, from: View): Sample {
    const { tags, layout } = this.#current();
    const { sample } = this.failed(ErrorCode.NOT_READY);
    const oldColumns = new Map(from.tags.map((tag, column) => [tag.id, column]));
    const oldPlaces = placesOf(from.layout.columns);
    const places = placesOf(layout.columns);
    const oldFaults = new Map<number, number>();
    for (let pair = 0; pair < old.faults.length; pair += 2) {
      oldFaults.set(old.faults[pair] as number, old.faults[pair + 1] as number);
    }
    const faults = new Map<number, number>();
    for (let pair = 0; pair < sample.faults.length; pair += 2) {
      faults.set(sample.faults[pair] as number, sample.faults[pair + 1] as number);
    }
    const objects = [...sample.objects];
    tags.forEach((tag, column) => {
      const oldColumn = oldColumns.get(tag.id);
      if (oldColumn === undefined || !isSameValue(from.tags[oldColumn] as Tag, tag)) return;
      const fault = oldFaults.get(oldColumn);
      if (fault !== undefined) {
        faults.set(column, fault);
        return;
      }
      faults.delete(column);
      const place = places[column] as number;
      const oldPlace = oldPlaces[oldColumn] as number;
      const store = storeOf(tagColumn(layout, column));
      if (store === Store.NUMBER) sample.numbers[place] = old.numbers[oldPlace] as number;
      else if (store === Store.INTEGER) sample.integers[place] = old.integers[oldPlace] as bigint;
      else objects[place] = old.objects[oldPlace] ?? '';
    });
    const pairs = [...faults].sort((one, other) => one[0] - other[0]);
    return { ...sample, time: old.time, objects, faults: Int32Array.from(pairs.flat()) };
  }
}

function tagColumn(layout: Layout, column: number): Layout['columns'][number] {
  return layout.columns[column] as Layout['columns'][number];
}

/** Whether a value that was read for a tag is one of what the tag became: a new name or description does not matter. */
function isSameValue(old: Tag, tag: Tag): boolean {
  return (
    old === tag ||
    (old.address === tag.address &&
      old.type === tag.type &&
      old.decimal === tag.decimal &&
      old.bias === tag.bias &&
      old.value === tag.value)
  );
}
