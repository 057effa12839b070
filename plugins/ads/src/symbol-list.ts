import { ErrorCode, Fault } from '@tagway/sdk';
import type { AskOptions } from '@tagway/sdk/link';
import { meaningOf } from './faults.ts';
import { IndexGroup, maxFrame } from './protocol.ts';
import type { Session } from './session.ts';
import { symbolEntryAt, textsAt, type SymbolEntry } from './symbol-entry.ts';

/** A type of the program, or a member of one (AdsDatatypeEntry of the TwinCAT ADS headers); `type` is that of a member, or of an alias. */
export interface TypeEntry extends Omit<SymbolEntry, 'flags'> {
  /** Of an array: first index and number of elements of each dimension. */
  readonly dimensions: readonly { readonly first: number; readonly count: number }[];
  readonly members: readonly TypeEntry[];
}

/** All that a program says of its variables. */
export interface Program {
  readonly symbols: readonly SymbolEntry[];
  readonly types: ReadonlyMap<string, TypeEntry>;
}

/** Structures in structures that are looked into. */
const deepest = 16;

const fixed = 42;

/** Uploads the symbols and types of the program. Rejects with READ_FAILED, or as the link does. */
export async function uploadProgram(session: Session, options: AskOptions): Promise<Program> {
  const counts = await session.read(IndexGroup.SYMBOL_AND_TYPE_COUNT, 0, 24, options);
  if (counts.error === 0 && counts.data.length >= 16) {
    const { data } = counts;
    const symbols = await upload(session, IndexGroup.SYMBOL_UPLOAD, data.readUInt32LE(4), options);
    const types = await upload(session, IndexGroup.TYPE_UPLOAD, data.readUInt32LE(12), options);
    return { symbols: parseSymbols(symbols), types: parseTypes(types) };
  }
  // TwinCAT 2 and small controllers list the symbols alone.
  const count = await session.read(IndexGroup.SYMBOL_COUNT, 0, 8, options);
  if (count.error !== 0 || count.data.length < 8)
    throw new Fault(
      ErrorCode.READ_FAILED,
      `The controller does not list its variables${count.error === 0 ? '' : ` (${meaningOf(count.error)})`}.`,
    );
  const symbols = await upload(session, IndexGroup.SYMBOL_UPLOAD, count.data.readUInt32LE(4), options);
  return { symbols: parseSymbols(symbols), types: new Map() };
}

async function upload(session: Session, group: number, size: number, options: AskOptions): Promise<Buffer> {
  if (size === 0) return Buffer.alloc(0);
  if (size > maxFrame - 64)
    throw new Fault(
      ErrorCode.READ_FAILED,
      `The list of the controller's variables has ${size} bytes, which is more than the driver takes (${maxFrame - 64}).`,
    );
  const { error, data } = await session.read(group, 0, size, options);
  if (error === 0) return data;
  throw new Fault(
    ErrorCode.READ_FAILED,
    `The controller does not hand out the list of its variables (${meaningOf(error)}).`,
  );
}

/** The entries of a symbol upload, up to the first that does not fit. */
export function parseSymbols(data: Buffer): SymbolEntry[] {
  return entriesOf((at) => symbolEntryAt(data, at, data.length));
}

/** The entries of a type upload by their names, up to the first that does not fit. */
export function parseTypes(data: Buffer): Map<string, TypeEntry> {
  const entries = entriesOf((at) => typeEntryAt(data, at, data.length, 0));
  return new Map(entries.map((entry) => [entry.name, entry]));
}

function entriesOf<Entry>(
  entryAt: (at: number) => { readonly entry: Entry; readonly next: number } | undefined,
): Entry[] {
  const entries: Entry[] = [];
  for (let found = entryAt(0); found !== undefined; found = entryAt(found.next)) entries.push(found.entry);
  return entries;
}

function typeEntryAt(
  data: Buffer,
  at: number,
  end: number,
  depth: number,
): { readonly entry: TypeEntry; readonly next: number } | undefined {
  if (end - at < fixed || depth > deepest) return undefined;
  const next = at + data.readUInt32LE(at);
  if (next < at + fixed || next > end) return undefined;
  const { texts, end: behindTexts } = textsAt(data, at + fixed, at + 32, next);
  let place = behindTexts;
  const dimensions: { first: number; count: number }[] = [];
  for (let left = data.readUInt16LE(at + 38); left > 0 && place + 8 <= next; left--, place += 8)
    dimensions.push({ first: data.readInt32LE(place), count: data.readUInt32LE(place + 4) });
  const members: TypeEntry[] = [];
  for (let left = data.readUInt16LE(at + 40); left > 0; left--) {
    const member = typeEntryAt(data, place, next, depth + 1);
    if (member === undefined) break;
    members.push(member.entry);
    place = member.next;
  }
  const entry = {
    ...texts,
    size: data.readUInt32LE(at + 16),
    dataType: data.readUInt32LE(at + 24),
    dimensions,
    members,
  };
  return { entry, next };
}
