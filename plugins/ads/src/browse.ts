import {
  DataType,
  ErrorCode,
  Fault,
  type BrowseEntry,
  type BrowsePage,
  type BrowseRequest,
} from '@tagway/sdk';
import type { AskOptions } from '@tagway/sdk/link';
import { isArray, tagTypeOf } from './form.ts';
import { IndexGroup } from './protocol.ts';
import type { Session } from './session.ts';
import { uploadProgram, type Program, type TypeEntry } from './symbol-list.ts';

const pageSize = 500;

/** A variable, a member of one, an element of one, or a name that others begin with. */
interface Thing {
  readonly name: string;
  readonly id: string;
  /** Name of its type; undefined for what is only the beginning of names. */
  readonly type?: string;
  readonly dataType: number;
  readonly size: number;
  readonly comment: string;
}

/** Lists the variables of the program as a tree: names by their parts, members of structures, elements of arrays. */
export class Browser {
  readonly #session: Session;
  #program: Program | undefined;
  /** Connection and version of the program that was uploaded. */
  #key = '';

  constructor(session: Session) {
    this.#session = session;
  }

  async browse({ id, cursor }: BrowseRequest, options: AskOptions): Promise<BrowsePage> {
    const program = await this.#current(options);
    const place = id === '' ? undefined : find(program, id);
    if (id !== '' && place === undefined)
      throw new Fault(ErrorCode.READ_FAILED, `The program of the controller has nothing at ${id}.`);
    const from = Number(cursor ?? 0);
    const first = Number.isInteger(from) && from >= 0 ? from : 0;
    const { total, page } = below(program, place, first);
    const next = first + page.length;
    return {
      total,
      type: place?.type === undefined ? 0 : tagTypeOf(place.dataType, place.type, place.size),
      isArray: place?.type !== undefined && isArray(place.type),
      entries: page.map(entryOf),
      ...(next < total && { cursor: String(next) }),
    };
  }

  /** The program that runs now: pages of one list ask for its version alone. */
  async #current(options: AskOptions): Promise<Program> {
    const version = await this.#session.read(IndexGroup.SYMBOL_VERSION, 0, 1, options);
    const current = version.error === 0 ? version.data[0] : undefined;
    const key = `${this.#session.link.generation} ${current}`;
    if (this.#program !== undefined && current !== undefined && key === this.#key) return this.#program;
    const program = await uploadProgram(this.#session, options);
    this.#program = program;
    this.#key = key;
    return program;
  }
}

function entryOf({ name, id, type, dataType, size, comment }: Thing): BrowseEntry {
  const description = [type, comment].filter((text) => text !== undefined && text !== '').join(': ');
  const tagType = type === undefined ? 0 : tagTypeOf(dataType, type, size);
  return {
    name,
    id,
    readable: tagType !== 0 || (type !== undefined && size > 0),
    type: tagType === 0 && type !== undefined && size > 0 ? DataType.BYTES : tagType,
    ...(description !== '' && { description }),
  };
}

/** What is only the beginning of names. */
function beginning(name: string, id: string): Thing {
  return { name, id, dataType: 0, size: 0, comment: '' };
}

/** What the id of an entry names: the longest symbol that it begins with, and from there by its types. */
function find(program: Program, id: string): Thing | undefined {
  const wanted = id.toUpperCase();
  let root: Thing | undefined;
  let isPrefix = false;
  for (const symbol of program.symbols) {
    const name = symbol.name.toUpperCase();
    if (name === wanted) return { ...symbol, id: symbol.name };
    isPrefix ||= name.startsWith(`${wanted}.`);
    const leads = wanted.startsWith(`${name}.`) || wanted.startsWith(`${name}[`);
    if (leads && symbol.name.length > (root?.id.length ?? 0)) root = { ...symbol, id: symbol.name };
  }
  if (isPrefix) return beginning(id, id);
  // Every step makes the id longer, so there are no more steps than characters.
  while (root !== undefined && root.id.length < id.length) {
    const rest = wanted.slice(root.id.length);
    root = rest.startsWith('[')
      ? elementOf(program, root, rest)
      : members(program, root).find(({ id: name }) => isBeginning(name.toUpperCase(), wanted));
  }
  return root;
}

function isBeginning(name: string, of: string): boolean {
  return of.startsWith(name) && (of.length === name.length || '.['.includes(of[name.length] as string));
}

function below(
  program: Program,
  place: Thing | undefined,
  from: number,
): { readonly total: number; readonly page: readonly Thing[] } {
  if (place?.type !== undefined && isArray(place.type)) {
    const { total, at } = elements(program, place);
    const count = Math.max(0, Math.min(pageSize, total - from));
    return { total, page: Array.from({ length: count }, (_, index) => at(from + index)) };
  }
  const all = place?.type === undefined ? named(program, place?.id ?? '') : members(program, place);
  return { total: all.length, page: all.slice(from, from + pageSize) };
}

/** The symbols whose names begin with `prefix`, and the parts of names that others go on behind. */
function named({ symbols }: Program, prefix: string): Thing[] {
  const start = prefix === '' ? '' : `${prefix.toUpperCase()}.`;
  const things = new Map<string, Thing>();
  for (const symbol of symbols) {
    if (!symbol.name.toUpperCase().startsWith(start)) continue;
    // Global variables of TwinCAT 2 begin with a dot.
    const first = start === '' && symbol.name.startsWith('.') ? 1 : start.length;
    const dot = symbol.name.indexOf('.', first);
    const id = dot < 0 ? symbol.name : symbol.name.slice(0, dot);
    const name = id.slice(start.length);
    if (dot < 0) things.set(id.toUpperCase(), { ...symbol, name, id });
    else if (!things.has(id.toUpperCase())) things.set(id.toUpperCase(), beginning(name, id));
  }
  return [...things.values()];
}

/** The type behind a name and its aliases. */
function typeOf({ types }: Program, name: string): TypeEntry | undefined {
  let type = types.get(name);
  for (let left = 16; left > 0 && type !== undefined; left--) {
    const other = types.get(type.type);
    if (type.members.length > 0 || type.dimensions.length > 0 || other === undefined || other === type)
      return type;
    type = other;
  }
  return type;
}

function members(program: Program, { id, type = '' }: Thing): Thing[] {
  const { members: list = [] } = typeOf(program, type) ?? {};
  return list.map((member) => ({ ...member, id: `${id}.${member.name}` }));
}

function elements(
  program: Program,
  { id, type = '', dataType, size }: Thing,
): { readonly total: number; readonly at: (index: number) => Thing } {
  const { dimensions = [] } = typeOf(program, type) ?? {};
  const total = dimensions.reduce((product, { count }) => product * count, dimensions.length > 0 ? 1 : 0);
  const element = type.slice(type.indexOf(' OF ') + 4);
  const found = typeOf(program, element);
  const at = (index: number): Thing => {
    let left = index;
    const places: number[] = [];
    for (const { first, count } of dimensions.toReversed()) {
      places.unshift(first + (left % count));
      left = Math.floor(left / count);
    }
    const name = `[${places.join(',')}]`;
    const kind = isArray(element) ? 0 : (found?.dataType ?? dataType);
    return { name, id: `${id}${name}`, type: element, dataType: kind, size: size / total, comment: '' };
  };
  return { total, at };
}

/** The element that `rest`, which begins with a bracket, names. */
function elementOf(program: Program, array: Thing, rest: string): Thing | undefined {
  const places = /^\[(-?\d+(?:,-?\d+)*)\]/.exec(rest)?.[1]?.split(',').map(Number);
  const { dimensions = [] } = typeOf(program, array.type ?? '') ?? {};
  if (places?.length !== dimensions.length) return undefined;
  let index = 0;
  for (const [at, { first, count }] of dimensions.entries()) {
    const place = (places[at] as number) - first;
    if (place < 0 || place >= count) return undefined;
    index = index * count + place;
  }
  return elements(program, array).at(index);
}
