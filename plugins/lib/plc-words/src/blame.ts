import type { Fault } from '@tagway/sdk';

/** What the PLC finds wrong with a request: it is too long, or one of its places may be wrong. */
export type Blame = 'size' | 'place';

const blames = new WeakMap<Fault, Blame>();

/** Remembers what a refusal finds wrong; undefined: something that concerns every request. */
export function setBlame(fault: Fault, blame: Blame | undefined): Fault {
  if (blame !== undefined) blames.set(fault, blame);
  return fault;
}

/** What a fault of a request finds wrong with it; undefined when that is something else. */
export function blameOf(fault: Fault): Blame | undefined {
  return blames.get(fault);
}
