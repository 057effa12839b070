import { ErrorCode, NodeType } from '@tagway/schemas';
import { Fault, type Layout, type Log } from '@tagway/sdk';
import {
  BackOff,
  type FromRunner,
  Requests,
  type RunnerAnswers,
  type RunnerRequest,
  type SampleData,
  SampleOutlet,
  type ToRunner,
} from '@tagway/sdk/internal';
import type { Plugin } from '../../core/model.ts';
import type { PluginState } from '../../core/ports/ports.ts';
import type { Channel, OpenChannel } from '../process/channel.ts';
import { isAnswer, isFromRunner, kindOf } from '../process/message-check.ts';
import { SentLayouts } from '../samples/sent-layouts.ts';

/** Milliseconds. */
export interface SupervisorTimes {
  /** Between two checks; a runner that was silent between them is pinged. */
  readonly ping: number;
  /** A runner that sends nothing for this long counts as hung and is killed. */
  readonly silence: number;
  /** For importing the plugin. */
  readonly load: number;
  /** A runner that has been up this long is healthy: the next crash is a first one again. */
  readonly health: number;
  /** A runner without nodes ends after this time. */
  readonly idle: number;
  /** The same when its last node was deleted. */
  readonly deleted: number;
}

export const supervisorTimes: SupervisorTimes = {
  ping: 2000,
  silence: 10_000,
  load: 20_000,
  health: 60_000,
  idle: 30_000,
  deleted: 1000,
};

/** A check that comes this many ping intervals after the one before is late. */
const lateAfter = 2;

export interface SupervisorEvents {
  /** The plugin is loaded: replay what it is to run. */
  up(): void;
  /** The runner is gone; it comes back by itself if it is still needed. `reason` completes the sentence "The runner …". */
  down(reason: string): void;
  /** Returns false for a message that this runner may not send. */
  message(message: FromRunner): boolean;
  /** A sample for the apps of this runner was left out, because they are too slow for what comes. */
  dropped(sample: SampleData): void;
  /** Whether any node of this plugin is to run. */
  needed(): boolean;
  /** A line that the plugin printed, without the secrets of its nodes. */
  withoutSecrets(line: string): string;
  /** Where a debugger may attach; a runner that it has stopped is silent and not taken for hung. */
  debugPort(): number | undefined;
  /** It cannot: another process listens there. From here on there is no such port. */
  debugPortTaken(): void;
}

/** What Node prints when it cannot listen where a debugger is to attach; it goes on, or ends and is started again. */
const noDebugger = 'Starting inspector on ';

/** A sample on its way to a runner, with its layout, which the runner may not have yet. */
export type Outgoing = SampleData & { readonly layout: Layout };

/** Keeps the runner of one plugin alive while it is needed: starts it, pings it when it is quiet, kills it when it stays silent, starts it again. */
export class Supervisor {
  readonly plugin: Plugin;
  /** Samples on their way to this runner's apps. */
  outlet!: SampleOutlet<Outgoing>;
  #sent = new SentLayouts();
  readonly #open: OpenChannel;
  readonly #events: SupervisorEvents;
  readonly #log: Log;
  readonly #times: SupervisorTimes;
  readonly #requests = new Requests();
  readonly #backOff = new BackOff();
  #state: PluginState = 'idle';
  #channel: Channel | undefined;
  #lastHeard = 0;
  #upSince = 0;
  /** When the silence of the runner was looked at last. */
  #lastCheck = 0;
  #startedAt = 0;
  /** The gateway ended the runner itself, because no node needs it. */
  #isDismissed = false;
  /** A runner that no node needs is ending; the next one is started when it is gone. */
  #isLeaving = false;
  #pulse: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #waiters: (() => void)[] = [];
  #closed = false;

  constructor(
    plugin: Plugin,
    open: OpenChannel,
    events: SupervisorEvents,
    log: Log,
    times: SupervisorTimes = supervisorTimes,
  ) {
    this.plugin = plugin;
    this.#open = open;
    this.#events = events;
    this.#log = log;
    this.#times = times;
  }

  get isUp(): boolean {
    return this.#state === 'running';
  }

  get state(): PluginState {
    return this.#state;
  }

  get pid(): number | undefined {
    return this.#channel?.pid;
  }

  /** Starts the runner unless it is there, on its way, or waiting for its next attempt after a crash. */
  ensure(): void {
    if (this.#state !== 'idle' || this.#closed) return;
    this.#state = 'starting';
    if (this.#isLeaving) return;
    this.#lastHeard = performance.now();
    this.#isDismissed = false;
    const { id, nodeType, listens = false } = this.plugin;
    let channel: Channel;
    try {
      const events = {
        message: (message: unknown) => this.#take(message),
        output: (line: string) => this.#printed(line),
        gone: (reason: string) => this.#gone(reason),
      };
      const kind = nodeType === NodeType.DRIVER ? 'driver' : 'app';
      channel = this.#open(id, kind, events, { debugPort: this.#events.debugPort(), listens });
    } catch (error) {
      this.#gone(`could not be started: ${error instanceof Error ? error.message : String(error)}`);
      return;
    }
    this.#channel = channel;
    this.#sent = new SentLayouts();
    this.outlet = new SampleOutlet(
      ({ layout, ...sample }, done) => {
        // An app whose subscriptions were not sent yet gets the latest sample with them.
        if (this.#sent.knows(sample.group)) this.#sendSample(channel, sample, layout, undefined, done);
        else done();
      },
      { versionOf: ({ version }) => version, dropped: (sample) => this.#events.dropped(sample) },
    );
    channel.send({ op: 'load', main: this.plugin.main });
    this.#lastCheck = this.#startedAt = this.#lastHeard;
    this.#pulse = setInterval(() => this.#check(), this.#times.ping).unref();
  }

  /** Resolves true when the runner is up, false when it is not within `ms` or is waiting after a crash. */
  async whenUp(ms: number): Promise<boolean> {
    this.ensure();
    if (this.#state === 'starting') {
      await new Promise<void>((resolve) => {
        const deadline = setTimeout(resolve, ms);
        this.#waiters.push(() => {
          clearTimeout(deadline);
          resolve();
        });
      });
    }
    return this.isUp;
  }

  send(message: ToRunner): void {
    this.#channel?.send(message);
  }

  /** What the runner has of the layouts and the subscriptions of its apps. */
  get sent(): SentLayouts {
    return this.#sent;
  }

  /** Whether its apps know this layout of the group. */
  hasLayout(group: number, { version }: Layout): boolean {
    return this.#sent.has(group, version);
  }

  /** The run of an app has ended. */
  forgetApp(app: number): void {
    this.#sent.forget(app);
  }

  /** Sends a sample to one app alone, past the queue. */
  sendSample(sample: SampleData, layout: Layout, app: number): void {
    if (this.#channel) this.#sendSample(this.#channel, sample, layout, app);
  }

  /** Stops a node in the runner while its run goes on here, so that its last messages are still taken. */
  async quiet(node: number, ms: number): Promise<void> {
    await this.ask<'stop'>({ op: 'stop', node }, ms).catch(() => undefined);
  }

  /** Asks the runner that is up. Rejects with DISCONNECTED when it is not, with BUSY at the deadline, or with the answer's fault. */
  async ask<Op extends RunnerRequest['op']>(
    request: Extract<RunnerRequest, { op: Op }>,
    ms: number,
  ): Promise<RunnerAnswers[Op]> {
    if (!this.isUp) {
      throw new Fault(
        ErrorCode.DISCONNECTED,
        `The plugin "${this.plugin.name}" is not running; it is started again shortly.`,
      );
    }
    const channel = this.#channel;
    const send = (id: number): void => this.send({ op: 'request', id, request });
    const answer = await this.#requests.ask(ms, send, `${request.op} of ${this.plugin.name}`);
    if (isAnswer<Op>(request, answer)) return answer;
    channel?.kill(`gave a malformed answer to "${request.op}"`);
    throw new Fault(
      ErrorCode.DISCONNECTED,
      `The plugin "${this.plugin.name}" gave a malformed answer to "${request.op}"; its runner is started again.`,
    );
  }

  /** Lets the runner end after a while when no node needs it; soon when the last one was deleted, because the plugin may have started processes. */
  release(wait: 'idle' | 'deleted' = 'idle'): void {
    if (this.#state !== 'running' || this.#events.needed()) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#events.needed() || this.#state !== 'running') return;
      if (this.#requests.isWaiting) this.release(wait);
      else this.#dismiss();
    }, this.#times[wait]).unref();
  }

  /** Ends the runner at once; it is started again if it is needed. `reason` completes the sentence "The runner …". */
  kill(reason?: string): void {
    this.#isDismissed = reason === undefined;
    this.#channel?.kill(reason);
  }

  /** Ends a runner that no node needs. A request from here on waits for the next runner instead of failing with this one. */
  #dismiss(): void {
    clearInterval(this.#pulse);
    this.#state = 'idle';
    this.#isLeaving = true;
    this.kill();
  }

  /** Ends the runner for good; resolves when it is gone. Its messages are ignored from here on. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    if (this.#channel === undefined) return;
    const gone = new Promise<void>((resolve) => this.#waiters.push(resolve));
    this.kill();
    await gone;
  }

  /** The layout goes along when the runner does not have this version. */
  #sendSample(channel: Channel, sample: SampleData, layout: Layout, app?: number, done?: () => void): void {
    const isKnown = this.#sent.has(sample.group, layout.version);
    const target = app === undefined ? undefined : { node: app };
    channel.send({ op: 'sample', sample, ...(!isKnown && { layout }), ...target }, done);
  }

  #take(message: unknown): void {
    if (this.#closed) return;
    if (!isFromRunner(message)) {
      this.kill(`sent a malformed message (${kindOf(message)})`);
      return;
    }
    this.#lastHeard = performance.now();
    switch (message.op) {
      case 'loaded':
        this.#state = 'running';
        this.#upSince = this.#lastHeard;
        this.#log.info(
          `The plugin "${this.plugin.name}" runs${this.pid === undefined ? '' : ` as process ${this.pid}`}.`,
        );
        this.#events.up();
        this.#wake();
        this.release();
        break;
      case 'unloadable':
        this.#log.error(
          `The plugin "${this.plugin.name}" (library ${this.plugin.library}) cannot be loaded: ${message.message}`,
        );
        this.kill();
        break;
      case 'answer':
        this.#requests.settle(message);
        break;
      default:
        if (!this.#events.message(message)) this.kill(`sent a message that does not fit (${message.op})`);
    }
  }

  #printed(line: string): void {
    if (line.startsWith(noDebugger) && this.#events.debugPort() !== undefined) this.#events.debugPortTaken();
    this.#log.info(`${this.plugin.name} printed: ${this.#events.withoutSecrets(line)}`);
  }

  #check(): void {
    const now = performance.now();
    // When this process itself was held up, messages of the runner may be waiting in the channel, so its silence is not known. A runner
    // that a debugger has stopped is silent, too.
    const before = this.#lastCheck;
    const wasLate = now - before > lateAfter * this.#times.ping;
    this.#lastCheck = now;
    if (wasLate || this.#events.debugPort() !== undefined) this.#lastHeard = this.#startedAt = now;
    if (now - this.#lastHeard > this.#times.silence) {
      this.kill(`has not answered for ${this.#times.silence / 1000} s and was ended`);
    } else if (this.#state === 'starting' && now - this.#startedAt > this.#times.load) {
      this.kill(`did not load the plugin within ${this.#times.load / 1000} s and was ended`);
    } else if (this.#lastHeard < before) {
      // A runner that has sent anything since the last check needs no ping.
      this.send({ op: 'request', id: 0, request: { op: 'ping' } });
    }
    if (this.#state === 'running' && now - this.#upSince > this.#times.health) this.#backOff.reset();
  }

  #gone(reason: string): void {
    const wasUp = this.isUp;
    clearInterval(this.#pulse);
    clearTimeout(this.#timer);
    this.#channel = undefined;
    const isNextWanted = this.#isLeaving && this.#state === 'starting';
    this.#isLeaving = false;
    this.#state = 'idle';
    this.#requests.abandon(
      new Fault(ErrorCode.DISCONNECTED, `The runner of "${this.plugin.name}" ${reason}.`),
    );
    if (isNextWanted && !this.#closed) {
      this.#backOff.reset();
      this.ensure();
      return;
    }
    if (this.#closed || !this.#events.needed()) {
      // The next node of the plugin starts without a pause.
      this.#backOff.reset();
      if (!this.#closed && !this.#isDismissed)
        this.#log.error(`The runner of the plugin "${this.plugin.name}" ${reason}.`);
      this.#wake();
      return;
    }
    const wait = this.#backOff.next();
    this.#log.error(
      `The runner of the plugin "${this.plugin.name}" ${reason}. It is started again in ${Math.round(wait / 1000)} s.`,
    );
    this.#state = 'failed';
    this.#timer = setTimeout(() => {
      this.#state = 'idle';
      if (this.#events.needed()) this.ensure();
    }, wait);
    if (wasUp) this.#events.down(reason);
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiters.splice(0)) wake();
  }
}
