import { isAdjacent, type Step, type WriteEntry } from '@tagway/plc-words';
import { batch, Command, mostBits, mostWords, packBits, randomBits, randomWords, Unit } from './protocol.ts';

/** Limits of a random write (SH-080008, section 8.4): most bits, and most of what words and double words cost together. */
const mostRandomBits = 188;
const mostRandomCost = 1920;
const wordCost = 12;
const doubleWordCost = 14;

/** A request without its frame. */
export interface MemoryRequest {
  readonly command: number;
  readonly unit: Unit;
  readonly data: Buffer;
}

/**
 * Whether one request can carry an entry with those before it: devices that follow each other go as a batch, single bits, words and
 * double words of any devices as a random write.
 */
export function joins(step: Step, entry: WriteEntry): boolean {
  const first = step[0] as WriteEntry;
  const most = entry.kind === 'bits' ? mostBits : mostWords;
  if (isAdjacent(step.at(-1), entry) && entry.end - first.start <= most && isContiguous(step)) return true;
  return fitsRandom([...step, entry]) && !step.some((other) => overlap(other, entry));
}

/** The request that carries out a step. */
export function writeRequest(step: Step): MemoryRequest {
  const { area, start, kind } = step[0] as WriteEntry;
  const isBits = kind === 'bits';
  const unit = isBits ? Unit.BITS : Unit.WORDS;
  if (!isContiguous(step))
    return { command: Command.WRITE_RANDOM, unit, data: isBits ? randomBits(step) : randomWords(step) };
  const values = Buffer.concat(step.map((entry) => entry.data));
  const head = batch(area, start, (step.at(-1) as WriteEntry).end - start);
  return {
    command: Command.WRITE,
    unit,
    data: Buffer.concat([head, isBits ? packBits(values) : values]),
  };
}

function isContiguous(step: Step): boolean {
  return step.every((entry, index) => index === 0 || isAdjacent(step[index - 1], entry));
}

function fitsRandom(step: Step): boolean {
  if (step[0]?.kind === 'bits') return step.length <= mostRandomBits;
  let cost = 0;
  for (const { start, end } of step) {
    if (end - start > 2) return false;
    cost += end - start === 1 ? wordCost : doubleWordCost;
  }
  return cost <= mostRandomCost;
}

/** Words that are written twice keep their order only in requests of their own. */
function overlap(one: WriteEntry, other: WriteEntry): boolean {
  return one.area === other.area && one.start < other.end && other.start < one.end;
}
