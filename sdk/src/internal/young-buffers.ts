import { setFlagsFromString } from 'node:v8';

/** When the buffers that messages brought are given back. */
export interface Pace {
  /** Bytes of messages, at least. */
  readonly bytes: number;
  /** Messages of the largest size that came lately, unless a second is over. */
  readonly messages: number;
}

/** Of who keeps the latest samples: what is alive in two collections of young objects is given back by one of everything alone. */
const keeping: Pace = { bytes: 200_000, messages: 5 };
/** Of an app, which keeps no sample and makes text of it, many times as long. */
export const passing: Pace = { bytes: 100_000, messages: 1 };

/** Milliseconds after which one more collection is no matter. */
const seldom = 1000;
/** Milliseconds after which what a change of the configuration left behind is gone. */
const settling = 5000;

/**
 * By how many percent of what is alive the heap grows until all of it is collected. V8 itself would come down to ten percent for who makes as
 * few objects as a gateway does, and two samples of a very large group are that: its whole configuration would be gone through again and again.
 */
const growth = 50;

let pace = keeping;
let bytes = 0;
let largest = 0;
let collectedAt = -Infinity;
let changedAt = -Infinity;
let isLean = false;
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
  if (isDue || bytes < pace.bytes) return;
  if (bytes < pace.messages * largest && performance.now() - collectedAt < seldom) return;
  isDue = true;
  setImmediate(collect);
}

export function giveBackAt(other: Pace): void {
  pace = other;
}

/**
 * The configuration changes, which makes much garbage among objects that stay: for a while, and until buffers are given back, the heap
 * grows by small steps only. Later, buffers that are alive would call for a collection of everything at each of them.
 */
export function configurationChanged(): void {
  changedAt = performance.now();
  if (!isLean) beLean(true);
}

function beLean(lean: boolean): void {
  isLean = lean;
  setFlagsFromString(lean ? '--optimize-for-size' : '--no-optimize-for-size');
  // 0: as V8 thinks best.
  setFlagsFromString(`--heap-growing-percent=${lean ? 0 : growth}`);
}

function collect(): void {
  isDue = false;
  bytes = 0;
  collectYoung ??= collector();
  collectYoung();
  collectedAt = performance.now();
  if (isLean && collectedAt - changedAt > settling) beLean(false);
}

/** V8 shows its collector to a program only in contexts that are made while this flag is set. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const { runInNewContext } = process.getBuiltinModule('node:vm');
  const gc = runInNewContext('globalThis.gc') as ((options: object) => void) | undefined;
  setFlagsFromString('--no-expose-gc');
  return () => gc?.({ type: 'minor' });
}
