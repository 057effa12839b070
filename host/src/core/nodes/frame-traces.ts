import { ErrorCode, NodeType, RunningState } from '@tagway/schemas';
import type { Node, Plugin } from '../model.ts';
import { checkLengths } from '../names.ts';
import type { TracedFrame, TracedFrames, TraceFilter } from '../ports/ports.ts';
import type { State } from '../records/state.ts';
import { refuse } from '../system/refuse.ts';
import { sentence } from '../system/sentence.ts';
import { MessageCounts } from './message-counts.ts';

/** Limits of a trace, and of the traces that are kept. */
export const traceLimits = {
  seconds: 60,
  frames: 10_000,
  /** Bytes of frames. */
  bytes: 4 << 20,
  /** Seconds after which a trace ends that nobody has looked at. */
  unseen: 10,
  /** Seconds for which one that has ended is kept. */
  kept: 600,
  /** Traces of all nodes together, those that have ended included. */
  traces: 8,
} as const;

export type TraceLimits = Readonly<Record<keyof typeof traceLimits, number>>;

/** Why a trace ended: its time was over, its limits of frames or bytes were reached, somebody ended it, or nobody looked at it any more. */
export type TraceEnd = 'time' | 'full' | 'asked' | 'left';

/** What a trace is to have. */
export interface TraceWish {
  /** Those about one tag, with the group that it is in. */
  readonly group?: string | undefined;
  readonly tag?: string | undefined;
  /** Those of one unit. */
  readonly unit?: string | undefined;
  /** Of an app: those with values of one group of this driver. */
  readonly driver?: string | undefined;
  /** Default: the most, a minute. */
  readonly seconds?: number | undefined;
}

/** A trace of the frames of a driver, or of the messages of an app. */
export interface FrameTrace {
  readonly node: Node;
  readonly wish: TraceWish;
  /** Milliseconds since the epoch. */
  readonly begun: number;
  readonly until: number;
  readonly frames: readonly TracedFrame[];
  /** Bytes of the frames that are kept. */
  readonly bytes: number;
  readonly end?: TraceEnd;
  /** Of an app: what became of the messages of each subscription, and of those of none. */
  readonly counts?: MessageCounts;
}

interface KeptTrace extends FrameTrace {
  readonly filter: Pick<TraceFilter, 'id' | 'tag' | 'unit' | 'of'>;
  frames: TracedFrame[];
  bytes: number;
  end?: TraceEnd;
  timer: NodeJS.Timeout;
  unseen: NodeJS.Timeout;
}

/** Traces of the frames between drivers and their devices, and of the messages of apps, at most one of a node at a time, in memory. */
export class FrameTraces {
  readonly #state: State;
  readonly #limits: TraceLimits;
  /** By number of the node, the oldest first. */
  readonly #traces = new Map<number, KeptTrace>();
  #lastId = 0;

  constructor(state: State, limits: TraceLimits = traceLimits) {
    this.#state = state;
    this.#limits = limits;
  }

  /**
   * Begins to trace the frames of a driver, or the messages of an app, that runs; its earlier trace is forgotten. Rejects with TRACE_RUNNING,
   * with BUSY when too many nodes are traced, with TRACE_UNSUPPORTED when the node has none to trace, and with PARAM_INVALID when the
   * filter does not fit the node.
   */
  async begin(name: string, wish: TraceWish): Promise<void> {
    const { group, seconds = this.#limits.seconds } = wish;
    checkLengths(name, ...(group === undefined ? [] : [group]));
    const node = this.#state.node(name);
    const isApp = node.plugin.nodeType === NodeType.APP;
    const filter = isApp ? this.#messagesOf(wish) : this.#framesOf(name, wish);
    if (node.running !== RunningState.RUNNING)
      refuse(
        ErrorCode.NOT_RUNNING,
        sentence`The node "${name}" is not running. Start it first; to see its first frames, start it anew while it is traced.`,
      );
    const earlier = this.#traces.get(node.id);
    if (earlier !== undefined && earlier.end === undefined)
      refuse(ErrorCode.TRACE_RUNNING, sentence`The node "${name}" is traced already, by another viewer.`);
    this.#makeRoom();
    const begun = Date.now();
    const trace: KeptTrace = {
      node,
      wish,
      filter: { id: ++this.#lastId, ...filter },
      ...(isApp && { counts: new MessageCounts() }),
      begun,
      until: begun + seconds * 1000,
      frames: [],
      bytes: 0,
      timer: setTimeout(() => this.#end(trace, 'time'), seconds * 1000).unref(),
      unseen: setTimeout(() => this.#end(trace, 'left'), this.#limits.unseen * 1000).unref(),
    };
    this.#put(trace);
    try {
      await this.#state.ports.runtime.trace(node, this.#filterOf(trace));
    } catch (error) {
      this.#forget(trace);
      if (earlier !== undefined) this.#put(earlier);
      throw error;
    }
  }

  /** Ends a trace; its frames are kept. Throws FILE_NOT_FOUND when there is none. */
  end(name: string): void {
    this.#end(this.#of(name), 'asked');
  }

  /** The trace of a node that runs or was the last. Somebody looks at it. Throws FILE_NOT_FOUND when there is none. */
  see(name: string): FrameTrace {
    const trace = this.#of(name);
    if (trace.end === undefined) trace.unseen.refresh();
    return trace;
  }

  /** Takes frames of a node of a plugin. */
  take(plugin: Plugin, { node, trace: id, frames, full }: TracedFrames): void {
    const trace = this.#traces.get(node);
    if (trace?.filter.id !== id || trace.end !== undefined || trace.node.plugin.id !== plugin.id) return;
    for (const frame of frames.slice(0, this.#limits.frames - trace.frames.length)) {
      trace.frames.push(frame);
      trace.bytes += frame.data.length;
      trace.counts?.add(frame);
    }
    const isOver = trace.frames.length >= this.#limits.frames || trace.bytes >= this.#limits.bytes;
    if (full || isOver) this.#end(trace, 'full');
  }

  /** What a run of a node that begins now is to trace. */
  filterOf(node: Node): TraceFilter | undefined {
    const trace = this.#traces.get(node.id);
    return trace === undefined || trace.end !== undefined ? undefined : this.#filterOf(trace);
  }

  close(): void {
    for (const trace of [...this.#traces.values()]) this.#forget(trace);
  }

  #filterOf({ filter, frames, bytes }: KeptTrace): TraceFilter {
    return {
      ...filter,
      // Those of an earlier run are other connections.
      connection: frames.reduce((most, frame) => Math.max(most, frame.connection.id), 0) + 1,
      frames: this.#limits.frames - frames.length,
      bytes: this.#limits.bytes - bytes,
    };
  }

  #framesOf(node: string, { group, tag: name, unit, driver }: TraceWish): Partial<TraceFilter> {
    if (driver !== undefined)
      return refuse(
        ErrorCode.PARAM_INVALID,
        sentence`The node "${node}" is a driver: its frames are of a unit, or about a tag of a group.`,
      );
    const tag = name === undefined ? undefined : this.#tagOf(node, group, name);
    return { ...(tag && { tag }), ...(unit !== undefined && { unit }) };
  }

  #messagesOf({ group, tag, unit, driver }: TraceWish): Partial<TraceFilter> {
    if (tag !== undefined || unit !== undefined || (driver === undefined) !== (group === undefined))
      return refuse(
        ErrorCode.PARAM_INVALID,
        sentence`The messages of an app are those of a group, named with its driver, or of all groups.`,
      );
    if (driver === undefined || group === undefined) return {};
    checkLengths(driver);
    this.#state.group(driver, group);
    return { of: { driver, group } };
  }

  #tagOf(node: string, groupName: string | undefined, name: string): TraceFilter['tag'] {
    if (groupName === undefined)
      return refuse(ErrorCode.PARAM_INVALID, sentence`A tag is named together with its group.`);
    const tag = this.#state.group(node, groupName).tags.get(name);
    if (tag === undefined)
      return refuse(ErrorCode.TAG_NOT_FOUND, sentence`The group "${groupName}" has no tag "${name}".`);
    const { address, type, attribute } = tag;
    return { name, address, type, attribute };
  }

  #of(name: string): KeptTrace {
    checkLengths(name);
    const trace = this.#traces.get(this.#state.node(name).id);
    return (
      trace ??
      refuse(ErrorCode.FILE_NOT_FOUND, sentence`There is no trace of the node "${name}": begin one first.`)
    );
  }

  /** Forgets the oldest trace that has ended when there are too many. Throws BUSY when all of them run. */
  #makeRoom(): void {
    if (this.#traces.size < this.#limits.traces) return;
    const oldest = [...this.#traces.values()].find(({ end }) => end !== undefined);
    if (oldest === undefined)
      refuse(
        ErrorCode.BUSY,
        sentence`${this.#limits.traces} nodes are traced already. Wait until a trace has ended.`,
      );
    else this.#forget(oldest);
  }

  #put(trace: KeptTrace): void {
    this.#traces.delete(trace.node.id);
    this.#traces.set(trace.node.id, trace);
  }

  #end(trace: KeptTrace, end: TraceEnd): void {
    if (trace.end !== undefined) return;
    trace.end = end;
    clearTimeout(trace.timer);
    clearTimeout(trace.unseen);
    trace.timer = setTimeout(() => this.#forget(trace), this.#limits.kept * 1000).unref();
    // A node that does not run any more has ended its trace.
    this.#state.ports.runtime.trace(trace.node).catch(() => undefined);
  }

  #forget(trace: KeptTrace): void {
    clearTimeout(trace.timer);
    clearTimeout(trace.unseen);
    if (this.#traces.get(trace.node.id) === trace) this.#traces.delete(trace.node.id);
  }
}
