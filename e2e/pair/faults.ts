import { readFile } from 'node:fs/promises';
import { sleep } from '../kit/until.ts';
import type { LimitName } from './judge.ts';
import { type MemberPlace, memberPlaces } from './members.ts';
import type { Direction, Place } from './network.ts';
import type { Pair, Roles } from './pair.ts';
import type { PairGateway } from './pair-gateway.ts';
import { now } from './referee.ts';

/** Returns a whole number from 0 up to the bound, which is excluded. */
export type Pick = (below: number) => number;

/** Where a fault happens. */
export interface Scene extends Roles {
  readonly pair: Pair;
  readonly pick: Pick;
}

export interface Fault {
  readonly kind: string;
  readonly limit: LimitName;
  /** Part of the short form. */
  readonly isQuick?: boolean;
  /** Only where clocks can be stepped. */
  readonly needsClock?: boolean;
  /** Only with three members of etcd of which two go: the majority is gone while it lasts. */
  readonly losesMajority?: boolean;
  /** Without the gate of the kernel no request may overlap either. */
  readonly isFencedAlone?: boolean;
  /** Does it and undoes it. What has to recover by itself is not waited for. */
  act(scene: Scene): Promise<void>;
}

/** The driver that polls the field device. */
const driver = 'modbus-tcp';

/** Milliseconds after which a lease that is not renewed has ended, also when the leader of etcd was lost with the holder. */
const leaseIsOver = 10_000;

const between = (pick: Pick, least: number, most: number): number => least + pick(most - least);

/** Sends a signal to processes, as far as they are still there. */
function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Stops processes, and lets them go on after a time. */
async function pause(pids: readonly number[], time: number): Promise<void> {
  signal(pids, 'SIGSTOP');
  await sleep(time);
  signal(pids, 'SIGCONT');
}

async function hostOf(gateway: PairGateway): Promise<number> {
  const { host } = await gateway.parts();
  if (host === undefined) throw new Error(`${gateway.side} has no host.`);
  return host;
}

const agentOf = async (gateway: PairGateway): Promise<number> => (await gateway.parts()).agent;

/** Processes of a gateway, as the names of faults have them. */
const processes = {
  host: async (gateway: PairGateway) => [await hostOf(gateway)],
  agent: async (gateway: PairGateway) => [await agentOf(gateway)],
  'driver runner': async (gateway: PairGateway) => [await gateway.runner(driver)],
  'agent and host': async (gateway: PairGateway) => [await agentOf(gateway), await hostOf(gateway)],
  'whole gateway': (gateway: PairGateway) => gateway.everything(),
} as const;
type Processes = keyof typeof processes;

/** Processes of the active gateway are killed. */
const killed = (what: Processes, limit: LimitName, isQuick = false): Fault => ({
  kind: `${what} killed`,
  limit,
  isQuick,
  act: async ({ active }) => signal(await processes[what](active), 'SIGKILL'),
});

/** Processes of the active gateway are stopped for a time, and go on. */
const stopped = (what: Processes, limit: LimitName, least = 2000, isQuick = false): Fault => ({
  kind: least === 2000 ? `${what} stopped 2-20 s` : `${what} stopped`,
  limit,
  isQuick,
  act: async ({ active, pick }) => pause(await processes[what](active), between(pick, least, 20_000)),
});

/** The active gateway is cut off from the two other machines. */
const cutFromBoth = (kind: string, direction: Direction, isQuick = false): Fault => ({
  kind,
  limit: 'machine',
  isQuick,
  act: (scene) => cutOff(scene, scene.active, [other(scene.active), 'witness'], direction),
});

const other = ({ side }: PairGateway): 'west' | 'east' => (side === 'west' ? 'east' : 'west');

/** Does something to a gateway's machine until the lease is over, and heals its network then. */
async function untilLeaseIsOver(
  { pair, pick }: Scene,
  gateway: PairGateway,
  act: (pair: Pair, gateway: PairGateway) => unknown,
): Promise<void> {
  await act(pair, gateway);
  await sleep(between(pick, leaseIsOver, leaseIsOver + 5000));
  pair.network.heal(gateway.side);
}

/** Cuts a gateway's machine off from others for a time. */
function cutOff(
  scene: Scene,
  gateway: PairGateway,
  others: readonly Place[],
  direction?: Direction,
): Promise<void> {
  return untilLeaseIsOver(scene, gateway, ({ network }, { side }) => network.cut(side, others, direction));
}

/** Kills a member of etcd, and starts it again after a time. */
async function without({ pair, pick }: Scene, places: readonly MemberPlace[]): Promise<void> {
  await Promise.all(places.map((place) => pair.members.kill(place)));
  await sleep(between(pick, 4000, 8000));
  for (const place of places) pair.members.begin(place);
}

/** The plug is pulled and put in again and again. */
export async function flap({ pair, pick }: Scene, place: Place, time: number): Promise<void> {
  for (const end = now() + time; now() < end;) {
    pair.network.link(place, false);
    await sleep(between(pick, 200, 2500));
    pair.network.link(place, true);
    await sleep(between(pick, 200, 2500));
  }
}

/** The machine of a gateway is gone with all that runs on it, and comes back. */
async function losePower(scene: Scene, gateway: PairGateway): Promise<void> {
  await untilLeaseIsOver(scene, gateway, async ({ network, members }, { side }) => {
    const pids = await gateway.everything();
    network.link(side, false);
    signal(pids, 'SIGKILL');
    await members.kill(side);
  });
  scene.pair.members.begin(gateway.side);
}

/** The clock of a machine is set an hour before or behind that of the others, or right. */
async function stepClock({ pick }: Scene, gateway: PairGateway): Promise<void> {
  const { clock, side } = gateway;
  const hour = 3600;
  for (const pid of await gateway.everything()) {
    const maps = await readFile(`/proc/${pid}/maps`, 'latin1');
    if (!maps.includes('libfaketime'))
      throw new Error(`A process of ${side} has a clock that cannot be stepped.`);
  }
  await clock?.step([-hour, 0, hour][pick(3)] as number);
  await sleep(6000);
}

/** Everything that is done to a pair. Stopping the host stands for a blocked event loop, too: both look the same from outside. */
export const faults: readonly Fault[] = [
  { kind: 'planned switch', limit: 'planned', isQuick: true, act: ({ pair }) => pair.switch() },
  killed('host', 'crash', true),
  killed('agent', 'crash', true),
  killed('driver runner', 'crash', true),
  stopped('host', 'crash'),
  stopped('agent', 'crash'),
  stopped('driver runner', 'any'),
  stopped('agent and host', 'machine', leaseIsOver),
  stopped('whole gateway', 'machine', leaseIsOver, true),
  killed('whole gateway', 'machine'),
  { kind: 'machine lost', limit: 'machine', act: (scene) => losePower(scene, scene.active) },
  {
    kind: 'active cut off from etcd',
    limit: 'machine',
    act: (scene) =>
      untilLeaseIsOver(scene, scene.active, ({ network, members }, { side }) =>
        network.cutPorts(side, members.ports),
      ),
  },
  {
    kind: 'active cut off from the standby',
    limit: 'none',
    act: (scene) => cutOff(scene, scene.active, [other(scene.active)]),
  },
  cutFromBoth('active cut off from both', 'both', true),
  {
    // Device and etcd are gone together while all processes live: what they sent last waits in the kernel.
    kind: 'active unplugged 8-16 s',
    limit: 'machine',
    isQuick: true,
    isFencedAlone: true,
    act: async ({ pair: { network }, active: { side }, pick }) => {
      network.link(side, false);
      await sleep(between(pick, 8000, 16_000));
      network.link(side, true);
    },
  },
  cutFromBoth('active hears nobody', 'in'),
  cutFromBoth('nobody hears the active', 'out'),
  { kind: 'link flaps', limit: 'any', act: (scene) => flap(scene, scene.active.side, 10_000) },
  {
    kind: 'uplink cut',
    limit: 'none',
    act: async ({ pair, active: { side } }) => {
      pair.network.cutPorts(side, [pair.broker.port]);
      await sleep(6000);
      pair.network.heal(side);
    },
  },
  {
    kind: 'leader of etcd killed',
    limit: 'none',
    isQuick: true,
    act: async (scene) => without(scene, [await scene.pair.members.leader()]),
  },
  {
    kind: 'leader of etcd stopped',
    limit: 'none',
    act: async ({ pair: { members }, pick }) => {
      const leader = await members.leader();
      members.signal(leader, 'SIGSTOP');
      await sleep(between(pick, 4000, 8000));
      members.signal(leader, 'SIGCONT');
    },
  },
  {
    kind: 'any member of etcd killed',
    limit: 'none',
    act: (scene) => without(scene, [memberPlaces[scene.pick(3)] as MemberPlace]),
  },
  { kind: 'witness killed', limit: 'none', isQuick: true, act: (scene) => without(scene, ['witness']) },
  {
    kind: 'majority of etcd killed',
    limit: 'any',
    isQuick: true,
    losesMajority: true,
    act: async (scene) => {
      const kept = scene.pick(3);
      await without(
        scene,
        memberPlaces.filter((_, index) => index !== kept),
      );
    },
  },
  {
    kind: 'standby: host killed',
    limit: 'none',
    act: async ({ standby }) => signal([await hostOf(standby)], 'SIGKILL'),
  },
  {
    kind: 'standby: whole gateway stopped',
    limit: 'none',
    act: async ({ standby, pick }) => pause(await standby.everything(), between(pick, 2000, 20_000)),
  },
  { kind: 'standby: machine lost', limit: 'none', act: (scene) => losePower(scene, scene.standby) },
  {
    kind: 'clock of the active stepped by an hour',
    limit: 'none',
    isQuick: true,
    needsClock: true,
    act: (scene) => stepClock(scene, scene.active),
  },
  {
    kind: 'clock of the standby stepped by an hour',
    limit: 'none',
    needsClock: true,
    act: (scene) => stepClock(scene, scene.standby),
  },
];
