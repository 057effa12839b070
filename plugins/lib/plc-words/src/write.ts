import { DataType, isFault, type Fault, type Results, type Write } from '@tagway/sdk';
import type { AskOptions } from '@tagway/sdk/link';
import { blameOf } from './blame.ts';
import { bitOf, encode } from './encode.ts';
import type { Step, WordMemory, WriteEntry } from './word-memory.ts';

/** As `Driver.write`. The caller holds the lock under which words may be read, changed and written. */
export async function sendWrites(
  writes: readonly Write[],
  into: Results,
  memory: WordMemory,
  signal: AbortSignal,
): Promise<void> {
  for (const step of stepsOf(writes, into, memory)) {
    const fault = await attempt(step, memory, signal);
    if (fault === undefined || step.length === 1 || blameOf(fault) === undefined) {
      report(step, fault, into);
      continue;
    }
    // The device has refused them as a whole and done nothing, so each is tried alone.
    for (const entry of step) report([entry], await attempt([entry], memory, signal), into);
  }
}

/** Whether an entry begins where another one ends. */
export function isAdjacent(before: WriteEntry | undefined, { area, start }: WriteEntry): boolean {
  return before?.area === area && before.end === start;
}

/** Turns writes into steps, in order; those that cannot be sent get their fault. */
function stepsOf(writes: readonly Write[], into: Results, memory: WordMemory): Step[] {
  const steps: WriteEntry[][] = [];
  writes.forEach((write, index) => {
    const entry = entryOf(write, index, memory);
    const last = steps.at(-1);
    if (isFault(entry)) into.fault(index, entry);
    else if (last !== undefined && joins(last, entry, memory)) last.push(entry);
    else steps.push([entry]);
  });
  return steps;
}

function entryOf({ point, value }: Write, index: number, memory: WordMemory): WriteEntry | Fault {
  const address = memory.parse(point.address, point.type);
  if (isFault(address)) return address;
  const { area, start, end, type, bit } = address;
  const refused = memory.refusesWrite(area, type);
  if (refused !== undefined) return refused;
  if (memory.isBits(area) || (type === DataType.BIT && memory.writesBitsOfWords)) {
    const state = bitOf(value);
    if (isFault(state)) return state;
    const first = memory.isBits(area) ? start : 16 * start + bit;
    return { index, kind: 'bits', area, start: first, end: first + 1, data: Buffer.from([state]) };
  }
  const encoded = encode(address, value, memory.high);
  if (isFault(encoded)) return encoded;
  return { index, kind: encoded.mask === undefined ? 'words' : 'patch', area, start, end, ...encoded };
}

function joins(step: Step, entry: WriteEntry, memory: WordMemory): boolean {
  const [first] = step;
  if (first?.kind !== entry.kind) return false;
  if (entry.kind === 'patch')
    return first.area === entry.area && first.start === entry.start && first.end === entry.end;
  return memory.joins(step, entry);
}

/** Carries out one step. Returns its fault; undefined when there is none. */
async function attempt(step: Step, memory: WordMemory, signal: AbortSignal): Promise<Fault | undefined> {
  try {
    const options = { signal, urgent: true };
    const isPatch = step[0]?.kind === 'patch';
    await memory.writeMemory(isPatch ? [await patched(step, memory, options)] : step, options);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (isFault(error)) return error;
    throw error;
  }
}

/** Reads the words of the entries, which all have the same words, and puts in what they change. */
async function patched(step: Step, memory: WordMemory, options: AskOptions): Promise<WriteEntry> {
  const { index, area, start, end } = step[0] as WriteEntry;
  const data = await memory.readMemory(area, start, end - start, options);
  for (const entry of step)
    for (const [at, mask] of entry.mask?.entries() ?? [])
      data[at] = ((data[at] as number) & ~mask) | ((entry.data[at] as number) & mask);
  return { index, kind: 'words', area, start, end, data };
}

function report(step: Step, fault: Fault | undefined, into: Results): void {
  for (const { index } of step) {
    if (fault === undefined) into.done(index);
    else into.fault(index, fault);
  }
}
