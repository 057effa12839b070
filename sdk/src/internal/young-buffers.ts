import { setFlagsFromString } from 'node:v8';

/** When the buffers that messages brought are given back. */
export interface Pace {
  /** Bytes of messages, at least. */
  readonly bytes: number;
  /** Messages of the largest size that came lately, at least. */
  readonly messages: number;
}

/** Of who keeps the latest samples: what is alive in two collections of young objects is given back by one of everything alone. */
const keeping: Pace = { bytes: 200_000, messages: 5 };
/** Of an app, which keeps no sample and makes text of it, many times as long. */
export const passing: Pace = { bytes: 100_000, messages: 1 };

let pace = keeping;
let bytes = 0;
let largest = 0;
let isDue = false;
let collectYoung: (() => void) | undefined;

/**
 * A message of so many bytes came or goes. Messages bring buffers many times their size, which only collections give back, and V8 waits for
 * many more objects than a gateway makes: until then buffers fill the memory, and in the end a collection of everything is due. One of
 * young objects alone, at the end of a turn after some messages, when hardly any of them is alive, costs next to nothing.
 */
export function passed(length: number): void {
  bytes += length;
  largest = Math.max(0.9 * largest, length);
  if (isDue || bytes < Math.max(pace.bytes, pace.messages * largest)) return;
  isDue = true;
  setImmediate(collect);
}

export function giveBackAt(other: Pace): void {
  pace = other;
}

function collect(): void {
  isDue = false;
  bytes = 0;
  collectYoung ??= collector();
  collectYoung();
}

/** V8 shows its collector to a program only in contexts that are made while this flag is set. */
function collector(): () => void {
  // Where it is set, buffers of young objects would soon call for a collection of everything.
  setFlagsFromString('--no-optimize-for-size');
  setFlagsFromString('--expose-gc');
  const { runInNewContext } = process.getBuiltinModule('node:vm');
  const gc = runInNewContext('globalThis.gc') as ((options: object) => void) | undefined;
  setFlagsFromString('--no-expose-gc');
  return () => gc?.({ type: 'minor' });
}
