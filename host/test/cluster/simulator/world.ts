import { rules } from '../../../src/cluster/member.ts';
import {
  type ClusterNode,
  type MemberEvent,
  type Right,
  writer,
} from '../../../src/cluster/member-events.ts';
import { allows, type Placement, affinitiesOf } from '../../../src/cluster/placement.ts';
import { times } from '../../../src/cluster/times.ts';
import { Chance, Clockwork } from './clockwork.ts';
import { Devices } from './devices.ts';
import { EtcdModel, type EtcdTraits } from './etcd-model.ts';
import { GatewayModel, type Surroundings, type Traits } from './gateway-model.ts';

export interface WorldOptions extends Partial<Traits>, Partial<EtcdTraits> {
  readonly seed: number;
  readonly gateways: number;
  readonly nodes: number;
  /** Nodes with pins, labels and bonds, and a configuration that changes them. Default true. */
  readonly isPlaced?: boolean;
  /** Milliseconds for the longest way of a request to its device. */
  readonly flight?: number;
  readonly poisoned?: readonly number[];
  /** From then on nobody changes the configuration. */
  readonly quietFrom?: number;
}

/** Milliseconds between two requests of a node. */
export const interval = 1000;

/** A plant: gateways, etcd, devices, and the clock of all of them. */
export class World {
  readonly clock = new Clockwork();
  readonly chance: Chance;
  readonly etcd: EtcdModel;
  readonly devices = new Devices(interval);
  readonly gateways: readonly GatewayModel[];
  readonly options: WorldOptions;
  readonly alarms: number[] = [];
  /** Sentences of what was wrong beside the requests that came late. */
  readonly wrongs: string[] = [];
  readonly #parked: (() => void)[] = [];
  readonly #isPlaced: boolean;
  readonly #nodesOf = new Map<number, readonly ClusterNode[]>();

  constructor(options: WorldOptions) {
    const { seed, gateways, restartsLeases = true, compares = true } = options;
    this.options = options;
    this.#isPlaced = options.isPlaced ?? true;
    this.chance = new Chance(seed);
    this.etcd = new EtcdModel(this.clock, { restartsLeases, compares });
    const traits: Traits = {
      gate: options.gate ?? true,
      looksAtDeadline: options.looksAtDeadline ?? true,
      resets: options.resets ?? true,
      forgets: options.forgets ?? true,
      rules: options.rules ?? rules,
      times: options.times ?? times,
      heard: options.heard ?? ((event: MemberEvent) => event),
    };
    const around: Surroundings = {
      clock: this.clock,
      chance: this.chance,
      etcd: this.etcd,
      devices: this.devices,
      traits,
      interval,
      flight: options.flight ?? 300,
      nodesAfter: (head) => this.nodesAfter(head),
      poisoned: new Set(options.poisoned ?? []),
      started: (gateway, right) => this.#started(gateway, right),
      alarmed: (right) => this.alarms.push(right),
      quietFrom: options.quietFrom ?? Infinity,
      changed: () => {
        for (const gateway of this.gateways)
          this.clock.after(this.chance.between(20, 250), () => gateway.catchUp());
      },
      parked: this.#parked,
    };
    this.gateways = Array.from(
      { length: gateways },
      (_, at) =>
        new GatewayModel({ name: `gateway ${at + 1}`, labels: at % 2 === 0 ? ['even'] : ['odd'] }, around),
    );
    for (const gateway of this.gateways) this.clock.after(this.chance.between(0, 200), () => gateway.boot());
  }

  /** The nodes after that many changes, some of which move a pin or take a node away for a while. */
  nodesAfter(head: number): readonly ClusterNode[] {
    const known = this.#nodesOf.get(head);
    if (known !== undefined) return known;
    const { nodes: count, gateways } = this.options;
    const draft = Array.from({ length: count }, (_, at) => {
      const id = at + 1;
      const placement: Placement = this.#isPlaced ? this.#placementOf(id, head, gateways) : {};
      const bound = this.#isPlaced && id % 5 === 2 && id > 1 ? { with: [id - 1] } : {};
      return { id, placement, ...bound };
    });
    const there = this.#isPlaced ? draft.filter(({ id }) => (id + head) % 11 !== 3 || id < 4) : draft;
    const affinities = affinitiesOf(there);
    const nodes = there.map(({ id, placement }) => ({ id, placement, affinity: affinities.get(id)! }));
    this.#nodesOf.set(head, nodes);
    return nodes;
  }

  #placementOf(id: number, head: number, gateways: number): Placement {
    if (id % 7 === 5) return { labels: ['even'] };
    if (id % 7 !== 3) return {};
    const first = Math.floor(head / 3) % gateways;
    return { gateways: [`gateway ${first + 1}`, `gateway ${((first + 1) % gateways) + 1}`] };
  }

  run(until: number): void {
    this.clock.run(until);
  }

  elect(): void {
    this.etcd.elect();
    const parked = this.#parked.splice(0);
    for (const work of parked) work();
  }

  /** Looks at the plant at its end, when all faults are over for long enough. */
  judge(): void {
    const { now } = this.clock;
    const owners = new Map<number, string>();
    for (const [right, { member }] of this.etcd.owners) owners.set(right, member);
    if (!owners.has(writer)) this.wrongs.push('Nobody may write.');
    const nodes = this.nodesAfter(this.etcd.head);
    for (const { id, affinity, placement } of nodes) {
      const silent = now - this.devices.lastAsked(id);
      if (silent > 5 * interval) this.wrongs.push(`Node ${id} was not asked for ${Math.round(silent)} ms.`);
      const owner = owners.get(id);
      const place = this.gateways.find(({ place: { name } }) => name === owner)?.place;
      if (place !== undefined && !allows(placement, { ...place, capacity: 1, load: 0 }))
        this.wrongs.push(`Node ${id} is at "${place.name}", where it may not be.`);
      if (owner !== owners.get(affinity)) this.wrongs.push(`Node ${id} is not where node ${affinity} is.`);
    }
  }

  #started(gateway: GatewayModel, { right, fence }: Right): void {
    const owner = this.etcd.owners.get(right);
    const needed = owner?.fence === fence ? (this.etcd.headWhenFree.get(right) ?? 0) : 0;
    if (gateway.applied < needed)
      this.wrongs.push(`Node ${right} was started with change ${gateway.applied} in place of ${needed}.`);
  }
}
