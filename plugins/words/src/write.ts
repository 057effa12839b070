import { DataType, isFault, type Fault, type Results, type Write } from '@tagway/sdk';
import type { AskOptions } from '@tagway/sdk/link';
import { bitOf, encodeWords } from './encode.ts';
import type { WordMemory } from './read.ts';

/** What one write puts where. */
export interface WriteEntry {
  /** Place of the write among the writes of the call. */
  readonly index: number;
  /** `words`: whole words. `bits`: one byte, 0 or 1, for each bit. `patch`: words of which only what the mask names is to change. */
  readonly kind: 'words' | 'bits' | 'patch';
  readonly area: number;
  /** Words, or bits; bit n of word w of an area of words is number 16 × w + n. */
  readonly start: number;
  readonly end: number;
  readonly data: Buffer;
  readonly mask?: Buffer;
}

/** Neighbours in the order of writing that one request carries out as a whole. */
export type Step = readonly WriteEntry[];

/** The memory of a PLC, as its protocol writes it. */
export interface WritableMemory extends WordMemory {
  /** Whether a single bit of a word can be written; otherwise the word is read, changed and written. */
  readonly writesBitsOfWords: boolean;
  /** Why a place cannot be written, if so. */
  refusesWrite(area: number, type: DataType): Fault | undefined;
  /** Whether an entry of the same kind can be carried out in one request with those before it. */
  joins(step: Step, entry: WriteEntry): boolean;
  /** Sends one request for a step of words or bits. Rejects with the fault of a refusal or of the link. */
  write(step: Step, options: AskOptions): Promise<void>;
}

/** As `Driver.write`. The caller holds the lock under which words may be read, changed and written. */
export async function writeAll(
  writes: readonly Write[],
  into: Results,
  memory: WritableMemory,
  signal: AbortSignal,
): Promise<void> {
  for (const step of stepsOf(writes, into, memory)) {
    const fault = await attempt(step, memory, signal);
    if (fault === undefined || step.length === 1 || memory.blames(fault) === undefined) {
      tell(step, fault, into);
      continue;
    }
    // The device has refused them as a whole and done nothing, so each is tried alone.
    for (const entry of step) tell([entry], await attempt([entry], memory, signal), into);
  }
}

/** Whether an entry begins where another one ends. */
export function isAdjacent(before: WriteEntry | undefined, { area, start }: WriteEntry): boolean {
  return before?.area === area && before.end === start;
}

/** Turns writes into steps, in order; those that cannot be sent get their fault. */
function stepsOf(writes: readonly Write[], into: Results, memory: WritableMemory): Step[] {
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

function entryOf({ point, value }: Write, index: number, memory: WritableMemory): WriteEntry | Fault {
  const place = memory.parse(point.address, point.type);
  if (isFault(place)) return place;
  const { area, start, end, type, bit } = place;
  const refused = memory.refusesWrite(area, type);
  if (refused !== undefined) return refused;
  if (memory.isBits(area) || (type === DataType.BIT && memory.writesBitsOfWords)) {
    const state = bitOf(value);
    if (isFault(state)) return state;
    const first = memory.isBits(area) ? start : 16 * start + bit;
    return { index, kind: 'bits', area, start: first, end: first + 1, data: Buffer.from([state]) };
  }
  const encoded = encodeWords(place, value, memory.high);
  if (isFault(encoded)) return encoded;
  return { index, kind: encoded.mask === undefined ? 'words' : 'patch', area, start, end, ...encoded };
}

function joins(step: Step, entry: WriteEntry, memory: WritableMemory): boolean {
  const [first] = step;
  if (first?.kind !== entry.kind) return false;
  if (entry.kind === 'patch')
    return first.area === entry.area && first.start === entry.start && first.end === entry.end;
  return memory.joins(step, entry);
}

/** Carries out one step; its fault, unless there is none. */
async function attempt(step: Step, memory: WritableMemory, signal: AbortSignal): Promise<Fault | undefined> {
  try {
    const options = { signal, urgent: true };
    const isPatch = step[0]?.kind === 'patch';
    await memory.write(isPatch ? [await patched(step, memory, options)] : step, options);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (isFault(error)) return error;
    throw error;
  }
}

/** Reads the words of the entries, which all have the same place, and puts in what they change. */
async function patched(step: Step, memory: WritableMemory, options: AskOptions): Promise<WriteEntry> {
  const { index, area, start, end } = step[0] as WriteEntry;
  const data = await memory.read(area, start, end - start, options);
  for (const entry of step)
    for (const [at, mask] of entry.mask?.entries() ?? [])
      data[at] = ((data[at] as number) & ~mask) | ((entry.data[at] as number) & mask);
  return { index, kind: 'words', area, start, end, data };
}

function tell(step: Step, fault: Fault | undefined, into: Results): void {
  for (const { index } of step) {
    if (fault === undefined) into.done(index);
    else into.fault(index, fault);
  }
}
