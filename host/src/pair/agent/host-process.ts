import { type ChildProcess, spawn } from 'node:child_process';
import { hostFlags } from '../../core/system/v8-flags.ts';
import { agentVariable } from './agent-variable.ts';
import { kill, killGroups } from './process-groups.ts';
import type { FromAgent, FromHost } from '../ports.ts';

/** Milliseconds after which a host that sends nothing hangs. */
const silence = 2000;

/** Milliseconds that a host has to become ready after its start, as many as its systemd unit allows. */
const startTimeout = 120_000;

/** Milliseconds between two checks of the silence. */
const lookEvery = 250;

/** Milliseconds that a host has to end when it is asked to. The host's own deadline is shorter. */
const endTimeout = 10_000;

export interface HostEvents {
  ready(url: string): void;
  active(): void;
  handOver(reason: string): void;
  /** A runner of a driver was started. */
  driver(pid: number): void;
  /** No driver runs any more. */
  idle(): void;
  /** It has ended, and so have its runners unless `areDead` is false. `how` completes the sentence "The host …". */
  ended(how: string, code: number, areDead: boolean): void;
}

/** The host of a gateway of a pair, as its agent has it: a child process with the command line of this one. */
export class HostProcess {
  readonly #child: ChildProcess;
  readonly #events: HostEvents;
  readonly #runners = new Map<number, 'driver' | 'app'>();
  readonly #watch: NodeJS.Timeout;
  readonly #begun = performance.now();
  #lastHeard = performance.now();
  #lastLook = performance.now();
  #verdict: string | undefined;
  #wasReady = false;
  #isToEnd = false;

  /** `command`: a command with its arguments that starts Node, or nothing. */
  constructor(deadlineFile: string, command: readonly string[], events: HostEvents) {
    this.#events = events;
    const { WATCHDOG_PID: _, ...env } = process.env;
    const [, main = '', ...args] = process.argv;
    const flags = new Set([...process.execArgv, ...hostFlags]);
    const words = [...command, process.execPath, ...flags, main, ...args];
    this.#child = spawn(words[0]!, words.slice(1), {
      // The host, and not the agent, sends the messages of systemd's watchdog.
      env: { ...env, [agentVariable]: deadlineFile },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child.on('message', (message) => this.#take(message as FromHost));
    this.#child.on('error', (error) => (this.#verdict ??= `failed: ${error.message}`));
    this.#child.once('exit', (code, signal) => {
      const how = signal === null ? `ended with exit code ${code ?? 1}` : `was ended by ${signal}`;
      this.#ended(this.#verdict ?? how, code ?? 1);
    });
    // A process that could not be started has no exit.
    if (this.#child.pid === undefined)
      setImmediate(() => this.#ended(this.#verdict ?? 'could not be started', 1));
    this.#watch = setInterval(() => this.#look(), lookEvery);
  }

  /** It can take over. */
  get isReady(): boolean {
    return this.#wasReady && !this.#isToEnd;
  }

  get hasDrivers(): boolean {
    return this.#drivers().length > 0;
  }

  send(message: FromAgent): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** Ends all runners of drivers at once; false when that took too long. */
  killDrivers(): Promise<boolean> {
    return killGroups(this.#drivers());
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** It is to end soon, and is killed otherwise. */
  expectEnd(): void {
    this.#isToEnd = true;
    setTimeout(() => this.kill('did not end in time and was killed'), endTimeout).unref();
  }

  /** Ends it at once. `how` completes the sentence "The host …". */
  kill(how: string): void {
    this.#verdict ??= how;
    if (this.#child.pid !== undefined) kill(this.#child.pid);
  }

  #drivers(): number[] {
    return [...this.#runners].filter(([, kind]) => kind === 'driver').map(([pid]) => pid);
  }

  #take(message: FromHost): void {
    this.#lastHeard = performance.now();
    switch (message.op) {
      case 'beat':
        break;
      case 'ready':
        this.#wasReady = true;
        this.#events.ready(message.url);
        break;
      case 'active':
        this.#events.active();
        break;
      case 'runner':
        this.#runners.set(message.pid, message.kind);
        if (message.kind === 'driver') this.#events.driver(message.pid);
        break;
      case 'gone':
        this.#runners.delete(message.pid);
        if (!this.hasDrivers) this.#events.idle();
        break;
      case 'hand-over':
        this.#events.handOver(message.reason);
        break;
    }
  }

  #look(): void {
    const now = performance.now();
    // This process itself was blocked: messages of the host may wait in the channel.
    if (now - this.#lastLook > 3 * lookEvery) this.#lastHeard = now;
    this.#lastLook = now;
    if (this.#wasReady && now - this.#lastHeard > silence)
      this.kill(`did not answer for ${silence / 1000} s and was killed`);
    if (!this.#wasReady && now - this.#begun > startTimeout)
      this.kill(`was not ready after ${startTimeout / 1000} s and was killed`);
  }

  #ended(how: string, code: number): void {
    clearInterval(this.#watch);
    void killGroups(this.#runners.keys()).then((areDead) => this.#events.ended(how, code, areDead));
  }
}
