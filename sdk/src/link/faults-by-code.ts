import type { Fault } from '../fault.ts';

/** Codes come from the wire: faults of more than a device can mean are not collected. */
const mostKept = 256;

/**
 * Makes one fault for each code that a device answers with, and keeps it: points fail by the thousand, and a fault carries a stack trace.
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
