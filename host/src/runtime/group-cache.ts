import { Attribute, ErrorCode, errorMeaning, Limits, RunningState } from '@tagway/schemas';
import { type Column, Fault, type Layout, type Sample, Store } from '@tagway/sdk';
import {
  configurationChanged,
  faultsOf,
  foldEvents,
  type GroupConfig,
  layoutOf,
  packFaults,
  SampleBuilder,
  type SampleData,
  sampleOf,
} from '@tagway/sdk/internal';
import type { Group, GroupReading, Tag } from '../core/model.ts';
import type { LastError } from '../core/ports.ts';
import { fitsLayout } from './sample-check.ts';

/** The readable tags of a group at one version of it. */
interface View {
  readonly tags: readonly Tag[];
  readonly layout: Layout;
}

/** Columns of views that a driver may still send samples of: a group that keeps changing must not fill the memory. */
const mostKnownColumns = 200_000;
/** Views that are known however many columns they have. */
const fewestViews = 4;

const readable = Attribute.READ | Attribute.SUBSCRIBE | Attribute.STATIC;
let lastVersion = 0;

/** Keeps the latest sample of one group and answers reads from it: this is the cache behind the API's reads. */
export class GroupCache {
  readonly group: Group;
  #view: View | undefined;
  /** Views that the driver was told of and may still send samples of. */
  readonly #views = new Map<number, View>();
  #latest: { readonly sample: Sample; readonly view: View } | undefined;
  /** When the latest sample or event came, by a clock that never jumps. */
  #latestAt = 0;
  /** Events since the latest whole sample. They are taken in when somebody looks. */
  #events: Sample[] = [];
  /** Rows of those events. */
  #eventRows = 0;
  #lastError: LastError | undefined;
  /** The latest sample had a fault. */
  #isFaulty = false;

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
    this.#events = [];
    this.#eventRows = 0;
    this.#lastError = undefined;
    this.#isFaulty = false;
  }

  /** The first fault of the latest sample that had one. */
  get lastError(): LastError | undefined {
    return this.#lastError;
  }

  get layout(): Layout {
    return this.#current().layout;
  }

  /** Makes ready what `config` and `layout` need, which takes a while for a large group. */
  prepare(): void {
    this.#current();
  }

  /** What the runner is to poll from now on. */
  config(): GroupConfig {
    const view = this.#current();
    this.#views.set(view.layout.version, view);
    this.#forgetViews();
    return this.#configOf(view);
  }

  /** The oldest first. Samples of a forgotten view are not understood any more. */
  #forgetViews(): void {
    let columns = 0;
    for (const { tags } of this.#views.values()) columns += tags.length + 1;
    for (const [version, { tags }] of this.#views) {
      if (columns <= mostKnownColumns || this.#views.size <= fewestViews) return;
      this.#views.delete(version);
      columns -= tags.length + 1;
    }
  }

  #configOf({ tags, layout }: View): GroupConfig {
    return {
      group: this.group.id,
      layout,
      tags: tags.map(({ name, address, type, attribute, precision, decimal, bias, value }) => ({
        ...{ name, address, type, attribute, precision, decimal, bias },
        ...(value === undefined ? {} : { value }),
      })),
    };
  }

  /** Whether a sample is what its layout asks for, or is too old for that to be known. */
  fits(data: SampleData): boolean {
    const view = this.#views.get(data.version);
    return view === undefined || fitsLayout(data, view.layout);
  }

  /** Takes a sample that fits; returns it with its layout, or undefined when it is too old to be understood. */
  take(data: SampleData): Sample | undefined {
    const view = this.#views.get(data.version);
    if (!view) return undefined;
    for (const version of this.#views.keys()) if (version < data.version) this.#views.delete(version);
    const sample = sampleOf(data, view.layout);
    if (data.rows !== undefined) {
      this.#takeEvents(sample, view, data.rows.length);
    } else {
      this.#events = [];
      this.#eventRows = 0;
      this.#latest = { sample, view };
      this.#latestAt = performance.now();
    }
    this.#noteFault(sample);
    return sample;
  }

  /** The latest sample, whole and due as a whole: for a new subscriber. */
  latest(): Sample | undefined {
    this.#fold();
    if (!this.#latest) return undefined;
    const { due: _all, ...sample } = this.#latest.sample;
    return sample;
  }

  /** A sample in which all polled tags carry the same error. */
  failed(code: number, reason?: string): Sample {
    return failedSample(this.#configOf(this.#current()), code, reason);
  }

  /** `isUp`: the driver of the node is there to be asked. */
  reading(isUp: boolean): GroupReading {
    const { tags, layout } = this.#current();
    const { node, interval } = this.group;
    if (node.running !== RunningState.RUNNING)
      return { tags, layout, sample: this.#allFailed(ErrorCode.NOT_RUNNING) };
    const failed = (code: number): GroupReading => ({ tags, layout, sample: this.failed(code) });
    if (!isUp) return failed(ErrorCode.DISCONNECTED);
    this.#fold();
    const latest = this.#latest;
    if (!latest) return failed(ErrorCode.NOT_READY);
    if (performance.now() - this.#latestAt > interval * Limits.expiryIntervals)
      return failed(ErrorCode.VALUE_EXPIRED);
    if (latest.view.layout === layout) return { tags, layout, sample: latest.sample };
    return { tags, layout, sample: this.#carryOver(latest.sample, latest.view) };
  }

  #noteFault({ faults, reasons, timestamp, rows }: Sample): void {
    if (faults.length === 0) {
      // Events without a fault say nothing of the other tags.
      this.#isFaulty &&= rows !== undefined;
      return;
    }
    const code = faults[1] as number;
    const text = reasons?.texts[reasons.indices[0] ?? 0] || errorMeaning(code);
    const before = this.#lastError;
    const isSame = this.#isFaulty && before?.code === code && before.text === text;
    this.#lastError = { code, text, time: timestamp, since: isSame ? before.since : timestamp };
    this.#isFaulty = true;
  }

  #takeEvents(sample: Sample, view: View, rows: number): void {
    if (this.#latest?.view !== view) return;
    this.#latestAt = performance.now();
    this.#events.push(sample);
    this.#eventRows += rows;
    // Nobody looks: from here on taking them in costs less than keeping them.
    if (this.#eventRows > Math.max(1000, view.tags.length)) this.#fold();
  }

  #fold(): void {
    if (!this.#latest || this.#events.length === 0) return;
    const sample = foldEvents(this.#latest.sample, this.#events);
    this.#latest = { sample, view: this.#latest.view };
    this.#events = [];
    this.#eventRows = 0;
  }

  #current(): View {
    if (!this.#view) {
      configurationChanged();
      const { name: group, interval, node } = this.group;
      const all = [...this.group.tags.values()];
      const tags = all.filter((tag) => (tag.attribute & readable) !== 0);
      const writeOnly = all.filter((tag) => (tag.attribute & readable) === 0);
      const layout = layoutOf(++lastVersion, { driver: node.name, group, interval }, tags, writeOnly);
      this.#view = { tags, layout };
    }
    return this.#view;
  }

  /** Static tags too: nothing of a node that does not run is read. */
  #allFailed(code: number): Sample {
    const sample = this.failed(code);
    const entry = { code, text: errorMeaning(code) };
    return {
      ...sample,
      ...packFaults(new Map(sample.layout.columns.map((_column, index) => [index, entry]))),
    };
  }

  /** The group has changed since the sample: tags whose values mean the same keep them, others are not ready. */
  #carryOver(old: Sample, from: View): Sample {
    const { tags, layout } = this.#current();
    const sample = this.failed(ErrorCode.NOT_READY);
    const oldColumns = new Map(from.tags.map((tag, column) => [tag.id, column]));
    const oldFaults = new Map(faultsOf(old));
    const faults = new Map(faultsOf(sample));
    const objects = [...sample.objects];
    const timestamps = new Float64Array(tags.length).fill(NaN);
    const qualities = new Uint32Array(tags.length);
    tags.forEach((tag, column) => {
      const oldColumn = oldColumns.get(tag.id);
      if (oldColumn === undefined || !isSameValue(from.tags[oldColumn] as Tag, tag)) return;
      timestamps[column] = old.timestamps?.[oldColumn] ?? NaN;
      qualities[column] = old.qualities?.[oldColumn] ?? 0;
      const fault = oldFaults.get(oldColumn);
      if (fault !== undefined) {
        faults.set(column, fault);
        return;
      }
      faults.delete(column);
      const { store, place } = layout.columns[column] as Column;
      const { place: oldPlace } = from.layout.columns[oldColumn] as Column;
      if (store === Store.NUMBER) sample.numbers[place] = old.numbers[oldPlace] as number;
      else if (store === Store.INTEGER) sample.integers[place] = old.integers[oldPlace] as bigint;
      else objects[place] = old.objects[oldPlace] ?? '';
    });
    return {
      ...sample,
      ...packFaults(faults),
      ...{ timestamp: old.timestamp, objects },
      ...(old.timestamps && { timestamps }),
      ...(old.qualities && { qualities }),
    };
  }
}

/** A sample of a group in which all polled tags carry the same error. */
function failedSample(config: GroupConfig, code: number, reason?: string): Sample {
  const data = new SampleBuilder(config).failed(new Fault(code, reason), Date.now());
  return sampleOf(data, config.layout);
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
