import type { TagBody } from '../kit/configure.ts';

/** Settings of the driver in all measurements: no pause between requests, eight in flight. */
export const driverSettings = { interval: 0, max_in_flight: 8 };

/** Registers per unit; an area has 65536. */
const unitSize = 50_000;

/** INT16 tags on consecutive registers, the first of each unit the device's clock. */
export function int16Tags(count: number, first = 0): TagBody[] {
  return Array.from({ length: count }, (_, index) => {
    const number = first + index;
    const register = number % unitSize;
    return {
      name: index === 0 && register === 0 ? 'clock' : `tag${number}`,
      address: `${1 + Math.floor(number / unitSize)}!4${String(1 + register).padStart(5, '0')}`,
      attribute: 1,
      type: 3,
    };
  });
}
