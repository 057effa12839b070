import type { Fault } from '../fault.ts';

/** Codes are received from devices, so the number of kept faults is limited. */
const mostKept = 256;

/**
 * Makes one fault for each code that a device answers with, and keeps it: thousands of points may fail at once, and a fault has a stack trace.
 * @experimental May change until more drivers have used it.
 */
export function faultsByCode(make: (code: number) => Fault): (code: number) => Fault {
  const kept = new Map<number, Fault>();
  return (code) => {
    const known = kept.get(code);
    if (known !== undefined) return known;
    const fault = make(code);
    if (kept.size < mostKept) kept.set(code, fault);
    return fault;
  };
}
