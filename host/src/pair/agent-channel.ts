import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeadlineFile } from './deadline-file.ts';
import type { EtcdLease } from './lease.ts';
import type { FromAgent, FromHost, PairLink, PairView } from './ports.ts';
import { kill, killGroups } from './process-groups.ts';

/** Milliseconds. */
const times = {
  beat: 250,
  /** Without a view for so long the agent has come to a stop. */
  silence: 1500,
  /** For the lease to be given back in the name of an agent that is gone. */
  giveBack: 1500,
} as const;

export interface AgentChannelOptions {
  readonly deadlineFile: string;
  /** The lease of the pair, which is the agent's, but when that is gone. */
  readonly lease: EtcdLease;
  readonly name: string;
  /** The agent is gone, and no driver lives: what it leaves behind is to be removed. */
  readonly cleanUp: () => void;
  /** For people: one sentence at a time. */
  readonly tell: (sentence: string) => void;
}

interface Events {
  promote: [fence: string];
  demote: [reason: string];
  view: [view: PairView];
}

/**
 * The host's side of the line to its agent. When the agent dies or says nothing for 1.5 s, nobody keeps watch over the lease any more:
 * the runners of drivers are killed, then the agent, the lease is given back if that is possible, and this process ends.
 */
export class AgentChannel extends EventEmitter<Events> implements PairLink {
  readonly deadlineFile: string;
  readonly #options: AgentChannelOptions;
  readonly #runners = new Map<number, 'driver' | 'app'>();
  readonly #agent = process.ppid;
  #view: PairView | undefined;
  #fence: string | undefined;
  #lastHeard = performance.now();
  #lastLook = performance.now();
  #isOver = false;

  constructor(options: AgentChannelOptions) {
    super();
    this.#options = options;
    this.deadlineFile = options.deadlineFile;
    process.on('message', (message) => this.#take(message as FromAgent));
    process.on('disconnect', () => void this.#alone('ended'));
    setInterval(() => this.#look(), times.beat).unref();
    if (!process.connected) void this.#alone('ended');
  }

  get view(): PairView | undefined {
    return this.#view;
  }

  ready(url: string): void {
    this.#send({ op: 'ready', url });
  }

  active(): void {
    this.#send({ op: 'active' });
  }

  runner(pid: number, kind: 'driver' | 'app'): void {
    this.#runners.set(pid, kind);
    this.#send({ op: 'runner', pid, kind });
  }

  gone(pid: number): void {
    this.#runners.delete(pid);
    this.#send({ op: 'gone', pid });
  }

  handOver(reason: string): void {
    this.#send({ op: 'hand-over', reason });
  }

  #send(message: FromHost): void {
    if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
  }

  #take(message: FromAgent): void {
    this.#lastHeard = performance.now();
    switch (message.op) {
      case 'view':
        this.#view = message.view;
        this.emit('view', message.view);
        break;
      case 'promote':
        this.#fence = message.fence;
        this.emit('promote', message.fence);
        break;
      case 'demote':
        this.#fence = undefined;
        this.emit('demote', message.reason);
        break;
    }
  }

  #look(): void {
    this.#send({ op: 'beat' });
    const now = performance.now();
    // This process itself was held up: what the agent said may lie in the channel.
    if (now - this.#lastLook > 3 * times.beat) this.#lastHeard = now;
    this.#lastLook = now;
    if (now - this.#lastHeard > times.silence)
      void this.#alone(`did not answer for ${times.silence / 1000} s`);
  }

  /** `how` completes the sentence "The agent …". */
  async #alone(how: string): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    const { lease, name, cleanUp, tell } = this.#options;
    const reason = `The agent of the gateway "${name}" ${how}.`;
    const file = openDeadline(this.deadlineFile);
    file?.shut();
    const drivers = [...this.#runners].filter(([, kind]) => kind === 'driver').map(([pid]) => pid);
    const dead = killGroups(drivers);
    // Its number is another process's once it is gone and its children are someone else's.
    if (process.ppid === this.#agent) kill(this.#agent);
    tell(`${reason} The drivers were ended, and this process ends.`);
    if ((await dead) && this.#fence !== undefined) {
      const given = lease.releaseOf({ name, url: '', fence: this.#fence }, reason).catch(() => undefined);
      await Promise.race([given, sleep(times.giveBack)]);
    }
    cleanUp();
    file?.[Symbol.dispose]();
    process.exit(1);
  }
}

/** Undefined when it is gone, with which nothing may be sent either. */
function openDeadline(path: string): DeadlineFile | undefined {
  try {
    return new DeadlineFile(path);
  } catch {
    return undefined;
  }
}
