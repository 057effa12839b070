import type { ClusterEtcd } from './cluster-etcd.ts';
import { step } from './member.ts';
import type { Command, MemberEvent, Right } from './member-events.ts';
import { type MemberState, newMember } from './member-state.ts';
import { times } from './times.ts';

/** What the driver of a member has done on its machine. The words are those of `Command`. */
export interface MemberMachine {
  open(until: number): void;
  start(rights: readonly Right[]): void;
  stop(rights: readonly number[]): void;
  shut(rights: readonly number[]): void;
  kill(isHost: boolean, reason: string): void;
  alarm(right: number): void;
}

/** Runs the state machine of a member: by the monotonic clock of this process, with the real etcd and the machine that it is given. */
export class MemberDriver {
  readonly state: MemberState;
  readonly #etcd: ClusterEtcd;
  readonly #machine: MemberMachine;
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(name: string, etcd: ClusterEtcd, machine: MemberMachine) {
    this.state = newMember(name, times, performance.now());
    this.#etcd = etcd;
    this.#machine = machine;
  }

  /** Something has happened on this machine; the first one is a tick. */
  feed(event: MemberEvent): void {
    if (this.#isEnded) return;
    for (const command of step(this.state, event, performance.now())) this.#carryOut(command);
    clearTimeout(this.#timer);
    // A step that a command has led to may have set it, and may have ended this.
    if (!this.#isEnded) this.#timer = setTimeout(() => this.feed({ kind: 'tick' }), this.#pause());
  }

  /** Nothing is decided any more; the lease ends by itself. */
  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
  }

  #pause(): number {
    // A timer may be early by a fraction of a millisecond.
    return Math.max(0, Math.min(this.state.wakeAt - performance.now(), times.renew) + 1);
  }

  #carryOut(command: Command): void {
    const machine = this.#machine;
    switch (command.op) {
      case 'open':
        return machine.open(command.until);
      case 'start':
        return machine.start(command.rights);
      case 'stop':
        return machine.stop(command.rights);
      case 'shut':
        return machine.shut(command.rights);
      case 'kill':
        return machine.kill(command.isHost, command.reason);
      case 'alarm':
        return machine.alarm(command.right);
      default:
        void this.#etcd.carryOut(command).then((event) => this.feed(event));
    }
  }
}
