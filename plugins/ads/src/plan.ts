import { ErrorCode, Fault, isFault, type Point, type Values } from '@tagway/sdk';
import type { Range, RefusalMemory } from '@tagway/sdk/link';
import { parseAddress } from './address.ts';
import { formOf, type Form } from './form.ts';
import { IndexGroup, writePlace } from './protocol.ts';
import type { SymbolTable } from './symbols.ts';

/** A point and where it lies; of a variable that is its handle. */
export interface Item extends Range {
  readonly index: number;
  readonly form: Form;
}

/** One sum read: the answer has the result of item `i` at `4 * i`, and behind all results the values, each in a slot of its size. */
export interface Chunk {
  /** Data of the READ_WRITE. */
  readonly request: Buffer;
  readonly items: readonly Item[];
  /** The first slot is the version of the program. */
  readonly hasVersion: boolean;
}

/** What a plan comes to as long as the same variables are known and the same places refused. */
export interface Compiled {
  readonly chunks: readonly Chunk[];
  readonly refused: readonly Item[];
  /** Points that cannot be read, whatever the controller says. */
  readonly faulty: readonly { readonly index: number; readonly fault: Fault }[];
}

export interface PlanLimits {
  /** Most items of a request. */
  readonly items: number;
}

/** The connection or the program changed while names were resolved; the next reading does it again. */
const notResolved = new Fault(ErrorCode.NOT_READY, 'The variable is not resolved yet.');

/** Bytes of values after which a request takes no more items. */
const fullChunk = 65_536;

interface Named {
  readonly index: number;
  readonly name: string;
  readonly point: Point;
}

/** How the points of a group are read. */
export class ReadPlan {
  /** Variables that have to be resolved before. */
  readonly names: readonly string[];
  readonly #limits: PlanLimits;
  readonly #places: readonly Item[];
  readonly #named: readonly Named[];
  readonly #invalid: readonly { readonly index: number; readonly fault: Fault }[];
  #compiled: Compiled | undefined;
  #key = '';

  constructor(points: readonly Point[], limits: PlanLimits) {
    const places: Item[] = [];
    const named: Named[] = [];
    const invalid: { index: number; fault: Fault }[] = [];
    for (const [index, point] of points.entries()) {
      const address = parseAddress(point.address, point.type);
      if (isFault(address)) invalid.push({ index, fault: address });
      else if (address.kind === 'symbol') named.push({ index, name: address.name, point });
      else {
        const { group, offset, size } = address;
        const form = { type: point.type, size, isWide: false, isEnded: false };
        places.push({ index, form, area: group, start: offset, end: offset + size });
      }
    }
    this.names = named.map(({ name }) => name);
    this.#limits = limits;
    this.#places = places;
    this.#named = named;
    this.#invalid = invalid;
  }

  /** The requests as things stand. */
  compile(symbols: SymbolTable, memory: RefusalMemory<Fault>): Compiled {
    const key = `${this.#named.length > 0 ? symbols.epoch : 0} ${memory.version}`;
    if (this.#compiled === undefined || key !== this.#key) this.#compiled = this.#compile(symbols, memory);
    this.#key = key;
    return this.#compiled;
  }

  #compile(symbols: SymbolTable, memory: RefusalMemory<Fault>): Compiled {
    const faulty = [...this.#invalid];
    const variables: Item[] = [];
    for (const { index, name, point } of this.#named) {
      const known = symbols.get(name);
      if (known === undefined) {
        faulty.push({ index, fault: notResolved });
        continue;
      }
      const form = isFault(known) ? known : formOf(point.type, known.entry);
      if (isFault(form)) faulty.push({ index, fault: form });
      else if (!isFault(known)) {
        const start = known.handle;
        variables.push({ index, form, area: IndexGroup.VALUE_BY_HANDLE, start, end: start + form.size });
      }
    }
    const isRefused = (item: Item): boolean => memory.reasonOf(item) !== undefined;
    const sound = [...variables, ...this.#places].filter((item) => !isRefused(item));
    return {
      chunks: pack(sound, this.#limits, variables.length > 0),
      refused: [...variables, ...this.#places].filter(isRefused),
      faulty,
    };
  }
}

/** Packs items into as few requests as the limits allow. With `hasVersion`, the first one asks for the version of the program too. */
export function pack(items: readonly Item[], { items: most }: PlanLimits, hasVersion = false): Chunk[] {
  const chunks: Chunk[] = [];
  let asksVersion = hasVersion;
  let first = 0;
  let size = 0;
  for (const [index, item] of items.entries()) {
    const count = index - first + (asksVersion ? 1 : 0);
    if (index > first && (count >= most || size + item.form.size > fullChunk)) {
      chunks.push(chunkOf(items.slice(first, index), asksVersion));
      asksVersion = false;
      [first, size] = [index, 0];
    }
    size += item.form.size;
  }
  if (items.length > first) chunks.push(chunkOf(items.slice(first), asksVersion));
  return chunks;
}

function chunkOf(items: readonly Item[], hasVersion: boolean): Chunk {
  const count = items.length + (hasVersion ? 1 : 0);
  const request = Buffer.alloc(16 + 12 * count);
  let at = 16;
  let total = 4 * count;
  const add = (group: number, offset: number, size: number): void => {
    writePlace(request, at, group, offset, size);
    at += 12;
    total += size;
  };
  if (hasVersion) add(IndexGroup.SYMBOL_VERSION, 0, 1);
  for (const { area, start, form } of items) add(area, start, form.size);
  writePlace(request, 0, IndexGroup.SUM_READ, count, total);
  request.writeUInt32LE(12 * count, 12);
  return { request, items, hasVersion };
}

/** Says of every item of a chunk that it failed. */
export function failAll({ items }: Chunk, fault: Fault, into: Values): void {
  for (const { index } of items) into.fault(index, fault);
}
