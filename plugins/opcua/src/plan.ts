import { DataType, type Point } from '@tagway/sdk';
import { AttributeIds, type NodeId, ReadValueId } from 'node-opcua-client';
import { parseAddress, type Address } from './address.ts';
import type { Lesson } from './link/sizes.ts';

/** The points of one group, ready to be asked for. */
export interface ReadPlan {
  readonly points: readonly Point[];
  readonly items: readonly ReadValueId[];
  /** The order in which they are asked for: texts last, as other values are hardly ever large. */
  readonly order: readonly number[];
  /** The items in this order. */
  readonly ordered: readonly ReadValueId[];
  /** Where the texts begin in it. */
  readonly texts: number;
  /** 1 where the address has an index. */
  readonly isElement: Uint8Array;
  /** Places in the order before which a request ends: with the points on both sides the answer was too large. */
  readonly cuts: number[];
  /** Until when the cuts hold. */
  lesson?: Lesson | undefined;
  /** Present while an answer for several points was too large and it is not known yet for how many it is not. */
  search?: Search | undefined;
}

interface Search {
  /** Ends of the requests that were answered since it began, by their first points. */
  readonly passed: Map<number, number>;
  /** A single node was to blame, so that the number of nodes says nothing. */
  isForOne: boolean;
}

/** Names the value at an address in a request. */
export function valueAt({ nodeId, indexRange }: Address): {
  readonly attributeId: AttributeIds;
  readonly nodeId: NodeId;
  readonly indexRange?: never;
} {
  // The library takes the text of a range where its types ask for the parsed one.
  const range = indexRange === '' ? {} : { indexRange: indexRange as never };
  return { attributeId: AttributeIds.Value, nodeId, ...range };
}

/** `points` have passed the check of their addresses. */
export function compilePlan(points: readonly Point[]): ReadPlan {
  const addresses = points.map(({ address }) => parseAddress(address));
  const items = addresses.map(
    (address) =>
      new ReadValueId(address === undefined ? { attributeId: AttributeIds.Value } : valueAt(address)),
  );
  const isText = (index: number): boolean => points[index]?.type === DataType.STRING;
  const [texts = [], others = []] = [true, false].map((wanted) =>
    [...points.keys()].filter((index) => isText(index) === wanted),
  );
  const order = [...others, ...texts];
  return {
    points,
    items,
    order,
    ordered: order.flatMap((index) => items[index] ?? []),
    texts: others.length,
    isElement: Uint8Array.from(addresses, (address) => (address?.indexRange ? 1 : 0)),
    cuts: [],
  };
}
