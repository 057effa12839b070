import { ErrorCode } from '@tagway/schemas';
import { Fault, type Log } from '@tagway/sdk';
import type { Pair, PairMember, PairStatus, ReplicationLag } from '../core/ports/pair.ts';
import type { Member, Members } from './members.ts';
import type { PairView } from './ports.ts';

export interface PairStateOptions {
  /** What both gateways call the pair. */
  readonly id: string;
  readonly members: Pick<Members, 'own' | 'others'>;
  /** What this gateway has yet to take over of the configuration; undefined while that is not known. */
  readonly lag: () => ReplicationLag | undefined;
  /** Ends all drivers of this gateway for good, by force after these milliseconds. */
  readonly haltDrivers: (within: number) => Promise<void>;
  /** Asks the agent to give the lease to the other gateway. */
  readonly giveLease: (reason: string) => void;
  readonly log: Pick<Log, 'notice' | 'warn'>;
}

/** Milliseconds that drivers have to end in a hand-over, so that the plant is without a gateway for at most a second. */
const stopWithin = 800;
/**
 * Most entries of the configuration log that the other gateway may be behind, by what it registered up to a second ago; it applies them
 * before it polls.
 */
const mostBehind = 200;

/** The pair as this gateway sees it: the agent's view of the lease, the replication of the configuration, and the members. */
export class PairState implements Pair {
  readonly #options: PairStateOptions;
  #view: PairView | undefined;
  /** When the agent sent the view, in milliseconds of a clock that never goes back. */
  #seenAt = 0;
  #isPromoted = false;
  /** From then on this gateway polls nothing and accepts no changes, until its agent restarts it. */
  #isHandingOver = false;
  #switches = 0;
  /** Fence of the holder that was logged last. */
  #lastFence: string | undefined;

  constructor(options: PairStateOptions) {
    this.#options = options;
  }

  status(): PairStatus {
    const { id, members, lag } = this.#options;
    const { own, others } = members;
    const view = this.#view;
    return {
      id,
      role: this.#isActive ? 'active' : 'standby',
      name: own.name,
      url: own.url,
      holder: view?.holder && { name: view.holder.name, url: view.holder.url },
      leaseAge: view?.leaseAge === undefined ? undefined : view.leaseAge + performance.now() - this.#seenAt,
      lag: lag(),
      reachable: view?.reachable ?? false,
      problem: view?.problem,
      handingOver: this.#isHandingOver,
      lastSwitch: view?.lastSwitch,
      switches: this.#switches,
      members: [own, ...others],
    };
  }

  /** Takes a view of the agent, and logs what is new in it. */
  see(view: PairView): void {
    const before = this.#view;
    this.#view = view;
    this.#seenAt = performance.now();
    const { lastSwitch } = view;
    const isSwitched =
      lastSwitch !== undefined && before !== undefined && lastSwitch.time !== before.lastSwitch?.time;
    if (isSwitched) this.#switches += 1;
    this.#logEtcd(before?.reachable ?? true, view);
    this.#logProblem(before?.problem, view);
    this.#logHolder(before, view);
  }

  /** All nodes of this gateway were started, because it has the lease. */
  promoted(): void {
    this.#isPromoted = true;
    const { log, members } = this.#options;
    log.notice(
      `This gateway, "${members.own.name}", is the active one of the pair now. ${this.#view?.reason ?? ''}`.trim(),
    );
  }

  /** This gateway may not poll any more; it ends and is started anew as the standby. `reason` is a sentence. */
  demoted(reason: string): void {
    this.#isPromoted = false;
    this.#options.log.warn(
      `This gateway, "${this.#options.members.own.name}", stops polling and becomes the standby of the pair. ${reason}`,
    );
  }

  async handOver(reason: string): Promise<PairMember> {
    const successor = this.#successor();
    this.#isHandingOver = true;
    this.#options.log.notice(
      `This gateway hands the plant over to "${successor.name}" at ${successor.url}. ${reason}`,
    );
    try {
      await this.#options.haltDrivers(stopWithin);
    } finally {
      this.#options.giveLease(reason);
    }
    return successor;
  }

  get #isActive(): boolean {
    return this.#isPromoted && this.#view?.role === 'active';
  }

  /** The gateway that can take over at this moment. Throws STANDBY or COMMAND_FAILED, with what to do. */
  #successor(): Member {
    const { own, others } = this.#options.members;
    if (!this.#isActive)
      throw new Fault(
        ErrorCode.STANDBY,
        `This gateway, "${own.name}", is the standby: the active one hands over.`,
      );
    const refuse = (why: string): never => {
      throw new Fault(ErrorCode.COMMAND_FAILED, `Nothing is handed over: ${why}`);
    };
    if (this.#isHandingOver) return refuse('a hand-over is under way already.');
    if (this.#view?.reachable !== true)
      return refuse('the majority of the members of etcd does not answer. Look at them first.');
    if (this.#view.problem !== undefined) return refuse(this.#view.problem);
    const [first] = others;
    if (first === undefined)
      return refuse('the other gateway of the pair is not there. Start it, and look at its log.');
    const ready = others.find((one) => one.ready);
    if (ready === undefined)
      return refuse(
        `"${first.name}" at ${first.url} is not ready yet, or was started with --safe. Look at its log, and try again.`,
      );
    const behind = own.applied - ready.applied;
    if (behind > mostBehind)
      return refuse(
        `"${ready.name}" has yet to take over ${behind} changes of the configuration. Try again in a moment.`,
      );
    return ready;
  }

  #logEtcd(wasReachable: boolean, { reachable, problem, role }: PairView): void {
    if (reachable === wasReachable) return;
    const { log } = this.#options;
    if (reachable) log.notice('The majority of the members of etcd answers again.');
    else
      log.warn(
        `The majority of the members of etcd does not answer${problem === undefined ? '.' : `: ${problem}`} ${
          role === 'active'
            ? 'Polling stops when the lease of this gateway ends, within 3.5 seconds.'
            : 'This gateway cannot become the active one until they do.'
        }`,
      );
  }

  #logProblem(before: string | undefined, { problem, reachable, role }: PairView): void {
    if (problem === before || !reachable) return;
    const { log } = this.#options;
    if (problem === undefined) log.notice('etcd does what this gateway asks again.');
    else
      log.warn(
        `${problem} ${
          role === 'active'
            ? 'This gateway goes on polling while its lease is renewed; no other one can take over, and the configuration cannot be changed.'
            : 'This gateway cannot become the active one until that is mended.'
        }`,
      );
  }

  /** Logs the other gateway as holder; `promoted` and `demoted` log changes of this one. */
  #logHolder(before: PairView | undefined, { holder, lastSwitch }: PairView): void {
    const { members, log } = this.#options;
    const { name } = members.own;
    if (before === undefined && holder === undefined)
      log.notice(`This gateway, "${name}", is the standby of the pair, and none is active yet.`);
    if (holder === undefined || holder.name === name) return;
    if (before === undefined)
      log.notice(
        `This gateway, "${name}", is the standby of the pair; "${holder.name}" at ${holder.url} is active.`,
      );
    else if (holder.fence !== this.#lastFence)
      log.notice(
        `"${holder.name}" at ${holder.url} is the active gateway of the pair now.${lastSwitch === undefined ? '' : ` ${lastSwitch.reason}`}`,
      );
    this.#lastFence = holder.fence;
  }
}
