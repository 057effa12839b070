import type { Values } from '@tagway/sdk';

/** Takes values of some points for those of all, whose indices are given. */
export function renumbered(into: Values, indices: readonly number[]): Values {
  const of = (index: number): number => indices[index] ?? 0;
  return {
    number: (index, value) => into.number(of(index), value),
    integer: (index, value) => into.integer(of(index), value),
    text: (index, value) => into.text(of(index), value),
    bytes: (index, value) => into.bytes(of(index), value),
    fault: (index, fault) => into.fault(of(index), fault),
    stamp: (index, time, quality) => into.stamp(of(index), time, quality),
  };
}
