import { ErrorCode } from '@tagway/schemas';
import type { Driver, DriverDefinition, ScanPage, ScanRequest, TagDraft } from '../driver.ts';
import { Fault, isFault } from '../fault.ts';
import type { Outcome, Point, Write } from '../point.ts';
import type { Value } from '../value.ts';
import { deadlines, Hung, within } from './deadline.ts';
import { forgetGroup, measurePoll } from './group-meters.ts';
import { Lifecycle } from './lifecycle.ts';
import type { NodeContext } from './node-context.ts';
import { faultData, type FaultData, type GroupConfig } from './protocol.ts';
import type { SampleOutlet } from './sample-queue.ts';
import { SampleBuilder } from './sample-builder.ts';
import { phaseOf, Schedule } from './schedule.ts';
import { Watched } from './watched.ts';

interface Group {
  builder: SampleBuilder;
  schedule: Schedule | undefined;
  /** Its tick has come and its poll has not begun. */
  due: boolean;
  polling: boolean;
  watched: Watched | undefined;
}

/** Runs one driver node: one call at a time, writes first, then reads on demand, then polls in the order of their ticks. */
export class DriverNode {
  readonly context: NodeContext;
  readonly #outlet: SampleOutlet;
  readonly #life: Lifecycle<Driver>;
  readonly #groups = new Map<number, Group>();
  readonly #writes: (() => Promise<void>)[] = [];
  readonly #requests: (() => Promise<void>)[] = [];
  readonly #due: Group[] = [];
  #busy: Promise<void> | undefined;
  /** The latest attempt to start failed. */
  #failed = false;
  #abort: AbortController | undefined;

  constructor(
    definition: DriverDefinition<never>,
    context: NodeContext,
    outlet: SampleOutlet,
    refused: (fault: FaultData) => void,
  ) {
    this.context = context;
    this.#outlet = outlet;
    this.#life = new Lifecycle(context, (run) => definition.create(run as never), {
      started: () => this.#begin(),
      failed: () => this.#fail(),
      refused: (fault) => {
        this.#fail();
        refused(faultData(fault, fault.code));
      },
    });
  }

  start(): Promise<boolean> {
    return this.#life.start();
  }

  async stop(): Promise<void> {
    for (const group of this.#groups.values()) await this.#unschedule(group);
    this.#abort?.abort(new Fault(ErrorCode.NOT_RUNNING, 'The node was stopped.'));
    const settled = new AbortController();
    const grace = this.context.clock.sleep(deadlines.abort, settled.signal).catch(() => undefined);
    await Promise.race([this.#busy, grace]);
    settled.abort();
    await this.#life.stop();
    this.#pump();
    this.context.flushMeters();
  }

  setGroup(config: GroupConfig): void {
    const group = this.#groups.get(config.group);
    if (!group) {
      const fresh = {
        builder: new SampleBuilder(config),
        schedule: undefined,
        due: false,
        polling: false,
        watched: undefined,
      };
      this.#groups.set(config.group, fresh);
      if (this.#life.instance) this.#schedule(fresh);
      else if (this.#failed) this.#disconnected(fresh);
      return;
    }
    const earlier = group.builder;
    group.builder = new SampleBuilder(config, earlier);
    if (!this.#life.instance) {
      if (this.#failed) this.#disconnected(group);
      return;
    }
    if (group.builder.points !== earlier.points) {
      void this.#unwatch(group).then(() => this.#watch(group));
      this.#tick(group, 0);
    }
    if (config.interval !== earlier.config.interval) {
      group.schedule?.[Symbol.dispose]();
      group.schedule = this.#scheduleOf(group);
    }
  }

  async removeGroup(id: number): Promise<void> {
    const group = this.#groups.get(id);
    if (!group) return;
    this.#groups.delete(id);
    forgetGroup(this.context, id);
    await this.#unschedule(group);
  }

  /** Reads a group out of turn. */
  poll(id: number): Promise<void> {
    const group = this.#groups.get(id);
    if (!group) return Promise.reject(new Fault(ErrorCode.GROUP_NOT_FOUND));
    return this.#enqueue(this.#requests, () => this.#poll(group));
  }

  async test(tag: TagDraft): Promise<Value> {
    const points = Object.freeze([Object.freeze({ ...tag, raw: true })]) as readonly Point[];
    const outcomes = await this.#enqueue(this.#requests, (driver) =>
      this.#call('read', deadlines.read, (signal) => driver.read(points, signal)),
    );
    const outcome = outcomes[0];
    if (outcome === undefined) throw new Fault(ErrorCode.READ_FAILED);
    if (isFault(outcome)) throw outcome;
    return outcome;
  }

  /** Returns the faults of the writes that failed, with their index. */
  async write(writes: readonly Write[]): Promise<[index: number, fault: FaultData][]> {
    const results = await this.#enqueue(this.#writes, (driver) => {
      if (!driver.write) throw new Fault(ErrorCode.TAG_NOT_WRITABLE, 'This driver does not write.');
      return this.#call(
        'write',
        deadlines.write,
        (signal) => driver.write?.(writes, signal) ?? Promise.resolve([]),
      );
    });
    return writes.flatMap((_write, index) => {
      const fault = results[index];
      return fault ? [[index, faultData(fault, ErrorCode.WRITE_FAILED)] satisfies [number, FaultData]] : [];
    });
  }

  scan(request: ScanRequest): Promise<ScanPage> {
    return this.#enqueue(this.#requests, (driver) => {
      if (!driver.scan) throw new Fault(ErrorCode.SCAN_UNSUPPORTED);
      return this.#call(
        'scan',
        deadlines.scan,
        (signal) => driver.scan?.(request, signal) ?? Promise.reject(new Fault(ErrorCode.SCAN_UNSUPPORTED)),
      );
    });
  }

  #begin(): void {
    this.#failed = false;
    for (const group of this.#groups.values()) this.#schedule(group);
    this.#pump();
  }

  /** The driver does not run: its tags say so, and what waits for it is told. */
  #fail(): void {
    this.#failed = true;
    for (const group of this.#groups.values()) {
      void this.#unschedule(group);
      this.#disconnected(group);
    }
    this.#pump();
  }

  #disconnected(group: Group): void {
    this.#outlet.push(group.builder.buildFailed(ErrorCode.DISCONNECTED, this.context.clock.now()));
  }

  #schedule(group: Group): void {
    group.schedule ??= this.#scheduleOf(group);
    this.#watch(group);
  }

  #scheduleOf(group: Group): Schedule {
    const { interval, group: id } = group.builder.config;
    return new Schedule(this.context.clock, interval, phaseOf(id, interval), (skipped) =>
      this.#tick(group, skipped),
    );
  }

  async #unschedule(group: Group): Promise<void> {
    group.schedule?.[Symbol.dispose]();
    group.schedule = undefined;
    group.due = false;
    const waiting = this.#due.indexOf(group);
    if (waiting >= 0) this.#due.splice(waiting, 1);
    await this.#unwatch(group);
  }

  #tick(group: Group, skipped: number): void {
    this.context.count('missed_ticks', skipped);
    if (group.watched?.due.length === 0) {
      this.#emit(group, group.builder, group.watched.outcomes);
    } else if (group.due || group.polling) {
      this.context.count('missed_ticks', 1);
    } else {
      group.due = true;
      this.#due.push(group);
      this.#pump();
    }
  }

  /** Queues a call of the driver; `work` gets the driver that runs by then. */
  #enqueue<T>(queue: (() => Promise<void>)[], work: (driver: Driver) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      queue.push(async () => {
        try {
          const driver = this.#life.instance;
          if (!driver)
            throw new Fault(
              ErrorCode.DISCONNECTED,
              'The driver is not running: its start has failed so far.',
            );
          resolve(await work(driver));
        } catch (error) {
          this.#afterFailure(error);
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#busy) return;
    const job = this.#writes.shift() ?? this.#requests.shift();
    const group = job || !this.#life.instance ? undefined : this.#due.shift();
    if (!job && !group) return;
    const work = job ? job() : this.#pollDue(group as Group);
    this.#busy = work.finally(() => {
      this.#busy = undefined;
      this.#pump();
    });
  }

  async #pollDue(group: Group): Promise<void> {
    group.due = false;
    await this.#poll(group, group.watched?.due);
  }

  /** `points` may be those alone that are not pushed. */
  async #poll(group: Group, points = group.builder.points): Promise<void> {
    const { builder, watched } = group;
    const driver = this.#life.instance;
    if (!driver) return;
    group.polling = true;
    const measured = measurePoll(this.context, builder.config.group);
    try {
      const outcomes =
        points.length === 0
          ? []
          : await this.#call('read', deadlines.read, (signal) => driver.read(points, signal));
      if (outcomes.length !== points.length) {
        throw new Error(`read returned ${outcomes.length} outcomes for ${points.length} points.`);
      }
      this.#emit(group, builder, watched?.merge(points, outcomes) ?? outcomes);
    } catch (error) {
      if (watched && points !== builder.points) {
        const fault = isFault(error) ? error : new Fault(ErrorCode.READ_FAILED);
        this.#emit(group, builder, watched.merge(points, new Array<Outcome>(points.length).fill(fault)));
      } else if (this.#groups.get(builder.config.group) === group) {
        const code = isFault(error) ? error.code : ErrorCode.READ_FAILED;
        this.#push(builder.points.length, builder.buildFailed(code, this.context.clock.now()));
      }
      this.#afterFailure(error);
    } finally {
      group.polling = false;
      if (this.#groups.has(builder.config.group)) measured();
    }
  }

  #emit(group: Group, builder: SampleBuilder, outcomes: readonly Outcome[]): void {
    if (this.#groups.get(builder.config.group) !== group) return;
    this.#push(builder.points.length, builder.build(outcomes, this.context.clock.now()));
  }

  #push(points: number, sample: ReturnType<SampleBuilder['build']>): void {
    this.context.count('tag_reads_total', points);
    this.context.count('tag_read_errors_total', sample.faults.length / 2);
    this.#outlet.push(sample);
  }

  #afterFailure(error: unknown): void {
    if (error instanceof Hung) {
      this.context.log.error(`${error.message} The driver is started anew.`);
      void this.#life.replace(error);
    } else if (!isFault(error)) {
      this.context.log.error('A call of the driver failed.', { error });
    }
  }

  async #call<T>(what: string, ms: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const abort = new AbortController();
    this.#abort = abort;
    const overrun = () =>
      abort.abort(new Fault(ErrorCode.NO_RESPONSE, `The ${what} took longer than ${ms / 1000} s.`));
    return within(this.context.clock, call(abort.signal), what, ms, overrun);
  }

  /** Asks the driver to push this group, if it can; if it cannot right now, the group is polled. */
  #watch(group: Group): void {
    const driver = this.#life.instance;
    const { points } = group.builder;
    if (!driver?.watch || points.length === 0) return;
    const watched = new Watched(points);
    this.#enqueue(this.#requests, async () => {
      if (group.builder.points !== points || group.watched) return;
      const watching =
        driver.watch?.(points, watched.emit) ?? Promise.reject(new Error('The driver no longer watches.'));
      const watch = await within(this.context.clock, watching, 'watch', deadlines.start, () => undefined);
      watched.begin(watch);
      if (group.builder.points === points && group.schedule) group.watched = watched;
      else await watched.end();
    }).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      this.context.log.warn(`The driver cannot watch a group and polls it instead: ${reason}`);
    });
  }

  async #unwatch(group: Group): Promise<void> {
    const { watched } = group;
    group.watched = undefined;
    try {
      await watched?.end();
    } catch (error) {
      this.context.log.warn('The driver failed to end a watch.', { error });
    }
  }
}
