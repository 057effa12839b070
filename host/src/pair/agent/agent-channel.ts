import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeadlineFile } from './deadline-file.ts';
import type { EtcdLease } from '../etcd/lease.ts';
import type { FromAgent, FromHost, PairLink, PairView } from '../ports.ts';
import { kill, killGroups } from './process-groups.ts';

/** Milliseconds. */
const times = {
  beat: 250,
  /** An agent that sends no view for this long hangs. */
  silence: 1500,
  /** After the gate was shut: what is on its way to a device has arrived. */
  underWay: 500,
  /** For giving the lease back in place of an agent that is gone. */
  giveBack: 1500,
} as const;

export interface AgentChannelOptions {
  readonly deadlineFile: string;
  /** The lease of the pair. The agent uses it, and this process only when the agent is gone. */
  readonly lease: EtcdLease;
  readonly name: string;
  /** Removes what the agent leaves behind; called when the agent and all drivers are gone. */
  readonly cleanUp: () => Promise<void>;
  /** For people: one sentence at a time. */
  readonly report: (sentence: string) => void;
}

interface Events {
  promote: [fence: string];
  demote: [reason: string];
  view: [view: PairView];
}

/**
 * The host's end of the channel to its agent. When the agent dies or sends nothing for 1.5 s, nothing renews the lease any more: the
 * runners of drivers are killed, then the agent, the lease is given back if that is possible, and this process ends.
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
    process.on('disconnect', () => void this.#agentLost('ended'));
    setInterval(() => this.#look(), times.beat).unref();
    if (!process.connected) void this.#agentLost('ended');
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
    // This process itself was blocked: messages of the agent may wait in the channel.
    if (now - this.#lastLook > 3 * times.beat) this.#lastHeard = now;
    this.#lastLook = now;
    if (now - this.#lastHeard > times.silence)
      void this.#agentLost(`did not answer for ${times.silence / 1000} s`);
  }

  /** `how` completes the sentence "The agent …". */
  async #agentLost(how: string): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    const { lease, name, cleanUp, report } = this.#options;
    const reason = `The agent of the gateway "${name}" ${how}.`;
    const file = openDeadline(this.deadlineFile);
    file?.shut();
    const drivers = [...this.#runners].filter(([, kind]) => kind === 'driver').map(([pid]) => pid);
    const dead = killGroups(drivers);
    // When the agent is gone, this process has another parent, and its number may belong to another process.
    if (process.ppid === this.#agent) kill(this.#agent);
    report(`${reason} The drivers were ended, and this process ends.`);
    if ((await dead) && this.#fence !== undefined) {
      await sleep(times.underWay);
      const given = lease.releaseOf({ name, url: '', fence: this.#fence }, reason).catch(() => undefined);
      await Promise.race([given, sleep(times.giveBack)]);
    }
    await cleanUp();
    file?.[Symbol.dispose]();
    process.exit(1);
  }
}

/** Undefined when the file is gone, and then drivers may not send anything either. */
function openDeadline(path: string): DeadlineFile | undefined {
  try {
    return new DeadlineFile(path);
  } catch {
    return undefined;
  }
}
