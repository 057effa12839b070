import { ErrorCode, Fault, isFault, type DataType, type Point, type Values } from '@tagway/sdk';
import { parsePoints, type PointFault, type Range, type RefusalMemory } from '@tagway/sdk/link';
import { parseAddress } from './address.ts';
import { formOf, plainForm, type Form } from './form.ts';
import { IndexGroup } from './protocol.ts';
import { noData } from './session.ts';
import { sumOf } from './sums.ts';
import type { SymbolTable } from './symbols.ts';

/** A point and the index group and offset that it is read from; the offset of a variable is its handle. */
export interface Item extends Range {
  /** Index of the point in its group. */
  readonly index: number;
  readonly form: Form;
}

/** One sum read: the answer has the result of item `i` at `4 * i`, and behind all results the values, each in a slot of its size. */
export interface PlannedRequest {
  /** Data of the READ_WRITE. */
  readonly data: Buffer;
  readonly items: readonly Item[];
  /** The first slot is the version of the program. */
  readonly hasVersion: boolean;
}

/** The requests of a plan, as long as the same variables are known and the same items refused. */
export interface Compiled {
  readonly requests: readonly PlannedRequest[];
  readonly refused: readonly Item[];
  /** Points whose variables cannot be read. */
  readonly faulty: readonly PointFault[];
}

/** The connection or the program changed while names were resolved; the next pass resolves them again. */
const notResolved = new Fault(ErrorCode.NOT_READY, 'The variable is not resolved yet.');

/** Bytes of values after which a request takes no more items. */
const fullRequest = 65_536;

/** A point that names a variable. */
export interface NamedPoint {
  readonly index: number;
  readonly name: string;
  readonly type: DataType;
}

/** How the points of one group are read. */
export class ReadPlan {
  readonly invalid: readonly PointFault[];
  readonly named: readonly NamedPoint[];
  /** Points whose addresses are numbers. */
  readonly numbered: readonly Item[];
  readonly memory: RefusalMemory<Fault>;
  readonly #mostItems: number;
  #compiled: Compiled | undefined;
  #key = '';

  /** `mostItems`: of one request. */
  constructor(points: readonly Point[], mostItems: number, memory: RefusalMemory<Fault>) {
    const { items, invalid } = parsePoints(points, ({ address: text, type }, index) => {
      const address = parseAddress(text, type);
      if (isFault(address)) return address;
      if (address.kind === 'symbol') return { index, name: address.name, type };
      const { group, offset, size } = address;
      return { index, form: plainForm(type, size), area: group, start: offset, end: offset + size };
    });
    this.invalid = invalid;
    this.named = items.filter((item): item is NamedPoint => 'name' in item);
    this.numbered = items.filter((item): item is Item => 'form' in item);
    this.memory = memory;
    this.#mostItems = mostItems;
  }

  /** The requests by what is known and refused now. */
  compile(symbols: SymbolTable): Compiled {
    const key = `${this.named.length > 0 ? symbols.epoch : 0} ${this.memory.version}`;
    if (this.#compiled === undefined || key !== this.#key) this.#compiled = this.#compile(symbols);
    this.#key = key;
    return this.#compiled;
  }

  /** Packs items into as few requests as the limits allow. With `hasVersion`, the first one asks for the version of the program too. */
  pack(items: readonly Item[], hasVersion = false): PlannedRequest[] {
    const requests: PlannedRequest[] = [];
    let asksVersion = hasVersion;
    let first = 0;
    let size = 0;
    for (const [index, item] of items.entries()) {
      const count = index - first + (asksVersion ? 1 : 0);
      if (index > first && (count >= this.#mostItems || size + item.form.size > fullRequest)) {
        requests.push(requestOf(items.slice(first, index), asksVersion));
        asksVersion = false;
        first = index;
        size = 0;
      }
      size += item.form.size;
    }
    if (items.length > first) requests.push(requestOf(items.slice(first), asksVersion));
    return requests;
  }

  #compile(symbols: SymbolTable): Compiled {
    const faulty: PointFault[] = [];
    const variables: Item[] = [];
    for (const { index, name, type } of this.named) {
      const known = symbols.get(name) ?? notResolved;
      const form = isFault(known) ? known : formOf(type, known.entry);
      if (isFault(form)) faulty.push({ index, fault: form });
      else if (!isFault(known)) {
        const start = known.handle;
        variables.push({ index, form, area: IndexGroup.VALUE_BY_HANDLE, start, end: start + form.size });
      }
    }
    const isRefused = (item: Item): boolean => this.memory.reasonOf(item) !== undefined;
    const items = [...variables, ...this.numbered];
    const sound = items.filter((item) => !isRefused(item));
    return {
      requests: this.pack(sound, variables.length > 0),
      refused: items.filter(isRefused),
      faulty,
    };
  }
}

function requestOf(items: readonly Item[], hasVersion: boolean): PlannedRequest {
  const asked = items.map(({ area: group, start: offset, form: { size: readLength } }) => {
    return { group, offset, readLength, written: noData };
  });
  const version = { group: IndexGroup.SYMBOL_VERSION, offset: 0, readLength: 1, written: noData };
  if (hasVersion) asked.unshift(version);
  const total = asked.reduce((sum, { readLength }) => sum + 4 + readLength, 0);
  return { data: sumOf(IndexGroup.SUM_READ, asked, 12, total), items, hasVersion };
}

/** Gives all items of a request the fault. */
export function fill({ items }: PlannedRequest, fault: Fault, into: Values): void {
  for (const { index } of items) into.fault(index, fault);
}
