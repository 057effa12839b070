import { isFault, type Outcome, type Point } from '@tagway/sdk';
import { parseAddress, startOf, type Address } from '../address.ts';
import { Block } from './block.ts';
import type { Endianness } from './decode.ts';
import { Lane } from './lane.ts';
import type { Lessons } from './lessons.ts';
import { isBitArea, limits } from '../pdu.ts';

/** One point of a plan: registers or bits `start` to `end - 1` of its area. */
export interface Item {
  /** Place of the point, and of its outcome. */
  readonly index: number;
  readonly address: Address;
  readonly start: number;
  readonly end: number;
  /** A test read: without byte order. */
  readonly raw: boolean;
}

export interface PlanSettings extends Endianness {
  readonly address_base: number;
  readonly max_gap: number;
}

/** How to read one array of points, and where the outcomes go. */
export interface Plan {
  readonly outcomes: Outcome[];
  /** One lane per unit. */
  readonly lanes: readonly Lane[];
  /** Holds a test read, which is tried whatever is known of the unit. */
  readonly raw: boolean;
}

/**
 * Compiles the plan of an array of points; a point with an invalid address has its fault as outcome for good. `lessonsOf` gives what
 * is known of a unit.
 */
export function compilePlan(
  points: readonly Point[],
  settings: PlanSettings,
  lessonsOf: (unit: number) => Lessons,
): Plan {
  const outcomes: Outcome[] = new Array<Outcome>(points.length).fill(0);
  const units = new Map<number, Item[]>();
  points.forEach((point, index) => {
    const address = parseAddress(point.address, point.type);
    if (isFault(address)) {
      outcomes[index] = address;
      return;
    }
    const start = startOf(address, settings.address_base);
    const item = { index, address, start, end: start + address.count, raw: point.raw === true };
    const items = units.get(address.unit);
    if (items === undefined) units.set(address.unit, [item]);
    else items.push(item);
  });
  const lanes = [...units]
    .sort(([left], [right]) => left - right)
    .map(([unit, items]) => new Lane(unit, items.sort(byPlace), outcomes, settings, lessonsOf(unit)));
  return { outcomes, lanes, raw: points.some((point) => point.raw === true) };
}

function byPlace(left: Item, right: Item): number {
  return (
    left.address.area - right.address.area ||
    left.start - right.start ||
    left.end - right.end ||
    left.index - right.index
  );
}

/**
 * Packs items of one unit, sorted by area and start, into as few blocks as the protocol's limits allow. `cut` says that
 * the device refuses to read across the start of an item.
 */
export function packBlocks(
  items: readonly Item[],
  outcomes: Outcome[],
  settings: PlanSettings,
  cut: (item: Item) => boolean,
): Block[] {
  const blocks: Block[] = [];
  let members: Item[] = [];
  let start = 0;
  let end = 0;
  for (const item of items) {
    const { area } = item.address;
    const bits = isBitArea(area);
    const joins =
      members[0]?.address.area === area &&
      item.start <= end + settings.max_gap * (bits ? 16 : 1) &&
      Math.max(end, item.end) - start <= (bits ? limits.readBits : limits.readRegisters) &&
      !cut(item);
    if (!joins) {
      if (members.length > 0) blocks.push(new Block(members, outcomes, settings));
      members = [];
      start = item.start;
      end = item.end;
    }
    members.push(item);
    end = Math.max(end, item.end);
  }
  if (members.length > 0) blocks.push(new Block(members, outcomes, settings));
  return blocks;
}
