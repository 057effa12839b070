import type { DataType, Fault } from '@tagway/sdk';
import type { AskOptions } from '@tagway/sdk/link';
import type { Address } from './address.ts';

/** What one write puts where. */
export interface WriteEntry {
  /** Index of the write in the call. */
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

/** Entries, in the order of writing, that one request carries out as a whole. */
export type Step = readonly WriteEntry[];

/** The memory of a PLC, as its protocol reads and writes it. Areas are numbers of the protocol's choice. */
export interface WordMemory {
  /** Where a word has its high byte on the wire: 0 (big-endian) or 1. Longer numbers have their lowest word first. */
  readonly high: 0 | 1;
  /** Whether a single bit of a word can be written; otherwise the word is read, changed and written. */
  readonly writesBitsOfWords: boolean;
  parse(address: string, type: DataType): Address | Fault;
  isBits(area: number): boolean;
  /** Most places of an area in one read request. */
  most(area: number): number;
  /**
   * Reads `count` places: two bytes for a word, one byte, 0 or 1, for a bit. Rejects with the fault of a refusal (see `blameOf`) or of the
   * link.
   */
  readMemory(area: number, start: number, count: number, options: AskOptions): Promise<Buffer>;
  /** Why an area cannot be written with values of a type; undefined when it can. */
  refusesWrite(area: number, type: DataType): Fault | undefined;
  /** Whether an entry of the same kind can be carried out in one request with those before it. */
  joins(step: Step, entry: WriteEntry): boolean;
  /** Sends one request for a step of words or bits. Rejects as `readMemory` does. */
  writeMemory(step: Step, options: AskOptions): Promise<void>;
}
