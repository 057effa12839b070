import { setTimeout as sleep } from 'node:timers/promises';
import { DeadlineFile } from './deadline-file.ts';
import { type Etcd, Refused } from '../etcd/etcd.ts';
import { EtcdWatch } from '../etcd/etcd-watch.ts';
import { HostProcess } from './host-process.ts';
import type { KernelGate } from './kernel-gate.ts';
import { EtcdLease, type LeaseState } from '../etcd/lease.ts';
import type { Held, Holder, PairView, Role, Switch } from '../ports.ts';

/** Milliseconds. */
const times = {
  /** Between the beginnings of two renewals, and of two looks of a standby. */
  renew: 500,
  look: 150,
  /** After a renewal that succeeded was sent: nothing is sent to devices, and runners of drivers are killed. */
  deadline: 3000,
  kill: 3500,
  /** After the gate was shut: what is on its way to a device has arrived. */
  underWay: 500,
  /** See `Agent`. */
  hold: 60_000,
  /** For a host to be ready again after a lapse; then the lease is given back. */
  resume: 800,
  /** A free lease that the other gateway does not take for this long is taken in any case. */
  untaken: 10_000,
  /** For this long the other gateway alone may take a lease that this one gave back. */
  leaveToOther: 2000,
  /** Between two views for the host. */
  view: 500,
  /** Without an answer for this long, etcd counts as unreachable. */
  reachable: 1000,
} as const;

/** Pauses before a host that crashed soon after its start is started again, in milliseconds. */
const restarts = [0, 500, 1000, 2000, 5000, 10_000];

/** A host that ran for this long was healthy. */
const healthyAfter = 30_000;

export interface AgentOptions {
  readonly etcd: Etcd;
  /** What both gateways of the pair call it. */
  readonly pair: string;
  readonly name: string;
  /** Where clients reach this gateway; undefined: where its host says that it listens. */
  readonly url: string | undefined;
  /** It never takes the lease. */
  readonly safe: boolean;
  readonly gate: KernelGate | undefined;
  /** For people: one sentence at a time. */
  readonly report: (sentence: string) => void;
}

/**
 * The agent of a gateway in a pair: the process that holds the lease, and the parent of the host.
 *
 * It takes the lease when that is free and its host is ready, renews it every half second, and moves the deadline with each renewal, to
 * 3 s after the moment before it was sent. Without a renewal for 3.5 s it kills the runners of drivers, and has the host begin again
 * as a standby. When the host crashes or says nothing for 2 s, it and its runners are killed, and the lease is given back half a second
 * later, when nothing of them is on its way to a device any more.
 *
 * A lease that lapsed, because etcd did not answer, is renewed as soon as etcd does, and polling goes on if it was not lost meanwhile.
 *
 * A gateway does not take the lease back without need. One that lost the lease because it could not renew it has a bad link or was
 * blocked: for a minute it leaves a lease that ended in the same way to the other gateway, if that is there and takes it within 10 s, and
 * takes at once only a lease that the other one gave back. So a link that flaps causes one switch, and not one with every flap, and a
 * crash of the other gateway is still covered at once. A lease that a gateway gave back itself, or that it held when it
 * was killed, it takes only after the other one had 2 s.
 */
export class Agent {
  readonly #options: AgentOptions;
  readonly #lease: EtcdLease;
  readonly #watch: EtcdWatch;
  readonly #file = new DeadlineFile();
  readonly #done = Promise.withResolvers<number>();
  #host: HostProcess | undefined;
  #hostSince = 0;
  #crashes = 0;
  #wasEverReady = false;
  /** It has held the lease since this process was started. */
  #hasHeld = false;
  #url = '';
  #held: Held | undefined;
  /** The lease that could not be renewed in time, and may still be this gateway's: nothing is sent with it, and no driver lives. */
  #lapsed: Held | undefined;
  /** `performance.now()` of the first renewal after a lapse. */
  #keptSince: number | undefined;
  /** `process.hrtime.bigint()` before the renewal that succeeded last was sent. */
  #renewed = 0n;
  #killer: NodeJS.Timeout | undefined;
  #reason = 'It has just been started.';
  #holder: (Holder & Held) | undefined;
  #lastSwitch: Switch | undefined;
  /** `performance.now()` of the last answer of etcd, and of the last sight of a holder. */
  #answered = -Infinity;
  #seen = -Infinity;
  /** `performance.now()` when the other gateway may have renewed the lease last. */
  #renewedByOther = -Infinity;
  /** Until when this gateway leaves a lease that was not renewed to the other. */
  #holdUntil = -Infinity;
  /** Since when the lease is free, as far as this gateway has seen. */
  #freeSince: number | undefined;
  #isEnding = false;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#lease = new EtcdLease(options.etcd, options.pair);
    this.#watch = new EtcdWatch(options.etcd, options.report);
  }

  /** Resolves to the exit code, when everything has ended. */
  async run(): Promise<number> {
    this.#startHost();
    const views = setInterval(() => this.#sendView(), times.view);
    void this.#loop();
    const code = await this.#done.promise;
    clearInterval(views);
    clearTimeout(this.#killer);
    this.#watch[Symbol.dispose]();
    this.#file[Symbol.dispose]();
    this.#options.gate?.[Symbol.dispose]();
    this.#options.etcd.close();
    return code;
  }

  /** The host ends in an orderly way, the lease is given back, and `run` resolves. */
  end(): void {
    this.#isEnding = true;
    this.#host?.signal('SIGTERM');
    this.#host?.expectEnd();
    if (this.#host === undefined) this.#done.resolve(0);
  }

  /** For the host alone. */
  signal(signal: NodeJS.Signals): void {
    this.#host?.signal(signal);
  }

  async #loop(): Promise<void> {
    while (!this.#isEnding || this.#held !== undefined) {
      const begun = performance.now();
      try {
        if (this.#held !== undefined) await this.#renew();
        else if (this.#lapsed !== undefined) await this.#resume(this.#lapsed);
        else await this.#look();
      } catch (error) {
        // The view shows it, and the deadline does not move.
        if (error instanceof Refused) this.#refused(error);
        else this.#freeSince = undefined;
        this.#watch.unanswered(error);
      }
      const pause = this.#held === undefined ? times.look : times.renew;
      await sleep(Math.max(0, begun + pause - performance.now()));
    }
  }

  /** etcd answers, and does not do what it is asked. */
  #refused(error: Refused): void {
    this.#answered = performance.now();
    this.#watch.refused(error);
  }

  async #renew(): Promise<void> {
    const sent = process.hrtime.bigint();
    const held = this.#held;
    const isKept = await this.#lease.renew((error) => this.#refused(error));
    this.#answered = this.#seen = performance.now();
    if (held !== this.#held) return;
    if (!isKept) this.#lose('The lease ended, because it was not renewed in time or its key was deleted.');
    else this.#moveDeadline(sent);
  }

  #moveDeadline(sent: bigint): void {
    const age = Number((process.hrtime.bigint() - sent) / 1_000_000n);
    if (age >= times.kill) {
      this.#loseByTime();
      return;
    }
    this.#renewed = sent;
    this.#file.set(sent + BigInt(times.deadline) * 1_000_000n);
    this.#options.gate?.open(times.deadline - age);
    clearTimeout(this.#killer);
    this.#killer = setTimeout(() => this.#loseByTime(), times.kill - age);
  }

  /**
   * A lease that was not renewed in time, as when the majority of etcd was away, may not have been lost: what still is this gateway's is
   * taken up again at once, when the host is ready again. Otherwise nobody would poll until the lease has ended.
   */
  async #resume(lapsed: Held): Promise<void> {
    const sent = process.hrtime.bigint();
    const isKept = await this.#lease.renew((error) => this.#refused(error));
    const now = (this.#answered = performance.now());
    if (lapsed !== this.#lapsed) return;
    this.#keptSince ??= now;
    const host = this.#host;
    if (!isKept) this.#lapsed = undefined;
    else if (host?.isReady === true) {
      this.#lapsed = undefined;
      const reason = 'The lease is renewed again, and polling goes on.';
      this.#options.report(reason);
      this.#promote(host, lapsed, sent, reason);
    } else if (now - this.#keptSince > times.resume) {
      await this.#lease.release('The gateway was not ready in time to poll again.');
      this.#lapsed = undefined;
    }
  }

  #loseByTime(): void {
    this.#lose(
      `The lease could not be renewed for ${times.kill / 1000} s, so polling has stopped.`,
      this.#held,
    );
  }

  async #look(): Promise<void> {
    const state = await this.#lease.look();
    const now = performance.now();
    this.#answered = now;
    this.#lastSwitch = state.lastSwitch;
    const before = this.#holder?.fence;
    this.#holder = state.holder;
    if (state.holder !== undefined) {
      if (state.isFresh) this.#renewedByOther = now;
      this.#seen = now;
      this.#freeSince = undefined;
    } else this.#freeSince ??= now;
    if (before !== state.holder?.fence) this.#sendView();
    if (state.holder === undefined && this.#mayTake(state, now)) await this.#take();
  }

  #mayTake({ givenBack, lastSwitch, members }: LeaseState, now: number): boolean {
    const { name, safe } = this.#options;
    if (safe || this.#isEnding || this.#host?.isReady !== true) return false;
    // A lease may end too early: in older versions of etcd, such as 3.4.23, a leader that continues after a stop ends leases that were
    // renewed meanwhile. The last holder may then poll until its own deadline.
    if (givenBack === undefined && now - this.#renewedByOther < times.kill) return false;
    const free = now - (this.#freeSince ?? now);
    const isOurs = givenBack?.name === name;
    if (isOurs && free < times.leaveToOther) return false;
    const isOtherThere = members.some((member) => member !== name);
    // This gateway was killed and is back before its lease has ended.
    const isBack = givenBack === undefined && !this.#hasHeld && lastSwitch?.to === name;
    if (isBack && isOtherThere && free < times.leaveToOther) return false;
    if ((givenBack !== undefined && !isOurs) || now > this.#holdUntil) return true;
    return !isOtherThere || free > times.untaken;
  }

  async #take(): Promise<void> {
    const { name, url } = this.#options;
    const host = this.#host;
    const holder = { name, url: url ?? this.#url };
    const sent = process.hrtime.bigint();
    const taken = await this.#lease.take(holder);
    if (taken === undefined) return;
    const held = (this.#held = { fence: taken.fence });
    this.#hasHeld = true;
    this.#answered = performance.now();
    if (this.#isEnding || host === undefined || host !== this.#host) {
      this.#letGo();
      await this.#release('The host of the gateway ended while it took the lease.');
      return;
    }
    this.#lastSwitch = taken.lastSwitch;
    this.#promote(host, held, sent, taken.lastSwitch.reason);
  }

  /** Its host polls from here on with the lease that was renewed by what was sent at `sent`. */
  #promote(host: HostProcess, held: Held, sent: bigint, reason: string): void {
    const { name, url } = this.#options;
    this.#held = held;
    this.#holder = { name, url: url ?? this.#url, ...held };
    this.#seen = performance.now();
    this.#moveDeadline(sent);
    // It is lost again if that took too long.
    if (this.#held === undefined) return;
    this.#reason = reason;
    this.#sendView();
    host.send({ op: 'promote', fence: held.fence });
  }

  /** The lease is gone or about to end: all drivers are killed, and the host starts again. `lapsed` may be renewed again. */
  #lose(reason: string, lapsed?: Held): void {
    if (this.#held === undefined) return;
    this.#holdUntil = performance.now() + times.hold;
    void this.#stepDown(reason, lapsed);
  }

  async #stepDown(reason: string, lapsed?: Held): Promise<void> {
    const wasHeld = this.#letGo();
    const host = this.#host;
    this.#options.report(reason);
    this.#reason = reason;
    // This host is not ready from here on: while its drivers are killed it is not to be made the active one again.
    host?.expectEnd();
    const areDead = (await host?.killDrivers()) !== false;
    host?.send({ op: 'demote', reason });
    this.#sendView();
    // While a driver lives, the lease may only end by itself.
    if (!wasHeld || !areDead) return;
    if (lapsed === undefined) return this.#release(reason);
    this.#lapsed = lapsed;
    this.#keptSince = undefined;
  }

  /** From here on nothing is sent to devices, and the lease is not renewed. True: this gateway had it. */
  #letGo(): boolean {
    const wasHeld = this.#held !== undefined;
    this.#held = undefined;
    this.#holder = undefined;
    clearTimeout(this.#killer);
    this.#file.shut();
    if (wasHeld) this.#options.gate?.shut();
    return wasHeld;
  }

  /** A lease that cannot be given back ends by itself. */
  async #release(reason: string): Promise<void> {
    await this.#lease.release(reason).catch(() => undefined);
  }

  #startHost(): void {
    this.#hostSince = performance.now();
    const host: HostProcess = new HostProcess(this.#file.path, this.#options.gate?.withoutIt ?? [], {
      ready: (url) => {
        this.#url = url;
        this.#wasEverReady = true;
      },
      active: () => this.#sendView(),
      handOver: (reason) => void this.#stepDown(reason),
      driver: (pid) => this.#options.gate?.add(pid),
      idle: () => {
        if (this.#isEnding && this.#letGo()) void this.#release(this.#ended());
      },
      ended: (how, code, areDead) => void this.#hostEnded(how, code, areDead),
    });
    this.#host = host;
  }

  #ended(): string {
    return `The gateway "${this.#options.name}" was ended.`;
  }

  async #hostEnded(how: string, code: number, areDead: boolean): Promise<void> {
    this.#host = undefined;
    const wasHeld = this.#letGo();
    // A request of a killed runner that arrives later than the first one of the other gateway would be late.
    if (wasHeld && areDead) await sleep(times.underWay);
    if (this.#isEnding) {
      if (wasHeld && areDead) await this.#release(this.#ended());
      this.#done.resolve(code);
      return;
    }
    if (wasHeld) {
      this.#reason = `The host of the gateway "${this.#options.name}" ${how}.`;
      this.#options.report(this.#reason);
      if (areDead) await this.#release(this.#reason);
    }
    if (!this.#wasEverReady) {
      // The host has reported why it cannot start, and would fail again.
      this.#done.resolve(code);
      return;
    }
    const wasHealthy = performance.now() - this.#hostSince > healthyAfter || code === 0;
    this.#crashes = wasHealthy ? 0 : this.#crashes + 1;
    await sleep(restarts[Math.min(this.#crashes, restarts.length - 1)]);
    if (this.#isEnding) this.#done.resolve(code);
    else this.#startHost();
  }

  #sendView(): void {
    const now = performance.now();
    const role: Role = this.#held === undefined ? 'standby' : 'active';
    const isReachable = now - this.#answered < times.reachable;
    const age = Number((process.hrtime.bigint() - this.#renewed) / 1_000_000n);
    const sinceSeen = Number.isFinite(this.#seen) ? Math.round(now - this.#seen) : undefined;
    const view: PairView = {
      role,
      reason: this.#reason,
      holder: isReachable || role === 'active' ? this.#holder : undefined,
      leaseAge: role === 'active' ? age : sinceSeen,
      reachable: isReachable,
      problem: isReachable ? this.#watch.problem : this.#watch.silence,
      lastSwitch: this.#lastSwitch,
    };
    this.#host?.send({ op: 'view', view });
  }
}
