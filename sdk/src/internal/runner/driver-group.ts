import type { Call } from '../../driver.ts';
import type { Fault } from '../../fault.ts';
import { Priority } from '../../priority.ts';
import { maySend } from '../../send-gate.ts';
import { deadlines } from './deadline.ts';
import { endWatch, faultOfRead, type GroupSurroundings, notReported } from './group-surroundings.ts';
import type { Sample } from '../../sample.ts';
import type { GroupConfig, SampleData } from '../channel/protocol.ts';
import { Evaluation } from '../inputs/evaluation.ts';
import type { Reads } from '../inputs/known-layouts.ts';
import type { Write } from '../../point.ts';
import { ColumnValues } from '../samples/column-values.ts';
import { EventSample } from '../samples/event-sample.ts';
import { type Part, PushedPoints } from '../samples/pushed-points.ts';
import { SampleBuilder } from '../samples/sample-builder.ts';
import { PaceWatch } from './pace-watch.ts';
import { firstTick, mostSmall, Schedule } from './schedule.ts';

/** The counter in which drivers count the messages that they send. */
const sentMessages = 'send_msgs';

/** Least milliseconds between two reads of a group that follow from a restored link. */
const regainPause = 1000;

/** One group of a driver node: polls it on its interval, or makes its samples from pushed values. */
export class DriverGroup {
  readonly #with: GroupSurroundings;
  /** How many groups the node had before this one. */
  readonly #before: number;
  #builder: SampleBuilder;
  #schedule: Schedule | undefined;
  #pushed: PushedPoints | undefined;
  /** The read that is under way, or waits for its turn. */
  #reading: Promise<void> | undefined;
  /** A read on demand that has not begun yet; all who ask until it begins share it. */
  #demanded: Promise<void> | undefined;
  /** Indices of pushed points that were written and are to be read. */
  readonly #toReadBack = new Set<number>();
  /** A read of these that has not begun yet. */
  #readingBack: Promise<void> | undefined;
  /** The points changed during a read: another one follows it at once. */
  #isStale = false;
  /** The latest read failed as a whole. */
  #hasFailed = false;
  #pace: PaceWatch;
  /** Of a driver with inputs. */
  readonly #evaluation: Evaluation | undefined;
  /** Monotonic time from which on a restored link may cause a read again. */
  #regainFrom = -Infinity;
  #isGone = false;

  constructor(surroundings: GroupSurroundings, config: GroupConfig, before: number) {
    this.#with = surroundings;
    this.#before = before;
    this.#builder = new SampleBuilder(config);
    this.#pace = new PaceWatch(surroundings.context.log);
    if (surroundings.hasInputs) this.#evaluation = this.#newEvaluation();
  }

  /** The driver runs: ticks from now on. */
  begin(): void {
    this.#schedule ??= this.#newSchedule();
    this.#watch();
  }

  /** Stops ticks and pushes until `begin`. Resolves when the driver has ended its watch, or the time for that is over. */
  async end(): Promise<void> {
    this.#schedule?.[Symbol.dispose]();
    this.#schedule = undefined;
    this.#isStale = false;
    await this.#unwatch();
  }

  /** Nothing of this group is sent any more, also when a read is still under way. */
  silence(): void {
    this.#isGone = true;
  }

  /** The group is deleted. */
  async remove(): Promise<void> {
    this.silence();
    const { group } = this.#builder.columns;
    this.#with.context.forget(group);
    await this.end();
    this.#with.faultLog.forget(group);
  }

  /** Of a driver with inputs: what the node reads. */
  connect(reads: Reads): void {
    const isOther = this.#evaluation?.connect(reads) === true;
    if (isOther && this.#with.driver() !== undefined) this.#readAnew();
  }

  /** Takes a sample of a group that the node reads. */
  input(group: number, sample: Sample): void {
    const evaluation = this.#evaluation;
    if (evaluation?.reads(group) !== true || this.#isGone) return;
    evaluation.push(group, sample);
    if (this.#reading === undefined) this.#evaluate(evaluation);
  }

  /** Takes another version of the group. `isRunning`: the driver runs. */
  reconfigure(config: GroupConfig, isRunning: boolean): void {
    const earlier = this.#builder;
    if (config.layout.version === earlier.layout.version) return;
    this.#builder = new SampleBuilder(config, earlier);
    if (this.#builder.points !== earlier.points) this.#evaluation?.repoint();
    const isOther = config.layout.interval !== earlier.layout.interval;
    if (isOther || this.#builder.points !== earlier.points)
      this.#pace = new PaceWatch(this.#with.context.log);
    if (!isRunning) return;
    if (this.#builder.points === earlier.points) {
      this.#pushed?.rebuild(this.#builder);
      if (this.#pushed) this.#pushWhole(this.#pushed);
    } else {
      void this.#unwatch();
      this.#watch();
      this.#readAnew();
    }
    const isSmall = this.#builder.points.length <= mostSmall;
    const wasSmall = earlier.points.length <= mostSmall;
    if (config.layout.interval !== earlier.layout.interval || isSmall !== wasSmall) {
      this.#schedule?.[Symbol.dispose]();
      this.#schedule = this.#newSchedule();
    }
  }

  /** Reads everything now, outside of the interval. Never rejects: failures are in the sample. */
  readNow(): Promise<void> {
    if (this.#reading === undefined) return this.#read('demand');
    this.#demanded ??= this.#readAfter();
    return this.#demanded;
  }

  /**
   * The device has confirmed the write: until a reading that begins later shows something else, the tags with its address have its value.
   * Points that the device pushes are read again instead: a device need not take what was written.
   */
  written({ point, value }: Write): void {
    const { columns, written } = this.#builder;
    const now = this.#with.context.clock.now();
    for (const index of columns.pointsAt(point)) {
      if (this.#pushed?.isPushed(index) === true) this.#toReadBack.add(index);
      else written.note(columns.columnOf[index]!, value, now);
    }
  }

  /** Sends what was written to the cache. The promise, which never rejects, is for points that the device pushes: they are read first. */
  showWritten(): Promise<void> | undefined {
    const { columns, written } = this.#builder;
    const fresh = Uint32Array.from(written.columns);
    if (fresh.length > 0) {
      const values = new ColumnValues(columns);
      for (const column of fresh) written.put(column, values, true);
      this.#pushed?.merge(values, fresh, this.#pushed.pushes, notReported);
      this.#sendToCache(fresh, values);
    }
    return this.#toReadBack.size === 0 ? undefined : (this.#readingBack ??= this.#readBack());
  }

  /** Sends the gathered events. */
  flush(): void {
    this.#pushed?.flush();
  }

  /** Sends a sample in which every tag carries the fault; pushed tags keep it until their next report. */
  fail(fault: Fault): void {
    this.flush();
    this.#builder.written.clear();
    this.#pushed?.lose(fault);
    this.#push(this.#builder.failed(fault, this.#with.context.clock.now()));
  }

  /** The link is still down, and why; `earlier` is the fault that stood for that before. Reads find out by themselves. */
  stayDown(fault: Fault, earlier: Fault | undefined): void {
    if (this.#pushed?.stayDown(fault, earlier) === true) this.#pushWhole(this.#pushed);
  }

  /**
   * The link is up; `down` is the fault that stood for it until now. Reads at once, unless a read is under way; when the link was not up
   * before, only what is pushed or has failed.
   */
  regain(down: Fault | undefined, wasUp: boolean): void {
    if (down !== undefined) this.#pushed?.regain(down);
    const now = this.#with.context.clock.monotonic();
    const isPushed = down !== undefined && this.#pushed !== undefined;
    const isWanted = wasUp || isPushed || this.#hasFailed;
    if (!isWanted || this.#reading !== undefined || now < this.#regainFrom) return;
    this.#regainFrom = now + regainPause;
    this.#tickOnce();
  }

  #readAnew(): void {
    if (this.#reading === undefined) this.#tickOnce();
    else this.#isStale = true;
  }

  async #readAfter(): Promise<void> {
    while (this.#reading !== undefined) await this.#reading;
    this.#demanded = undefined;
    await this.#read('demand');
  }

  async #readBack(): Promise<void> {
    do await this.#reading;
    while (this.#reading !== undefined);
    this.#readingBack = undefined;
    const pushed = this.#pushed;
    const part = pushed?.partOf([...this.#toReadBack].sort((one, other) => one - other));
    this.#toReadBack.clear();
    if (part === undefined || this.#isGone) return;
    await this.#read('poll', part, true);
  }

  #sendToCache(columns: Uint32Array, values: ColumnValues): void {
    if (this.#isGone || columns.length === 0) return;
    const { columns: all } = this.#builder;
    const sample = new EventSample(all);
    for (const column of columns) sample.add(column, values, false);
    this.#with.outlet.push(sample.finish(this.#with.context.clock.now()));
  }

  #newSchedule(): Schedule {
    const { context } = this.#with;
    const { columns, layout, points } = this.#builder;
    const { interval } = layout;
    const place = { group: columns.group, seat: context.seat, before: this.#before, points: points.length };
    const first = firstTick(place, interval, context.clock.monotonic());
    return new Schedule(context.alarms, interval, first, (skipped) => this.#tick(skipped));
  }

  #tick(skipped: number): void {
    this.#with.context.count('missed_ticks', skipped);
    if (this.#reading === undefined && maySend()) this.#tickOnce();
    else this.#with.context.count('missed_ticks', 1);
  }

  #tickOnce(): void {
    if (this.#pushed?.polled.points.length === 0) this.#pushWhole(this.#pushed);
    else void this.#read('poll', this.#pushed?.polled);
  }

  /** `part`: these points alone. `forCache`: for the cache, not for apps. */
  #read(cause: Call['cause'], part?: Part, forCache = false): Promise<void> {
    return this.#alone(this.#readOnce(cause, part, forCache));
  }

  /** Evaluates the inputs that have come. */
  #evaluate(evaluation: Evaluation): void {
    const isFirst = (): boolean => !this.#builder.reported.hasBegun && this.#with.driver() !== undefined;
    void this.#alone(evaluation.evaluate().then(() => void (this.#isStale ||= isFirst())));
  }

  /** Nothing else is read or evaluated until the work is done. */
  #alone(work: Promise<void>): Promise<void> {
    return (this.#reading = work.finally(this.#worked));
  }

  readonly #worked = (): void => {
    this.#reading = undefined;
    if (this.#isGone) return;
    if (this.#isStale) {
      this.#isStale = false;
      this.#tickOnce();
    } else if (this.#evaluation?.isDue === true) {
      this.#evaluate(this.#evaluation);
    }
  };

  #newEvaluation(): Evaluation {
    return new Evaluation(this.#with, {
      builder: () => this.#builder,
      isRunning: () => this.#with.driver() !== undefined && !this.#isGone,
      send: (sample) => !this.#isGone && this.#with.outlet.push(sample),
    });
  }

  async #readOnce(cause: Call['cause'], part: Part | undefined, forCache: boolean): Promise<void> {
    const { calls, context, failed } = this.#with;
    const builder = this.#builder;
    const pushed = this.#pushed;
    const points = part?.points ?? builder.points;
    const draft = builder.draft(part?.columns);
    const began = context.clock.monotonic();
    const followed = cause === 'poll' && !forCache ? context.follow() : undefined;
    const sentBefore = context.meter(sentMessages);
    const priority = cause === 'poll' ? Priority.POLL : Priority.REQUEST;
    let since = 0;
    let writesBefore = 0;
    let missing: Fault | undefined;
    try {
      if (points.length > 0) {
        await calls.make({ priority, what: 'read', deadline: deadlines.read, cause }, (driver, call) => {
          since = pushed?.pushes ?? 0;
          writesBefore = builder.written.writes;
          followed?.called();
          const inputs = this.#evaluation?.inputs;
          if (inputs === undefined) return driver.read(points, draft, call);
          inputs.settle(context.clock.now());
          return driver.read(points, draft, { ...call, inputs });
        });
      }
    } catch (error) {
      missing = faultOfRead(error);
      failed(error);
    } finally {
      draft.close();
    }
    if (this.#isGone) return;
    const { group } = builder.columns;
    const took = context.clock.monotonic() - began;
    context.gauge('group_last_timer_ms', Math.round(took), group);
    // A reading that failed as a whole says so itself.
    if (cause === 'poll' && !forCache && missing === undefined)
      context.gauge('group_slow', Number(this.#pace.observe(builder.layout, took)), group);
    context.gauge('group_last_send_msgs', context.meter(sentMessages) - sentBefore, group);
    this.#hasFailed = missing !== undefined;
    builder.written.correct(draft.values, writesBefore);
    if (pushed === undefined) {
      const sample = builder.finish(draft.values, context.clock.now(), missing);
      if (this.#push(followed === undefined ? sample : followed.mark(sample))) builder.reuse(draft.values);
    } else if (pushed === this.#pushed && builder === this.#builder) {
      pushed.merge(draft.values, draft.columnOf, since, missing ?? notReported);
      if (forCache) this.#sendToCache(draft.columnOf, pushed.values);
      else this.#pushWhole(pushed);
    }
  }

  #pushWhole(pushed: PushedPoints): void {
    this.#count(pushed.sendWhole());
  }

  /** Whether the sample was sent at once. */
  #push(sample: SampleData): boolean {
    this.#count(sample);
    return this.#with.outlet.push(sample);
  }

  #count(sample: SampleData): void {
    this.#with.context.count('tag_reads_total', this.#builder.points.length);
    this.#with.context.count('tag_read_errors_total', sample.faults.length / 2);
    this.#with.faultLog.observe(sample, this.#builder.columns);
  }

  /** Asks the driver to push this group, if it can; when that fails, the group is polled. */
  #watch(): void {
    const { context, outlet } = this.#with;
    const driver = this.#with.driver();
    const { points } = this.#builder;
    if (driver?.watch === undefined || points.length === 0 || this.#pushed !== undefined) return;
    const pushed = new PushedPoints(this.#builder, outlet, context.clock);
    const down = this.#with.down();
    if (down !== undefined) pushed.lose(down);
    try {
      pushed.begin(driver.watch(points, pushed));
      this.#pushed = pushed;
    } catch (error) {
      pushed.end();
      const reason = error instanceof Error ? error.message : String(error);
      context.log.warn(
        `The driver cannot watch the group "${this.#builder.layout.group}" and polls it instead: ${reason}`,
      );
    }
  }

  async #unwatch(): Promise<void> {
    const pushed = this.#pushed;
    this.#pushed = undefined;
    if (pushed === undefined) return;
    if (!this.#isGone) pushed.flush();
    pushed.end();
    await endWatch(pushed.watch, this.#with.context);
  }
}
