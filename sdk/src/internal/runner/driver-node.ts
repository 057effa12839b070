import { ErrorCode, inputsOf, LinkState } from '@tagway/schemas';
import type { BrowsePage, BrowseRequest, Call, Driver, DriverDefinition, TagDraft } from '../../driver.ts';
import { Fault, isFault } from '../../fault.ts';
import { Priority } from '../../priority.ts';
import type { Point, Write } from '../../point.ts';
import type { Value } from '../../value.ts';
import { isBrowsePage } from './browse-page.ts';
import { type CallOptions, Calls } from './calls.ts';
import { deadlines, type Hung } from './deadline.ts';
import { DriverGroup } from './driver-group.ts';
import type { Sample } from '../../sample.ts';
import type { Reads } from '../inputs/known-layouts.ts';
import { FaultLog } from './fault-log.ts';
import { withWrites } from './host-requests.ts';
import { Lifecycle, type NodeEvents, RunnerNode } from './lifecycle.ts';
import type { NodeContext } from './node-context.ts';
import { faultData, type FaultData } from '../channel/fault-data.ts';
import type { GroupConfig, SampleData, TraceFilter } from '../channel/protocol.ts';
import { InputValues } from '../inputs/input-values.ts';
import type { SampleOutlet } from '../samples/sample-outlet.ts';
import { soundFault } from './sound-fault.ts';
import { readOne } from './test-read.ts';
import { WriteResults } from './write-results.ts';

const stopped = new Fault(ErrorCode.NOT_RUNNING, 'The node was stopped.');
const startedAnew = new Fault(ErrorCode.DISCONNECTED, 'A call of the driver hung; it is started anew.');
const notStarted = new Fault(
  ErrorCode.DISCONNECTED,
  'The driver does not run: its start has failed so far; the log has the reason.',
);

/** Milliseconds that a write waits for the device to be asked what it has now, where it pushes that. */
const readBackPatience = 1000;

/** Runs one driver node: its lifecycle, its groups, and the requests to it. */
export class DriverNode extends RunnerNode<Driver> {
  protected readonly life: Lifecycle<Driver>;
  readonly #calls: Calls;
  readonly #outlet: SampleOutlet<SampleData>;
  readonly #groups = new Map<number, DriverGroup>();
  readonly #faultLog: FaultLog;
  /** The latest error of a call: an error that repeats is logged once. */
  #lastFailure = '';
  /** The fault of tags while the link is reported as down. */
  #down: Fault | undefined;
  /** The link was up before. */
  #wasUp = false;
  #isStopped = false;
  /** The latest attempt to start failed. */
  #failed = false;
  /** Of a driver with inputs: the layouts of the groups that it reads. */
  #read: Reads['layouts'] = new Map();

  constructor(
    definition: DriverDefinition<never>,
    context: NodeContext,
    outlet: SampleOutlet<SampleData>,
    { started, refused }: NodeEvents,
  ) {
    super(context);
    this.#outlet = outlet;
    this.#faultLog = new FaultLog(context);
    this.life = new Lifecycle(
      context,
      (run) => definition.create(withWrites(run, context.id, context.ask) as never),
      {
        started: () => {
          started();
          this.#begin();
        },
        ending: () => this.#end(),
        failed: () => this.#fail(),
        refused: (fault) => {
          this.#fail();
          refused(faultData(fault, fault.code));
        },
      },
    );
    this.#calls = new Calls(
      context.clock,
      definition.calls === 'one',
      () => this.life.instance,
      (fault) => this.#hung(fault),
    );
    context.beforeLink = () => {
      for (const group of this.#groups.values()) group.flush();
    };
    context.onLink = (before, now, reason) => this.#linked(before, now, reason);
  }

  override async stop(): Promise<void> {
    this.#isStopped = true;
    for (const group of this.#groups.values()) group.silence();
    this.context.onLink = () => undefined;
    await super.stop();
  }

  override get wanted(): Iterable<number> {
    return this.#read.keys();
  }

  /** Whether a group with this number is polled here. */
  has(group: number): boolean {
    return this.#groups.has(group);
  }

  /** `reads`: of a driver with inputs, all that the node reads. */
  setGroup(config: GroupConfig, reads?: Reads): void {
    const isRunning = this.life.instance !== undefined;
    if (reads !== undefined) this.#read = reads.layouts;
    let group = this.#groups.get(config.group);
    if (group) {
      group.reconfigure(config, isRunning);
      if (reads !== undefined) group.connect(reads);
    } else {
      group = new DriverGroup(
        {
          context: this.context,
          outlet: this.#outlet,
          calls: this.#calls,
          faultLog: this.#faultLog,
          driver: () => this.life.instance,
          down: () => this.#down,
          failed: (error) => this.#callFailed(error),
          hasInputs: this.context.hasInputs,
        },
        config,
        this.#groups.size,
      );
      this.#groups.set(config.group, group);
      if (reads !== undefined) group.connect(reads);
      if (isRunning) group.begin();
    }
    if (!isRunning && this.#failed) group.fail(notStarted);
  }

  /** Of a driver with inputs: it reads these groups. */
  connect(reads: Reads): void {
    this.#read = reads.layouts;
    for (const group of this.#groups.values()) group.connect(reads);
  }

  /** Takes a sample of a group that it may read. */
  input(group: number, sample: Sample): void {
    for (const one of this.#groups.values()) one.input(group, sample);
  }

  async removeGroup(id: number): Promise<void> {
    const group = this.#groups.get(id);
    this.#groups.delete(id);
    await group?.remove();
  }

  /** Reads a group now, outside of its interval. */
  async poll(id: number): Promise<void> {
    const group = this.#groups.get(id);
    if (!group)
      throw new Fault(
        ErrorCode.GROUP_NOT_FOUND,
        `The node "${this.context.name}" has no group ${id} any more.`,
      );
    await group.readNow();
  }

  /** Reads the value of a tag that need not exist; `reads` is what it refers to. Rejects with its fault. */
  async test({ name, address, type, attribute }: TagDraft, reads?: Reads, asTag?: true): Promise<Value> {
    const point: Point = Object.freeze({ name, address, type, attribute });
    const inputs = this.context.hasInputs ? { inputs: this.#inputsOf(point, reads) } : undefined;
    return readOne(point, (points, into) =>
      this.#call(
        { priority: Priority.REQUEST, what: 'test read', deadline: deadlines.read, cause: 'test' },
        (driver, call) => driver.read(points, into, { ...call, ...inputs, ...(asTag && { asTag }) }),
      ),
    );
  }

  #inputsOf(point: Point, reads: Reads | undefined): InputValues {
    const inputs = new InputValues(inputsOf([point]));
    inputs.connect(reads?.layouts ?? new Map());
    for (const [group, sample] of reads?.present ?? []) inputs.take(group, sample);
    inputs.settle(this.context.clock.now());
    return inputs;
  }

  /** Returns the faults of the writes that failed, with their index. */
  async write(writes: readonly Write[]): Promise<[index: number, fault: FaultData][]> {
    const confirmed = (index: number): void => {
      for (const group of this.#groups.values()) group.written(writes[index]!);
    };
    const results = new WriteResults(writes.length, confirmed);
    let missing: Fault | undefined;
    try {
      await this.#call(
        { priority: Priority.WRITE, what: 'write', deadline: deadlines.write, cause: 'demand' },
        (driver, call) => {
          if (!driver.write) throw new Fault(ErrorCode.TAG_NOT_WRITABLE, 'This driver does not write.');
          return driver.write(writes, results, call);
        },
      );
    } catch (error) {
      missing = isFault(error) ? soundFault(error, ErrorCode.WRITE_FAILED) : writeFailed;
    } finally {
      results.close();
    }
    await this.#showWritten();
    return results.faults(missing).map(([index, fault]) => [index, faultData(fault, ErrorCode.WRITE_FAILED)]);
  }

  async browse(request: BrowseRequest): Promise<BrowsePage> {
    const page: unknown = await this.#call(
      { priority: Priority.REQUEST, what: 'browsing', deadline: deadlines.browse, cause: 'demand' },
      (driver, call) => {
        if (!driver.browse)
          throw new Fault(ErrorCode.SCAN_UNSUPPORTED, 'This driver cannot list what a device has.');
        return driver.browse(request, call);
      },
    );
    if (isBrowsePage(page)) return page;
    throw new Fault(ErrorCode.READ_FAILED, 'The driver gave a malformed list of what the device has.');
  }

  /** Traces the frames from here on; no filter ends that. */
  trace(filter: TraceFilter | undefined): undefined {
    const { frames } = this.context;
    if (filter === undefined) frames.end();
    // The connections are there when the driver is.
    else if (this.life.instance === undefined) frames.prepare(filter);
    else frames.begin(filter);
  }

  /** Resolves when what was written is on its way to the cache, so that a read after the answer finds it there. */
  async #showWritten(): Promise<void> {
    const reads = [...this.#groups.values()].flatMap((group) => group.showWritten() ?? []);
    if (reads.length > 0) {
      const read = new AbortController();
      const patience = this.context.clock.sleep(readBackPatience, read.signal).catch(() => undefined);
      await Promise.race([Promise.all(reads), patience]);
      read.abort();
    }
    await new Promise<void>((resolve) => this.#outlet.after(resolve));
  }

  async #call<T>(options: CallOptions, work: (driver: Driver, call: Call) => Promise<T>): Promise<T> {
    try {
      return await this.#calls.make(options, work);
    } catch (error) {
      this.#callFailed(error);
      throw this.context.withReason(error);
    }
  }

  #begin(): void {
    this.#failed = false;
    for (const group of this.#groups.values()) group.begin();
  }

  /** The run is over: no ticks, no watches, no calls. */
  async #end(): Promise<void> {
    const ends = [...this.#groups.values()].map((group) => group.end());
    const reason = this.#isStopped ? stopped : startedAnew;
    await Promise.all([...ends, this.#calls.abort(reason, deadlines.abort)]);
  }

  /** The driver does not run: all its tags get a fault. */
  #fail(): void {
    this.#failed = true;
    for (const group of this.#groups.values()) group.fail(notStarted);
  }

  #linked(before: LinkState, now: LinkState, reason: string | undefined): void {
    const earlier = this.#down;
    if (now === LinkState.CONNECTED) {
      if (before === LinkState.CONNECTED) return;
      this.#down = undefined;
      for (const group of this.#groups.values()) group.regain(earlier, this.#wasUp);
      this.#wasUp = true;
      return;
    }
    if (reason === undefined && earlier !== undefined) return;
    this.#down = new Fault(ErrorCode.DISCONNECTED, reason);
    for (const group of this.#groups.values())
      if (before === LinkState.CONNECTED) group.fail(this.#down);
      else group.stayDown(this.#down, earlier);
  }

  #hung(fault: Hung): void {
    if (this.life.instance === undefined) return;
    this.context.log.error(`${fault.message} The driver is started anew.`);
    void this.life.replace(fault);
  }

  #callFailed(error: unknown): void {
    if (isFault(error)) return;
    const text = String(error);
    if (text === this.#lastFailure) return;
    this.#lastFailure = text;
    this.context.log.error(
      'A call of the driver failed with an error that is not a fault; the same one is not logged again.',
      { error },
    );
  }
}

const writeFailed = new Fault(
  ErrorCode.WRITE_FAILED,
  'The driver failed while it wrote; the log has the reason.',
);
