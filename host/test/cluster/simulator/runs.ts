import { Chance } from './clockwork.ts';
import { fault, type Kind, kinds } from './faults.ts';
import { World, type WorldOptions } from './world.ts';

/** A run of several faults at once, all of it drawn from a seed. */
export function stormy(seed: number, options: Partial<WorldOptions> = {}): World {
  const chance = new Chance(seed ^ 0x5bd1_e995);
  const gateways = 2 + chance.below(4);
  const nodes = 3 + chance.below(10);
  const world = new World({ seed, gateways, nodes, quietFrom: 6000 + 17_000 + 5000 + 6000, ...options });
  world.run(6000);
  for (let count = 1 + chance.below(4); count > 0; count--) {
    const kind = chance.of(kinds);
    const ms = chance.between(200, chance.is(0.5) ? 3000 : 9000);
    world.clock.after(chance.between(0, 8000), () => fault(world, kind, chance.of(world.gateways), ms));
  }
  // The last fault ends after 17 s, a machine is lost for 5 s more, and its host has to start.
  world.run(6000 + 17_000 + 5000 + 16_000);
  world.judge();
  return world;
}

export interface Single {
  readonly world: World;
  /** When the fault began, and ended. */
  readonly from: number;
  readonly to: number;
}

/** One fault in a quiet plant. */
export function single(
  seed: number,
  kind: Kind,
  options: Partial<WorldOptions> = {},
  length?: number,
): Single {
  const world = new World({ seed, gateways: 5, nodes: 40, isPlaced: false, ...options });
  const { chance } = world;
  const from = 8000 + chance.between(0, 1000);
  const ms = length ?? chance.between(1000, 16_000);
  world.run(from);
  fault(world, kind, chance.of(world.gateways), ms);
  world.run(from + ms + 24_000);
  world.judge();
  return { world, from, to: from + ms };
}
