import { type Rule, step } from '../../../src/cluster/member.ts';
import {
  type ClusterNode,
  type Command,
  type HostFacts,
  type MemberEvent,
  type Right,
  writer,
} from '../../../src/cluster/member-events.ts';
import { type MemberState, newMember } from '../../../src/cluster/member-state.ts';
import type { Times } from '../../../src/cluster/times.ts';
import type { Chance, Clockwork } from './clockwork.ts';
import type { Devices, Packet } from './devices.ts';
import type { EtcdModel } from './etcd-model.ts';

/** What a gateway of the simulation may be without. All are there in the product, but for the kernel's gate, which is where it may be. */
export interface Traits {
  /** The kernel drops what is sent after the deadline. */
  readonly gate: boolean;
  /** Runners look at the deadline before every request (rule 1). */
  readonly looksAtDeadline: boolean;
  /** Runners reset their sockets at the deadline (rule 2). */
  readonly resets: boolean;
  /** What killed processes have left in the kernel ends with the gate for them. */
  readonly forgets: boolean;
  /** The rules of the members, and their times. */
  readonly rules: readonly Rule[];
  readonly times: Times;
  /** Changes what a member hears. */
  readonly heard: (event: MemberEvent) => MemberEvent;
}

/** What all gateways share. */
export interface Surroundings {
  readonly clock: Clockwork;
  readonly chance: Chance;
  readonly etcd: EtcdModel;
  readonly devices: Devices;
  readonly traits: Traits;
  /** Milliseconds between two requests to a device, and for the longest on its way there. */
  readonly interval: number;
  readonly flight: number;
  /** The nodes after so many changes of the configuration. */
  readonly nodesAfter: (head: number) => readonly ClusterNode[];
  /** Nodes that kill the host that runs them. */
  readonly poisoned: ReadonlySet<number>;
  /** A node began to run. */
  readonly started: (gateway: GatewayModel, right: Right) => void;
  readonly alarmed: (right: number) => void;
  /** From then on nobody changes the configuration. */
  readonly quietFrom: number;
  /** The configuration was changed. */
  readonly changed: () => void;
  /** A request that etcd had no leader for may be done by the next one. */
  readonly parked: (() => void)[];
}

export interface Place {
  readonly name: string;
  readonly labels: readonly string[];
}

/** Milliseconds. */
const ipc = 2;
const beatEvery = 250;
const viewSilence = 1500;
const request = 500;
/** By which the kernel may shut its gate late. */
const gateSlack = 250;

/** One gateway: an agent with its part of the protocol, a host that runs nodes, and what the kernel has to send. Each can fail by itself. */
export class GatewayModel {
  readonly place: Place;
  applied = 0;
  cutOut = false;
  cutIn = false;
  deviceCut = false;
  isDiskFull = false;
  /** Milliseconds that etcd takes longer. */
  slowness = 0;
  isDraining = false;
  member: MemberState | undefined;
  readonly runs = new Map<number, number>();
  readonly #around: Surroundings;
  /** They grow when the process is gone; what it was to do is not done. */
  #agentLife = 0;
  #hostLife = 0;
  #agentInbox: MemberEvent[] | undefined;
  #hostInbox: (() => void)[] | undefined;
  #isHostUp = false;
  #isBehind = false;
  #seenRevision: number | undefined;
  #tickAt = Infinity;
  /** Of the deadline file, and of the kernel's gate. */
  #until = 0;
  #gateUntil = 0;
  /** Undefined: none lives; what the kernel has of one that was killed stays. */
  #runners: 'going' | 'stopped' | undefined;
  /** What the clocks of this machine lack, after it stood still. */
  #lag = 0;
  /** Nodes for which the gate is shut, though it is open for others. */
  readonly #shut = new Set<number>();
  #queue: Packet[] = [];
  /** When the agent has shown itself last. */
  #agentSeen = 0;

  constructor(place: Place, around: Surroundings) {
    this.place = place;
    this.#around = around;
  }

  /** By the monotonic clock of this machine. */
  get #now(): number {
    return this.#around.clock.now - this.#lag;
  }

  // --- the agent ------------------------------------------------------------------------------------------------------------------

  boot(): void {
    const { traits } = this.#around;
    this.#agentLife++;
    this.#agentInbox = undefined;
    this.#seenRevision = undefined;
    this.#tickAt = Infinity;
    this.member = newMember(this.place.name, traits.times, this.#now);
    this.#forget(() => true);
    this.#feed({ kind: 'tick' });
    this.#bootHost();
  }

  killAgent(): void {
    this.member = undefined;
    this.#agentLife++;
    this.#agentInbox = undefined;
    this.#after(5, this.#hostLife, () => this.#agentLost());
  }

  stopAgent(): void {
    if (this.member !== undefined) this.#agentInbox ??= [];
  }

  resumeAgent(): void {
    const events = this.#agentInbox;
    this.#agentInbox = undefined;
    if (this.member !== undefined)
      for (const event of [{ kind: 'tick' } as const, ...(events ?? [])]) this.#feed(event);
  }

  #feed(event: MemberEvent): void {
    const { traits, clock } = this.#around;
    const { member } = this;
    if (member === undefined) return;
    if (this.#agentInbox !== undefined) {
      if (event.kind !== 'tick') this.#agentInbox.push(event);
      return;
    }
    this.#agentSeen = clock.now;
    const commands = step(member, traits.heard(event), this.#now, traits.rules);
    for (const command of commands) this.#carryOut(command);
    const at = Math.max(member.wakeAt, this.#now) + this.#lag;
    if (at >= this.#tickAt && this.#tickAt > clock.now) return;
    this.#tickAt = at;
    const life = this.#agentLife;
    clock.after(at - clock.now + 1, () => {
      if (life !== this.#agentLife || at !== this.#tickAt) return;
      this.#tickAt = Infinity;
      this.#feed({ kind: 'tick' });
    });
  }

  #carryOut(command: Command): void {
    const { etcd } = this.#around;
    const { name, labels } = this.place;
    const sent = this.#now;
    switch (command.op) {
      case 'join': {
        const { isReady, isDraining } = command;
        const entry = { name, labels, capacity: 1, load: 0, isReady, isDraining };
        return this.#ask(
          () => etcd.join(entry),
          (made) =>
            made === undefined ? { kind: 'failed', request: 'join' } : { kind: 'joined', sent, ...made },
        );
      }
      case 'renew': {
        const { lease } = command;
        return this.#ask(
          () => etcd.renew(lease),
          (isKept) =>
            isKept === undefined
              ? { kind: 'failed', request: 'renew' }
              : { kind: 'renewed', sent, lease, isKept },
        );
      }
      case 'look': {
        const since = command.isWhole ? undefined : this.#seenRevision;
        return this.#ask(
          () => etcd.look(since),
          (seen) => {
            if (seen === undefined) return { kind: 'failed', request: 'look' };
            this.#seenRevision = seen.revision;
            return { kind: 'looked', seen };
          },
        );
      }
      case 'register': {
        return this.#ask(
          () => etcd.register(name, command.lease, command),
          (done) => (done === true ? { kind: 'registered' } : { kind: 'failed', request: 'register' }),
        );
      }
      case 'take': {
        const { lease, rights } = command;
        return this.#ask(
          () => etcd.take(name, lease, rights),
          (fence) => ({ kind: 'took', lease, rights, fence }),
        );
      }
      case 'give':
        return this.#ask(
          () => etcd.give(name, command.rights),
          (isDone) => ({ kind: 'gave', rights: command.rights.map(({ right }) => right), isDone }),
        );
      case 'open':
        this.#until = command.until;
        this.#gateUntil = command.until === 0 ? 0 : command.until + gateSlack;
        if (command.until === 0) this.#reset();
        return;
      case 'shut':
        for (const right of command.rights) this.#shut.add(right);
        return this.#forget(({ node }) => command.rights.includes(node));
      case 'start':
        for (const { right } of command.rights) this.#shut.delete(right);
        return this.#toHost(() => this.#start(command.rights));
      case 'stop':
        return this.#toHost(() => this.#stop(command.rights));
      case 'kill':
        return this.#kill(command.isHost);
      case 'alarm':
        return this.#around.alarmed(command.right);
    }
  }

  /** A request to etcd and its answer, each of which may be lost, or be late. */
  #ask<T>(work: () => T, event: (answer: T | undefined) => MemberEvent): void {
    const { clock, chance, etcd, parked } = this.#around;
    const begun = clock.now;
    const life = this.#agentLife;
    let isOver = false;
    const end = (answer: T | undefined): void => {
      if (isOver) return;
      isOver = true;
      if (life === this.#agentLife) this.#feed(event(answer));
    };
    const lost = (): void => {
      if (!isOver) clock.after(Math.max(0, begun + request - clock.now), () => end(undefined));
    };
    const answered = (answer: T): void => {
      const delay = this.#delay();
      if (clock.now + delay > begun + request) return lost();
      clock.after(delay, () => (this.cutIn ? lost() : end(answer)));
    };
    const arrived = (): void => {
      if (this.cutOut) return lost();
      if (etcd.isUp) return answered(work());
      if (chance.is(0.3)) parked.push(() => void work());
      lost();
    };
    // A request that is held up on its way may be done long after it was given up.
    const delay = this.#delay() + (chance.is(0.003) ? chance.between(500, 4000) : 0);
    if (delay > request) lost();
    clock.after(delay, arrived);
  }

  #delay(): number {
    const { chance } = this.#around;
    const usual = 1 - 4 * Math.log(1 - chance.next());
    return usual + (chance.is(0.01) ? 100 : 0) + this.slowness * chance.next();
  }

  #kill(isHost: boolean): void {
    this.#endRunners();
    this.#forget(() => true);
    // What the host was sent before does not count any more.
    this.#toHost(() => this.#endRunners());
    const life = this.#agentLife;
    if (isHost) this.#endHost();
    this.#around.clock.after(this.#around.chance.between(5, 40), () => {
      if (life !== this.#agentLife) return;
      this.#feed({ kind: 'ended', isHost, areDead: true });
      if (isHost) this.#bootHost();
    });
  }

  // --- the host -------------------------------------------------------------------------------------------------------------------

  killHost(): void {
    this.#endHost();
    const life = this.#agentLife;
    this.#around.clock.after(this.#around.chance.between(5, 60), () => {
      if (life !== this.#agentLife) return;
      this.#feed({ kind: 'ended', isHost: true, areDead: true });
      this.#bootHost();
    });
  }

  stopHost(): void {
    if (this.#isHostUp) this.#hostInbox ??= [];
  }

  resumeHost(): void {
    const works = this.#hostInbox;
    this.#hostInbox = undefined;
    if (works === undefined || !this.#isHostUp) return;
    if (this.#runners === 'going') this.#sendLate();
    for (const work of works) work();
  }

  stopRunners(): void {
    if (this.#runners === 'going') this.#runners = 'stopped';
  }

  resumeRunners(): void {
    if (this.#runners !== 'stopped') return;
    this.#runners = 'going';
    this.#sendLate();
  }

  /** Some runners were stopped between their look at the deadline and their request. */
  #sendLate(): void {
    const { chance } = this.#around;
    for (const [right, fence] of this.runs) if (right !== writer && chance.is(0.05)) this.#send(right, fence);
  }

  #endRunners(): void {
    this.runs.clear();
    this.#runners = undefined;
  }

  #bootHost(): void {
    const { clock, chance } = this.#around;
    this.#endHost();
    const life = this.#hostLife;
    clock.after(chance.between(1000, 2000), () => {
      if (life !== this.#hostLife) return;
      this.#isHostUp = true;
      this.#agentSeen = clock.now;
      this.#beat(life);
      this.catchUp();
    });
  }

  #endHost(): void {
    this.#hostLife++;
    this.#isHostUp = false;
    this.#hostInbox = undefined;
    this.#endRunners();
  }

  #beat(life: number): void {
    if (life !== this.#hostLife) return;
    const { clock } = this.#around;
    if (this.#hostInbox === undefined) {
      this.#feed({ kind: 'beat' });
      const isGone = this.member === undefined || this.#agentInbox !== undefined;
      if (isGone && clock.now - this.#agentSeen > viewSilence) return this.#agentLost();
    }
    clock.after(beatEvery, () => this.#beat(life));
  }

  /** Nothing renews the lease any more: the runners are killed, the lease is given back after the wait, and all is started anew. */
  #agentLost(): void {
    const { clock, etcd, chance, traits } = this.#around;
    const lease = this.member?.lease ?? this.#leaseOfAgent;
    this.member = undefined;
    const life = ++this.#agentLife;
    this.#until = 0;
    this.#reset();
    this.#endHost();
    clock.after(traits.times.drain + chance.between(1, 20), () => {
      if (etcd.isUp && !this.cutOut && lease !== undefined) etcd.revoke(lease);
    });
    clock.after(chance.between(1500, 2500), () => {
      if (life === this.#agentLife) this.boot();
    });
  }

  get #leaseOfAgent(): string | undefined {
    return this.#around.etcd.members.get(this.place.name)?.lease;
  }

  #toHost(work: () => void): void {
    const life = this.#hostLife;
    this.#after(ipc, life, () => {
      if (this.#hostInbox === undefined) work();
      else this.#hostInbox.push(work);
    });
  }

  #after(ms: number, hostLife: number, work: () => void): void {
    this.#around.clock.after(ms, () => {
      if (hostLife === this.#hostLife) work();
    });
  }

  #start(rights: readonly Right[]): void {
    const { chance, started, poisoned } = this.#around;
    if (!this.#isHostUp) return;
    this.#runners ??= 'going';
    for (const one of rights) {
      const { right, fence } = one;
      this.runs.set(right, fence);
      started(this, one);
      if (right === writer) this.#write(fence);
      else this.#after(chance.between(20, 120), this.#hostLife, () => this.#poll(right, fence));
      if (poisoned.has(right)) this.#after(1000, this.#hostLife, () => this.killHost());
    }
  }

  /** A runner that is stopped ends nothing; the host kills it after a while. */
  #stop(rights: readonly number[]): void {
    const { chance } = this.#around;
    this.#after(this.#runners === 'stopped' ? 1000 : chance.between(5, 80), this.#hostLife, () => {
      for (const right of rights) this.runs.delete(right);
      const isReset = this.#around.traits.resets && this.#runners === 'going';
      if (isReset) this.#queue = this.#queue.filter(({ node }) => !rights.includes(node));
      this.#feed({ kind: 'stopped', rights });
    });
  }

  #write(fence: number): void {
    const { chance, clock, etcd, quietFrom } = this.#around;
    this.#after(chance.between(2000, 4000), this.#hostLife, () => {
      if (this.runs.get(writer) !== fence || clock.now > quietFrom) return;
      if (this.#hostInbox === undefined && !this.cutOut)
        clock.after(this.#delay(), () => etcd.isUp && etcd.append(fence) && this.#around.changed());
      this.#write(fence);
    });
  }

  /** Follows the configuration, as soon as it can. */
  catchUp(): void {
    if (this.#isBehind) return;
    const { clock, chance, etcd, nodesAfter } = this.#around;
    const isCut = this.cutOut || this.cutIn || !etcd.isUp;
    if (this.#isHostUp && this.#hostInbox === undefined && !isCut && !this.isDiskFull) {
      this.applied = etcd.head;
      const facts: HostFacts = {
        isReady: true,
        isDraining: this.isDraining,
        applied: this.applied,
        nodes: nodesAfter(this.applied),
      };
      this.#feed({ kind: 'host', facts });
      return;
    }
    if (!this.#isHostUp) return;
    this.#isBehind = true;
    clock.after(chance.between(200, 300), () => {
      this.#isBehind = false;
      this.catchUp();
    });
  }

  // --- the machine ----------------------------------------------------------------------------------------------------------------

  lose(): void {
    this.member = undefined;
    this.#agentLife++;
    this.#agentInbox = undefined;
    this.#endHost();
    this.#queue = [];
    this.#until = 0;
  }

  plug(): void {
    this.deviceCut = false;
    const packets = this.#queue;
    this.#queue = [];
    for (const packet of packets) this.#leaves(packet);
  }

  /** The clocks of the machine stood still with it for this long. */
  thaw(ms: number): void {
    this.#lag += ms;
    this.#tickAt = Infinity;
    this.resumeAgent();
    this.resumeHost();
  }

  #poll(right: number, fence: number): void {
    if (this.runs.get(right) !== fence) return;
    const { clock, chance, traits, interval } = this.#around;
    const life = this.#hostLife;
    const isGoing = this.#hostInbox === undefined && this.#runners === 'going';
    if (isGoing && (!traits.looksAtDeadline || this.#now < this.#until)) this.#send(right, fence);
    clock.after(interval * chance.between(0.97, 1.03), () => {
      if (life === this.#hostLife) this.#poll(right, fence);
    });
  }

  #send(node: number, fence: number): void {
    const packet = { node, fence, by: this.place.name };
    if (!this.deviceCut) return this.#leaves(packet);
    this.#queue.push(packet);
    if (this.#queue.length === 1 && this.#now < this.#until) this.#resetAtDeadline();
  }

  #leaves(packet: Packet): void {
    const { clock, chance, devices, traits, flight } = this.#around;
    if (traits.gate && (this.#now >= this.#gateUntil || this.#shut.has(packet.node))) return;
    const longest = chance.is(0.3) ? flight : flight / 10;
    clock.after(chance.between(1, longest), () => devices.arrived(packet, clock.now));
  }

  /** Has the kernel forget what killed processes have left, where the agent may ask that of it. */
  #forget(what: (packet: Packet) => boolean): void {
    const { gate, forgets } = this.#around.traits;
    if (gate && forgets) this.#queue = this.#queue.filter((packet) => !what(packet));
  }

  #resetAtDeadline(): void {
    this.#around.clock.after(Math.max(10, this.#until - this.#now), () => {
      if (this.#queue.length === 0) return;
      if (this.#now >= this.#until) this.#reset();
      if (this.#queue.length > 0) this.#resetAtDeadline();
    });
  }

  /** Empties the queue of the kernel, unless there is no runner that could. */
  #reset(): void {
    if (this.#around.traits.resets && this.#runners === 'going' && this.#hostInbox === undefined)
      this.#queue = [];
  }
}
