import { readFile } from 'node:fs/promises';
import { sleep } from '../until.ts';
import type { LimitName } from './judge.ts';
import { type MemberPlace, memberPlaces } from './members.ts';
import type { Direction, Place } from './network.ts';
import type { Pair, Roles } from './pair.ts';
import type { PairGateway } from './pair-gateway.ts';
import { now } from './referee.ts';

/** A whole number from 0 to below the bound. */
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
  /** Does it and undoes it. What has to recover by itself is not waited for. */
  act(scene: Scene): Promise<void>;
}

/** The driver that polls the field device. */
export const driver = 'modbus-tcp';

/** Longer than the lease lives when nobody renews it, also when the leader of etcd has gone with its holder, in milliseconds. */
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

const other = ({ side }: PairGateway): 'west' | 'east' => (side === 'west' ? 'east' : 'west');

/** Cuts a gateway's machine off from others for a time. */
async function cutOff(
  { pair, pick }: Scene,
  { side }: PairGateway,
  others: readonly Place[],
  direction: Direction = 'both',
): Promise<void> {
  pair.network.cut(side, others, direction);
  await sleep(between(pick, leaseIsOver, leaseIsOver + 5000));
  pair.network.heal(side);
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
async function losePower({ pair, pick }: Scene, gateway: PairGateway): Promise<void> {
  const { side } = gateway;
  const pids = await gateway.everything();
  pair.network.link(side, false);
  signal(pids, 'SIGKILL');
  await pair.members.kill(side);
  await sleep(between(pick, leaseIsOver, leaseIsOver + 5000));
  pair.network.heal(side);
  pair.members.begin(side);
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

/** Everything that is done to a pair. A host whose event loop is blocked is one that is stopped for that time: it cannot be told from it. */
export const faults: readonly Fault[] = [
  {
    ...{ kind: 'planned switch', limit: 'planned', isQuick: true },
    act: ({ pair }) => pair.switch(),
  },
  {
    ...{ kind: 'host killed', limit: 'crash', isQuick: true },
    act: async ({ active }) => signal([await hostOf(active)], 'SIGKILL'),
  },
  {
    ...{ kind: 'agent killed', limit: 'crash', isQuick: true },
    act: async ({ active }) => signal([(await active.parts()).agent], 'SIGKILL'),
  },
  {
    ...{ kind: 'driver runner killed', limit: 'crash', isQuick: true },
    act: async ({ active }) => signal([await active.runner(driver)], 'SIGKILL'),
  },
  {
    ...{ kind: 'host stopped 2-20 s', limit: 'crash' },
    act: async ({ active, pick }) => pause([await hostOf(active)], between(pick, 2000, 20_000)),
  },
  {
    ...{ kind: 'agent stopped 2-20 s', limit: 'crash' },
    act: async ({ active, pick }) => pause([(await active.parts()).agent], between(pick, 2000, 20_000)),
  },
  {
    ...{ kind: 'driver runner stopped 2-20 s', limit: 'any' },
    act: async ({ active, pick }) => pause([await active.runner(driver)], between(pick, 2000, 20_000)),
  },
  {
    ...{ kind: 'agent and host stopped', limit: 'machine' },
    act: async ({ active, pick }) =>
      pause([(await active.parts()).agent, await hostOf(active)], between(pick, leaseIsOver, 20_000)),
  },
  {
    ...{ kind: 'whole gateway stopped', limit: 'machine', isQuick: true },
    act: async ({ active, pick }) => pause(await active.everything(), between(pick, leaseIsOver, 20_000)),
  },
  {
    ...{ kind: 'whole gateway killed', limit: 'machine' },
    act: async ({ active }) => signal(await active.everything(), 'SIGKILL'),
  },
  {
    ...{ kind: 'machine lost', limit: 'machine' },
    act: (scene) => losePower(scene, scene.active),
  },
  {
    ...{ kind: 'active cut off from etcd', limit: 'machine' },
    act: async ({ pair, active: { side }, pick }) => {
      pair.network.cutPorts(side, pair.members.ports);
      await sleep(between(pick, leaseIsOver, leaseIsOver + 5000));
      pair.network.heal(side);
    },
  },
  {
    ...{ kind: 'active cut off from the standby', limit: 'none' },
    act: (scene) => cutOff(scene, scene.active, [other(scene.active)]),
  },
  {
    ...{ kind: 'active cut off from both', limit: 'machine', isQuick: true },
    act: (scene) => cutOff(scene, scene.active, [other(scene.active), 'witness']),
  },
  {
    ...{ kind: 'active hears nobody', limit: 'machine' },
    act: (scene) => cutOff(scene, scene.active, [other(scene.active), 'witness'], 'in'),
  },
  {
    ...{ kind: 'nobody hears the active', limit: 'machine' },
    act: (scene) => cutOff(scene, scene.active, [other(scene.active), 'witness'], 'out'),
  },
  {
    ...{ kind: 'link flaps', limit: 'any' },
    act: (scene) => flap(scene, scene.active.side, 10_000),
  },
  {
    ...{ kind: 'uplink cut', limit: 'none' },
    act: async ({ pair, active: { side } }) => {
      pair.network.cutPorts(side, [pair.broker.port]);
      await sleep(6000);
      pair.network.heal(side);
    },
  },
  {
    ...{ kind: 'leader of etcd killed', limit: 'none', isQuick: true },
    act: async (scene) => without(scene, [await scene.pair.members.leader()]),
  },
  {
    ...{ kind: 'leader of etcd stopped', limit: 'none' },
    act: async ({ pair: { members }, pick }) => {
      const leader = await members.leader();
      members.signal(leader, 'SIGSTOP');
      await sleep(between(pick, 4000, 8000));
      members.signal(leader, 'SIGCONT');
    },
  },
  {
    ...{ kind: 'any member of etcd killed', limit: 'none' },
    act: (scene) => without(scene, [memberPlaces[scene.pick(3)] as MemberPlace]),
  },
  {
    ...{ kind: 'witness killed', limit: 'none', isQuick: true },
    act: (scene) => without(scene, ['witness']),
  },
  {
    ...{ kind: 'majority of etcd killed', limit: 'any', isQuick: true, losesMajority: true },
    act: async (scene) => {
      const kept = scene.pick(3);
      await without(
        scene,
        memberPlaces.filter((_, index) => index !== kept),
      );
    },
  },
  {
    ...{ kind: 'standby: host killed', limit: 'none' },
    act: async ({ standby }) => signal([await hostOf(standby)], 'SIGKILL'),
  },
  {
    ...{ kind: 'standby: whole gateway stopped', limit: 'none' },
    act: async ({ standby, pick }) => pause(await standby.everything(), between(pick, 2000, 20_000)),
  },
  {
    ...{ kind: 'standby: machine lost', limit: 'none' },
    act: (scene) => losePower(scene, scene.standby),
  },
  {
    ...{ kind: 'clock of the active stepped by an hour', limit: 'none', isQuick: true, needsClock: true },
    act: (scene) => stepClock(scene, scene.active),
  },
  {
    ...{ kind: 'clock of the standby stepped by an hour', limit: 'none', needsClock: true },
    act: (scene) => stepClock(scene, scene.standby),
  },
];
