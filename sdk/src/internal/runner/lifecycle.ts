import { ErrorCode, LinkState } from '@tagway/schemas';
import type { Context } from '../../context.ts';
import { Fault, isFault } from '../../fault.ts';
import { BackOff } from '../../back-off.ts';
import { withFullStop } from '../full-stop.ts';
import { deadlines, within } from './deadline.ts';
import type { Peers } from '../../peers.ts';
import type { FaultData } from '../channel/fault-data.ts';
import type { NodeContext } from './node-context.ts';
import { soundFault } from './sound-fault.ts';

export interface Startable {
  start(): Promise<void>;
  /** `signal` aborts at the deadline. */
  stop(signal: AbortSignal): Promise<void>;
}

/** Called by the lifecycle. */
export interface LifecycleEvents<T> {
  /** The instance runs. */
  started(instance: T): void;
  /** The instance is to be stopped: everything that is under way has to end now. `stop` is called when this resolves; it never rejects. */
  ending?(): Promise<void>;
  /** A start failed; another follows unless the node is refused. */
  failed(): void;
  /** Trying again cannot help, according to the plugin. */
  refused(fault: Fault): void;
}

/** Called by a node of a runner. */
export interface NodeEvents {
  readonly started: () => void;
  readonly refused: (fault: FaultData) => void;
}

interface Attempt<T> {
  readonly instance: T;
  readonly end: AbortController;
}

/** A node in its runner. */
export abstract class RunnerNode<T extends Startable & Peers> {
  readonly context: NodeContext;
  protected abstract readonly life: Lifecycle<T>;

  constructor(context: NodeContext) {
    this.context = context;
  }

  /** Why the latest attempt to start failed; undefined once one has succeeded. */
  get failure(): Fault | undefined {
    return this.life.failure;
  }

  /** What people may ask of it while it runs. */
  get peers(): Peers | undefined {
    return this.life.instance;
  }

  /** Numbers of the groups whose samples it takes. */
  get wanted(): Iterable<number> {
    return [];
  }

  start(): Promise<boolean> {
    return this.life.start();
  }

  async stop(): Promise<void> {
    await this.life.stop();
    this.context.frames.end();
    this.context.flushMeters();
  }
}

/** Makes instances of a plugin and calls each as promised: `create → start → stop`, stop exactly once. */
export class Lifecycle<T extends Startable> {
  readonly #context: NodeContext;
  readonly #create: (context: Context) => T;
  readonly #events: LifecycleEvents<T>;
  readonly #backOff = new BackOff();
  #run: Attempt<T> | undefined;
  #started = false;
  #ended = false;
  /** Why the latest attempt failed; undefined once one has succeeded. */
  failure: Fault | undefined;
  #retry: Disposable | undefined;
  #stopping: Promise<void> = Promise.resolve();

  constructor(context: NodeContext, create: (context: Context) => T, events: LifecycleEvents<T>) {
    this.#context = context;
    this.#create = create;
    this.#events = events;
  }

  /** The instance that runs, if one does. */
  get instance(): T | undefined {
    return this.#started ? this.#run?.instance : undefined;
  }

  /** Makes the first attempt. True: it runs. False: it failed and is tried again. Rejects when the plugin refuses for good. */
  async start(): Promise<boolean> {
    if (this.#ended) return false;
    const end = new AbortController();
    try {
      const instance = this.#create(this.#context.ofRun(end.signal));
      const run = { instance, end };
      this.#run = run;
      await within(this.#context.clock, instance.start(), 'start', deadlines.start, () =>
        end.abort(
          new Fault(ErrorCode.NO_RESPONSE, `The start took longer than ${deadlines.start / 1000} s.`),
        ),
      );
      if (this.#run !== run) return false;
      this.#started = true;
      this.failure = undefined;
      this.#backOff.reset();
      this.#events.started(instance);
      return true;
    } catch (error) {
      await this.#close();
      if (this.#isEnded()) return false;
      const fault = isFault(error)
        ? soundFault(error, ErrorCode.READ_FAILED)
        : new Fault(ErrorCode.READ_FAILED, String(error), { cause: error });
      this.failure = fault;
      // For the author of the plugin; operators get the sentence.
      if (error instanceof Error && error.stack !== undefined)
        this.#context.log.debug(`The start failed here: ${error.stack}`);
      if (!fault.retry) {
        this.#ended = true;
        this.#context.log.error(
          `The node cannot start: ${withFullStop(fault.message)} It is not tried again until its settings change.`,
        );
        this.#events.refused(fault);
        throw fault;
      }
      this.#later(fault);
      return false;
    }
  }

  /** Stops the current instance, a call of which hangs, and starts another after a pause. */
  async replace(fault: Fault): Promise<void> {
    if (this.#ended || !this.#started) return;
    await this.#close();
    if (!this.#isEnded()) this.#later(fault);
  }

  /** Ends for good. Resolves when the instance has stopped or its deadline for that has passed. */
  async stop(): Promise<void> {
    this.#ended = true;
    this.#retry?.[Symbol.dispose]();
    await this.#close();
  }

  #isEnded(): boolean {
    return this.#ended;
  }

  #later(fault: Fault): void {
    const wait = this.#backOff.next();
    this.#context.log.warn(
      `The node does not run: ${withFullStop(fault.message)} It is started again in ${Math.round(wait / 1000)} s.`,
    );
    this.#context.link(LinkState.DISCONNECTED, { reason: withFullStop(fault.message) });
    this.#events.failed();
    this.#retry = this.#context.clock.timer(wait, () => {
      // A refusal has been logged and reported by start itself.
      this.start().catch(() => undefined);
    });
  }

  #close(): Promise<void> {
    const run = this.#run;
    if (run) {
      const hasRun = this.#started;
      this.#run = undefined;
      this.#started = false;
      this.#stopping = this.#stopInstance(run, hasRun);
    }
    return this.#stopping;
  }

  async #stopInstance({ instance, end }: Attempt<T>, hasRun: boolean): Promise<void> {
    if (hasRun) await this.#events.ending?.();
    end.abort(new Fault(ErrorCode.NOT_RUNNING, 'The run of the node has ended.'));
    const deadline = new AbortController();
    const overrun = (): void =>
      deadline.abort(
        new Fault(ErrorCode.NO_RESPONSE, `The stop took longer than ${deadlines.stop / 1000} s.`),
      );
    try {
      await within(this.#context.clock, instance.stop(deadline.signal), 'stop', deadlines.stop, overrun);
    } catch (error) {
      this.#context.log.error(
        `The plugin failed to stop: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    this.#context.listens([]);
    this.#context.link(LinkState.DISCONNECTED, { reason: 'The run of the node has ended.' });
  }
}
