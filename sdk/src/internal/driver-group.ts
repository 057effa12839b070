import { ErrorCode } from '@tagway/schemas';
import type { Call, Driver } from '../driver.ts';
import { Fault, isFault } from '../fault.ts';
import { type Calls, Turn } from './calls.ts';
import { deadlines, within } from './deadline.ts';
import type { FaultLog } from './fault-log.ts';
import { measurePoll } from './group-meters.ts';
import type { NodeContext } from './node-context.ts';
import type { GroupConfig, SampleData } from './protocol.ts';
import { PushedPoints } from './pushed-points.ts';
import { SampleBuilder } from './sample-builder.ts';
import type { SampleOutlet } from './sample-outlet.ts';
import { firstTick, mostSmall, Schedule } from './schedule.ts';
import { isSendRefused } from './send-refusal.ts';
import { soundFault } from './sound-fault.ts';

/** A link that comes and goes makes a group be read out of turn this often at most, in milliseconds. */
const regainPause = 1000;

/** What the groups of one driver node share. */
export interface GroupSurroundings {
  readonly context: NodeContext;
  readonly outlet: SampleOutlet<SampleData>;
  readonly calls: Calls;
  readonly faultLog: FaultLog;
  /** The driver that runs, if one does. */
  readonly driver: () => Driver | undefined;
  /** Told of every call that failed. */
  readonly failed: (error: unknown) => void;
}

/** One group of a driver node: polls it on its interval, or makes its samples of what the driver pushes. */
export class DriverGroup {
  readonly #with: GroupSurroundings;
  /** How many groups the node had before this one. */
  readonly #before: number;
  #builder: SampleBuilder;
  #schedule: Schedule | undefined;
  #pushed: PushedPoints | undefined;
  /** The read that is under way, or waits for its turn. */
  #reading: Promise<void> | undefined;
  /** A read that somebody asked for and that has not begun yet: whoever asks meanwhile shares it. */
  #demanded: Promise<void> | undefined;
  /** The points changed during a read: another one follows it at once. */
  #isStale = false;
  /** The latest read failed as a whole. */
  #hasFailed = false;
  /** Monotonic time from which on the link may come back with a read out of turn. */
  #regainFrom = -Infinity;
  #isGone = false;

  constructor(surroundings: GroupSurroundings, config: GroupConfig, before: number) {
    this.#with = surroundings;
    this.#before = before;
    this.#builder = new SampleBuilder(config);
  }

  /** The driver runs: ticks from now on. */
  begin(): void {
    this.#schedule ??= this.#newSchedule();
    this.#watch();
  }

  /** No ticks and no pushes any more, until `begin`. Resolves when the driver has let go of the group, or its time for that is over. */
  async end(): Promise<void> {
    this.#schedule?.[Symbol.dispose]();
    this.#schedule = undefined;
    this.#isStale = false;
    await this.#unwatch();
  }

  /** From here on nothing is said any more of this group, whatever is still under way. */
  silence(): void {
    this.#isGone = true;
  }

  /** The group is deleted. */
  async remove(): Promise<void> {
    this.silence();
    this.#with.context.forget(this.#builder.config.group);
    await this.end();
  }

  /** Takes another version of the group. `isRunning`: the driver runs. */
  reconfigure(config: GroupConfig, isRunning: boolean): void {
    const earlier = this.#builder;
    if (config.layout.version === earlier.config.layout.version) return;
    this.#builder = new SampleBuilder(config, earlier);
    if (!isRunning) return;
    if (this.#builder.points === earlier.points) {
      this.#pushed?.rebuild(this.#builder);
      if (this.#pushed) this.#pushWhole(this.#pushed);
    } else {
      void this.#unwatch();
      this.#watch();
      if (this.#reading === undefined) this.#tickOnce();
      else this.#isStale = true;
    }
    const isSmall = this.#builder.points.length <= mostSmall;
    const wasSmall = earlier.points.length <= mostSmall;
    if (config.layout.interval !== earlier.config.layout.interval || isSmall !== wasSmall) {
      this.#schedule?.[Symbol.dispose]();
      this.#schedule = this.#newSchedule();
    }
  }

  /** Reads everything out of turn. Never rejects: what goes wrong is in the sample. */
  readNow(): Promise<void> {
    if (this.#reading === undefined) return this.#read('demand', true);
    this.#demanded ??= this.#readAfter();
    return this.#demanded;
  }

  /** Sends what was gathered. */
  flush(): void {
    this.#pushed?.flush();
  }

  /** One sample in which every tag carries the fault; what is pushed counts only from its next report. */
  fail(fault: Fault): void {
    this.flush();
    this.#pushed?.lose(fault);
    this.#push(this.#builder.failed(fault, this.#with.context.clock.now()));
  }

  /**
   * The link is there, again if it was lost with a fault: reads at once, unless a read is under way anyway or the latest one found the
   * device although nothing was said of a link.
   */
  regain(lost: Fault | undefined): void {
    if (lost !== undefined) this.#pushed?.regain(lost);
    const now = this.#with.context.clock.monotonic();
    const isWanted = lost !== undefined || this.#hasFailed;
    if (!isWanted || this.#reading !== undefined || now < this.#regainFrom) return;
    this.#regainFrom = now + regainPause;
    this.#tickOnce();
  }

  async #readAfter(): Promise<void> {
    while (this.#reading !== undefined) await this.#reading;
    this.#demanded = undefined;
    await this.#read('demand', true);
  }

  #newSchedule(): Schedule {
    const { context } = this.#with;
    const { config, points } = this.#builder;
    const { interval } = config.layout;
    const place = { group: config.group, seat: context.seat, before: this.#before, points: points.length };
    const first = firstTick(place, interval, context.clock.monotonic());
    return new Schedule(context.alarms, interval, first, (skipped) => this.#tick(skipped));
  }

  #tick(skipped: number): void {
    this.#with.context.count('missed_ticks', skipped);
    if (this.#reading === undefined && !isSendRefused()) this.#tickOnce();
    else this.#with.context.count('missed_ticks', 1);
  }

  #tickOnce(): void {
    if (this.#pushed?.polled.points.length === 0) this.#pushWhole(this.#pushed);
    else void this.#read('poll', false);
  }

  /** `everything`: pushed points too. */
  #read(cause: Call['cause'], everything: boolean): Promise<void> {
    this.#reading = this.#readOnce(cause, everything).finally(() => {
      this.#reading = undefined;
      if (!this.#isStale) return;
      this.#isStale = false;
      this.#tickOnce();
    });
    return this.#reading;
  }

  async #readOnce(cause: Call['cause'], everything: boolean): Promise<void> {
    const { calls, context, failed } = this.#with;
    const builder = this.#builder;
    const pushed = this.#pushed;
    const part = everything ? undefined : pushed?.polled;
    const points = part?.points ?? builder.points;
    const draft = builder.draft(part?.columns);
    const measured = measurePoll(context, builder.config.group);
    const turn = cause === 'poll' ? Turn.POLL : Turn.REQUEST;
    let since = 0;
    let missing: Fault | undefined;
    try {
      if (points.length > 0) {
        await calls.make({ turn, what: 'read', deadline: deadlines.read, cause }, (driver, call) => {
          since = pushed?.pushes ?? 0;
          return driver.read(points, draft, call);
        });
      }
    } catch (error) {
      missing = isFault(error) ? soundFault(error, ErrorCode.READ_FAILED) : readFailed;
      failed(error);
    } finally {
      draft.close();
    }
    if (this.#isGone) return;
    measured();
    this.#hasFailed = missing !== undefined;
    if (pushed === undefined) this.#push(builder.finish(draft.values, context.clock.now(), missing));
    else if (pushed === this.#pushed && builder === this.#builder) {
      pushed.merge(draft.values, draft.columnOf, since, missing ?? notReported);
      this.#pushWhole(pushed);
    }
  }

  #pushWhole(pushed: PushedPoints): void {
    this.#count(pushed.sendWhole());
  }

  #push(sample: SampleData): void {
    this.#count(sample);
    this.#with.outlet.push(sample);
  }

  #count(sample: SampleData): void {
    this.#with.context.count('tag_reads_total', this.#builder.points.length);
    this.#with.context.count('tag_read_errors_total', sample.faults.length / 2);
    this.#with.faultLog.observe(sample, this.#builder.config);
  }

  /** Asks the driver to push this group, if it can; if it cannot right now, the group is polled. */
  #watch(): void {
    const { context, outlet } = this.#with;
    const driver = this.#with.driver();
    const { points } = this.#builder;
    if (driver?.watch === undefined || points.length === 0 || this.#pushed !== undefined) return;
    const pushed = new PushedPoints(this.#builder, outlet, context.clock);
    try {
      pushed.begin(driver.watch(points, pushed));
      this.#pushed = pushed;
    } catch (error) {
      pushed.end();
      const reason = error instanceof Error ? error.message : String(error);
      context.log.warn(
        `The driver cannot watch the group "${this.#builder.config.layout.group}" and polls it instead: ${reason}`,
      );
    }
  }

  async #unwatch(): Promise<void> {
    const pushed = this.#pushed;
    this.#pushed = undefined;
    if (pushed === undefined) return;
    if (!this.#isGone) pushed.flush();
    pushed.end();
    const { context } = this.#with;
    const ending = async (): Promise<void> => pushed.watch?.[Symbol.asyncDispose]();
    try {
      await within(context.clock, ending(), 'the end of a watch', deadlines.unwatch);
    } catch (error) {
      context.log.warn('The driver failed to end a watch; it goes on without.', { error });
    }
  }
}

const readFailed = new Fault(ErrorCode.READ_FAILED, 'The driver failed while it read; the log tells why.');
const notReported = new Fault(ErrorCode.READ_FAILED, 'The driver gave no value for this tag.');
