import { deadbandOf, ErrorCode, errorMeaning, Limits, RunningState } from '@tagway/schemas';
import { Fault, type Layout, type Sample, Store } from '@tagway/sdk';
import {
  faultsOf,
  foldEvents,
  type GroupConfig,
  layoutOf,
  packFaults,
  SampleBuilder,
  type SampleData,
  sampleOf,
} from '@tagway/sdk/internal';
import type { Group, GroupReading, Tag } from '../../core/model.ts';
import type { LastError } from '../../core/ports/ports.ts';
import { isReadable } from '../../core/tags/tag-check.ts';
import { columnsById, isComparable, keepsValue, type View } from './group-view.ts';
import { fitsLayout } from './sample-check.ts';
import { sinceEvents, sinceFirst, sinceNext, sinceOfLayout } from './unchanged-since.ts';

/** A whole sample, and since when each of its columns is as it is: see `Shown`. */
interface Latest {
  readonly sample: Sample;
  readonly view: View;
  readonly since: Float64Array;
}

/** Most columns of the views that are kept: a group that keeps changing must not fill the memory. */
const mostKnownColumns = 200_000;
/** Views that are kept however many columns they have. */
const fewestViews = 4;

/** Latest writes since the last whole sample that are kept. */
const mostWritten = 1000;

let lastVersion = 0;

/** Keeps the latest sample of one group and answers reads from it: this is the cache behind the API's reads. */
export class GroupCache {
  readonly group: Group;
  #view: View | undefined;
  /** Views that were sent to the driver, which may still send samples of them. */
  readonly #views = new Map<number, View>();
  #latest: Latest | undefined;
  /** Somebody has the times of the latest sample: they must not change any more. */
  #isSinceGiven = false;
  /** When the latest sample or event came, by a clock that never jumps. */
  #latestAt = 0;
  /** The same in milliseconds since the epoch. */
  #latestTime = 0;
  /** The times of the latest sample with those of the events since then. */
  #eventsSince: Float64Array | undefined;
  /** Events since the latest whole sample. They are folded into it when the group is read. */
  #events: Sample[] = [];
  /** Rows of those events. */
  #eventRows = 0;
  /** Of those events the latest writes, which may be younger than everything else. */
  #written: { readonly sample: Sample; readonly at: number }[] = [];
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
    this.#written = [];
    this.#dropEvents();
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
    const { version, driver, group, interval } = layout;
    return {
      group: this.group.id,
      layout: { version, driver, group, interval },
      ...(this.group.pace && { pace: this.group.pace }),
      tags: tags.map((tag) => ({
        ...(this.group.node.plugin.inputs && { id: tag.id }),
        name: tag.name,
        address: tag.address,
        type: tag.type,
        attribute: tag.attribute,
        precision: tag.precision,
        decimal: tag.decimal,
        bias: tag.bias,
        ...(tag.deadband !== undefined && { threshold: deadbandOf(tag) }),
        ...(tag.value !== undefined && { value: tag.value }),
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
      this.#takeEvents(sample, view, data.rows.length, data.forCache === true);
    } else {
      this.#fold();
      this.#written = [];
      this.#latest = { sample, view, since: this.#sinceOf(sample, view) };
      this.#touch();
    }
    this.#noteFault(sample);
    return sample;
  }

  /** The tags of the columns of a sample that `take` or `failed` has just given. */
  tagsOf({ layout }: Sample): readonly Tag[] {
    return this.#view?.layout === layout ? this.#view.tags : (this.#views.get(layout.version)?.tags ?? []);
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
    const view = this.#current();
    const builder = new SampleBuilder(this.#configOf(view));
    return sampleOf(builder.failed(new Fault(code, reason), Date.now()), view.layout);
  }

  /** The latest in the present layout, for a driver that reads the group. */
  present(): Sample {
    this.#fold();
    const latest = this.#latest;
    const { layout } = this.#current();
    if (latest === undefined) return this.failed(ErrorCode.NOT_READY);
    return latest.view.layout === layout ? latest.sample : this.#carryOver(latest).sample;
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
    const oldest = performance.now() - interval * Limits.expiryIntervals;
    if (this.#latestAt < oldest) {
      const fresh = this.#written.filter(({ sample, at }) => at >= oldest && sample.layout === layout);
      const expired = this.failed(ErrorCode.VALUE_EXPIRED);
      const sample = foldEvents(
        expired,
        fresh.map((write) => write.sample),
      );
      const since = new Float64Array(tags.length).fill(this.#latestTime + interval * Limits.expiryIntervals);
      if (fresh.length > 0 && latest.view.layout === layout) {
        for (const { sample: write } of fresh)
          for (const column of write.rows ?? []) since[column] = latest.since[column]!;
      }
      return { tags, layout, sample, since };
    }
    const { sample, since } = latest.view.layout === layout ? latest : this.#carryOver(latest);
    this.#isSinceGiven = true;
    return { tags, layout, sample, since };
  }

  #noteFault({ faults, reasons, timestamp, rows }: Sample): void {
    if (faults.length === 0) {
      // Events are of some tags only: without a fault they do not mean that the other tags have none.
      this.#isFaulty &&= rows !== undefined;
      return;
    }
    const code = faults[1]!;
    const text = reasons?.texts[reasons.indices[0] ?? 0] || errorMeaning(code);
    const before = this.#lastError;
    const isSame = this.#isFaulty && before?.code === code && before.text === text;
    this.#lastError = { code, text, time: timestamp, since: isSame ? before.since : timestamp };
    this.#isFaulty = true;
  }

  #takeEvents(sample: Sample, view: View, rows: number, isWritten: boolean): void {
    if (this.#latest?.view !== view) {
      // A value may be written before the group was read as it is now.
      if (!isWritten || view !== this.#view) return;
      this.#fold();
      const before = this.#latest;
      if (before === undefined) this.#touch();
      this.#latest = { ...this.#carryOver(before), view };
    }
    const { sample: whole, since } = this.#latest;
    sinceEvents((this.#eventsSince ??= since.slice()), since, whole, sample);
    // What was written does not make the other values any younger.
    if (!isWritten) this.#touch();
    else if (this.#written.push({ sample, at: performance.now() }) > mostWritten) this.#written.shift();
    this.#events.push(sample);
    this.#eventRows += rows;
    // A group that is not read for long would collect events: folding them costs less than keeping them.
    if (this.#eventRows > Math.max(1000, view.tags.length)) this.#fold();
  }

  #fold(): void {
    if (!this.#latest || this.#events.length === 0) return;
    const { view, since } = this.#latest;
    const sample = foldEvents(this.#latest.sample, this.#events);
    this.#latest = { sample, view, since: this.#eventsSince ?? since };
    this.#dropEvents();
  }

  #dropEvents(): void {
    this.#events = [];
    this.#eventRows = 0;
    this.#eventsSince = undefined;
  }

  #touch(): void {
    this.#latestAt = performance.now();
    this.#latestTime = Date.now();
  }

  /** Since when the columns of a new whole sample are as they are. */
  #sinceOf(sample: Sample, view: View): Float64Array {
    const before = this.#latest;
    if (before === undefined) return sinceFirst(sample);
    if (before.view === view) {
      const since = sinceNext(before.since, before.sample, sample, { isShared: this.#isSinceGiven });
      if (since !== before.since) this.#isSinceGiven = false;
      return since;
    }
    const columns = columnsById(before.view);
    return sinceOfLayout(before.since, before.sample, sample, (column) => {
      const tag = view.tags[column]!;
      const old = columns.get(tag.id);
      return old !== undefined && isComparable(before.view.tags[old]!, tag) ? old : -1;
    });
  }

  #current(): View {
    if (!this.#view) {
      const { name: group, interval, history, node } = this.group;
      const all = [...this.group.tags.values()];
      const tags = all.filter(isReadable);
      const writeOnly = all.filter((tag) => !isReadable(tag));
      const layout = layoutOf(
        ++lastVersion,
        { driver: node.name, group, interval, ...(history > 0 && { keepsHistory: true }) },
        tags,
        writeOnly,
      );
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
  #carryOver(latest: Latest | undefined): Omit<Latest, 'view'> {
    const { tags, layout } = this.#current();
    const sample = this.failed(ErrorCode.NOT_READY);
    const since = new Float64Array(tags.length);
    if (latest === undefined) return { sample, since };
    const { sample: old, view: from } = latest;
    const oldColumns = columnsById(from);
    const oldFaults = new Map(faultsOf(old));
    const faults = new Map(faultsOf(sample));
    const objects = [...sample.objects];
    const timestamps = new Float64Array(tags.length).fill(NaN);
    const qualities = new Uint32Array(tags.length);
    tags.forEach((tag, column) => {
      const oldColumn = oldColumns.get(tag.id);
      if (oldColumn === undefined || !keepsValue(from.tags[oldColumn]!, tag)) return;
      since[column] = latest.since[oldColumn]!;
      timestamps[column] = old.timestamps?.[oldColumn] ?? NaN;
      qualities[column] = old.qualities?.[oldColumn] ?? 0;
      const fault = oldFaults.get(oldColumn);
      if (fault !== undefined) {
        faults.set(column, fault);
        return;
      }
      faults.delete(column);
      const { store, place } = layout.columns[column]!;
      const { place: oldPlace } = from.layout.columns[oldColumn]!;
      if (store === Store.NUMBER) sample.numbers[place] = old.numbers[oldPlace]!;
      else if (store === Store.INTEGER) sample.integers[place] = old.integers[oldPlace]!;
      else objects[place] = old.objects[oldPlace] ?? '';
    });
    const carried = {
      ...sample,
      ...packFaults(faults),
      timestamp: old.timestamp,
      objects,
      ...(old.timestamps && { timestamps }),
      ...(old.qualities && { qualities }),
    };
    return { sample: carried, since };
  }
}
