import {
  DataType,
  ErrorCode,
  Fault,
  isFault,
  type BrowseEntry,
  type BrowsePage,
  type BrowseRequest,
} from '@tagway/sdk';
import type { AskOptions } from '@tagway/sdk/link';
import { parseAddress } from './address.ts';
import type { Program } from './program.ts';
import type { Tag } from './symbol-list.ts';
import { isVisible, type Member, type TypeWord } from './template.ts';
import { CipType, elementaryOf, tagTypeOf } from './types.ts';

const pageSize = 500;

/** A tag, a member of one, or an element of one. */
interface Thing {
  readonly name: string;
  readonly id: string;
  readonly type: TypeWord;
  readonly dimensions: readonly number[];
}

/** A list of which one page is shown. */
interface List {
  readonly total: number;
  readonly at: (index: number) => Thing | string;
}

/** Lists the tags of the controller and of its programs, members of structures, and elements of arrays. */
export class Browser {
  readonly #program: Program;

  constructor(program: Program) {
    this.#program = program;
  }

  async browse({ id, cursor }: BrowseRequest, options: AskOptions): Promise<BrowsePage> {
    const from = Number(cursor ?? 0);
    const first = Number.isInteger(from) && from >= 0 ? from : 0;
    const programName = /^program:([^.]+)$/i.exec(id)?.[1];
    if (id === '' || programName !== undefined)
      return this.#page(await this.#tags(programName ?? '', options), undefined, first, options);
    const thing = await this.#find(id, options);
    return this.#page(await this.#below(thing, options), thing, first, options);
  }

  /** The tags of the controller, with the names of its programs before them, or the tags of a program. */
  async #tags(program: string, options: AskOptions): Promise<List> {
    const scope = await this.#program.list(program, options);
    if (scope === undefined)
      throw new Fault(
        ErrorCode.READ_FAILED,
        program === ''
          ? 'The controller does not list its tags: give the names of the tags that are to be read.'
          : `The controller does not list the tags of a program ${program}.`,
      );
    const all = [...scope.values()];
    const programs = all.filter(({ name }) => /^program:/i.test(name)).map(({ name }) => name);
    const tags = all.filter(isListed);
    const prefix = program === '' ? '' : `Program:${program}.`;
    const at = (index: number): Thing | string =>
      programs[index] ?? thingOf(tags[index - programs.length]!, prefix);
    return { total: programs.length + tags.length, at };
  }

  async #page(list: List, place: Thing | undefined, first: number, options: AskOptions): Promise<BrowsePage> {
    const count = Math.max(0, Math.min(pageSize, list.total - first));
    const entries: BrowseEntry[] = [];
    for (let index = first; index < first + count; index++) {
      const thing = list.at(index);
      if (typeof thing === 'string') entries.push({ name: thing, id: thing, readable: false, type: 0 });
      else entries.push(await this.#entryOf(thing, options));
    }
    const next = first + count;
    return {
      total: list.total,
      type: place === undefined ? 0 : await this.#typeOf(place, options),
      isArray: place !== undefined && place.dimensions.length > 0,
      entries,
      ...(next < list.total && { cursor: String(next) }),
    };
  }

  async #entryOf(thing: Thing, options: AskOptions): Promise<BrowseEntry> {
    const { dimensions, id, name, type } = thing;
    const bits = type.code === CipType.DWORD && !type.isStructure && this.#program.packsBits ? 32 : 1;
    const typeName = type.isStructure
      ? ((await this.#program.structureOf(type, options))?.name ?? 'structure')
      : bits === 32 && dimensions.length > 0
        ? 'BOOL'
        : elementaryOf(type.code).name;
    const sizes = dimensions.map((size, at) => (at === dimensions.length - 1 ? size * bits : size));
    const description = dimensions.length === 0 ? typeName : `${typeName}[${sizes.join(',')}]`;
    return { name, id, readable: true, type: await this.#typeOf(thing, options), description };
  }

  async #typeOf({ dimensions, type }: Thing, options: AskOptions): Promise<DataType> {
    if (dimensions.length > 0) return DataType.BYTES;
    const structure = await this.#program.structureOf(type, options);
    if (type.isStructure)
      return structure !== undefined && structure.characters >= 0 ? DataType.STRING : DataType.BYTES;
    return tagTypeOf(elementaryOf(type.code));
  }

  /** What an id names. */
  async #find(id: string, options: AskOptions): Promise<Thing> {
    const absent = new Fault(ErrorCode.READ_FAILED, `The controller has nothing at ${id}.`);
    const address = parseAddress(id, DataType.BYTES);
    if (isFault(address) || address.count > 0 || address.bit >= 0) throw absent;
    const scope = await this.#program.list(address.program, options);
    const prefix = address.program === '' ? '' : `Program:${address.program}.`;
    let thing: Thing | undefined;
    for (const { name, indices } of address.parts) {
      if (thing === undefined) {
        const tag = scope?.get(name.toLowerCase());
        thing = tag === undefined || !isListed(tag) ? undefined : thingOf(tag, prefix);
      } else {
        const structure = await this.#program.structureOf(thing.type, options);
        const member = structure?.members.get(name.toLowerCase());
        thing = member === undefined || thing.dimensions.length > 0 ? undefined : memberOf(thing, member);
      }
      if (thing !== undefined && indices.length > 0)
        thing = elementAt(thing, indices, this.#program.packsBits);
      if (thing === undefined) throw absent;
    }
    if (thing === undefined) throw absent;
    return thing;
  }

  /** What lies below: the elements of an array, or the members of a structure that is no text. */
  async #below(thing: Thing, options: AskOptions): Promise<List> {
    const { dimensions, type } = thing;
    if (dimensions.length > 0) {
      const isPacked = isPackedArray(thing, this.#program.packsBits);
      const total = dimensions.reduce((product, size) => product * size, isPacked ? 32 : 1);
      const sizes = dimensions.map((size, at) =>
        isPacked && at === dimensions.length - 1 ? 32 * size : size,
      );
      return { total, at: (index) => elementAt(thing, indicesOf(sizes, index), isPacked)! };
    }
    const structure = await this.#program.structureOf(type, options);
    if (structure === undefined || structure.characters >= 0) return { total: 0, at: () => '' };
    const members = [...structure.members.values()].filter(isVisible);
    return { total: members.length, at: (index) => memberOf(thing, members[index]!) };
  }
}

/** Whether people are to see a tag: the controller lists much that is no tag for others. */
function isListed({ isClosed, name, type }: Tag): boolean {
  if (isClosed || type.isSystem || name.startsWith('__')) return false;
  return !/^(?:program|routine|task|map|cxn|udi):/i.test(name);
}

function thingOf({ dimensions, name, type }: Tag, prefix: string): Thing {
  return { name, id: `${prefix}${name}`, type, dimensions };
}

function memberOf({ id }: Thing, { count, name, type }: Member): Thing {
  return { name, id: `${id}.${name}`, type, dimensions: count > 0 ? [count] : [] };
}

function isPackedArray({ dimensions, type }: Thing, packsBits: boolean): boolean {
  return packsBits && dimensions.length > 0 && !type.isStructure && type.code === CipType.DWORD;
}

const bool: TypeWord = { isStructure: false, code: CipType.BOOL, dimensions: 0, isSystem: false };

/** The element with these indices; undefined when there is none. */
function elementAt(thing: Thing, indices: readonly number[], packsBits: boolean): Thing | undefined {
  const { dimensions, id, type } = thing;
  const isPacked = isPackedArray(thing, packsBits);
  if (indices.length !== dimensions.length) return undefined;
  const isInside = indices.every(
    (index, at) => index < dimensions[at]! * (isPacked && at === dimensions.length - 1 ? 32 : 1),
  );
  if (!isInside) return undefined;
  const name = `[${indices.join(',')}]`;
  return { name, id: `${id}${name}`, type: isPacked ? bool : type, dimensions: [] };
}

function indicesOf(sizes: readonly number[], index: number): number[] {
  const indices: number[] = [];
  let left = index;
  for (const size of sizes.toReversed()) {
    indices.unshift(left % size);
    left = Math.floor(left / size);
  }
  return indices;
}
