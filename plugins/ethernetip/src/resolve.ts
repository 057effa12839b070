import { DataType, ErrorCode, Fault, isFault } from '@tagway/sdk';
import type { Range } from '@tagway/sdk/link';
import { missingTag, needsIndex, noArray, noMember, type Found } from './absent.ts';
import type { Address } from './address.ts';
import { elementPath, ClassCode, objectPath, symbolPath } from './path.ts';
import type { Program } from './program.ts';
import type { Tag } from './symbol-list.ts';
import type { Structure, TypeWord } from './template.ts';
import { ArrayNode, ValueNode, type Tree, type Use } from './tree.ts';
import { CipType, elementaryOf, Kind, kindOf, widthOf, type Variable } from './types.ts';

/** A point on its way into the tree. */
export interface Wanted {
  readonly index: number;
  readonly text: string;
  readonly address: Address;
  readonly type: DataType;
  readonly place: Range;
}

/** Bytes that are expected of a value whose type is not known, by which packets are filled. */
const expectedText = 300;
const expectedNumber = 8;

/** Puts a point into the tree, or says why it cannot be read. */
export function resolve(program: Program, tree: Tree, wanted: Wanted): Fault | undefined {
  const { address } = wanted;
  const scope = program.scope(address.program);
  const tag = scope?.get(address.parts[0].name.toLowerCase());
  if (tag !== undefined) return walk(program, tree, wanted, tag);
  if (scope !== undefined && program.isWatched) return missingTag(address);
  return unknown(tree, wanted);
}

/** How a tag is named: by its number where that is shorter, and safe. */
function rootPath(program: Program, { program: owner, parts: [{ name }] }: Address, tag: Tag): Buffer {
  const scope = owner === '' ? Buffer.alloc(0) : symbolPath(`Program:${owner}`);
  const byName = symbolPath(name);
  const isSafe = program.isWatched && tag.isBase && program.usesInstances;
  const byNumber = isSafe ? objectPath(ClassCode.SYMBOL, tag.instance) : byName;
  return Buffer.concat([scope, byNumber.length < byName.length ? byNumber : byName]);
}

/** The path of an address by names alone, up to and with the last index. */
export function namePath({ program, parts }: Address): Buffer {
  const segments = program === '' ? [] : [symbolPath(`Program:${program}`)];
  for (const { name, indices } of parts) segments.push(symbolPath(name), elementPath(indices));
  return Buffer.concat(segments);
}

function variableOf({ isStructure, code }: TypeWord, structure: Structure | undefined): Variable {
  if (!isStructure) return elementaryOf(code);
  const { characters = -1, name = 'structure', size = 0 } = structure ?? {};
  return { code: 0, size, name, characters };
}

/** Goes from the tag to the member or element that the address names. */
function walk(program: Program, tree: Tree, wanted: Wanted, tag: Tag): Fault | undefined {
  const { address, text } = wanted;
  const { parts } = address;
  if (tag.isClosed)
    return new Fault(
      ErrorCode.READ_FAILED,
      `The tag ${tag.name} is closed to access from outside (external access is none).`,
    );
  let found: Found = {
    type: tag.type,
    structure: structureOf(program, tag.type),
    dimensions: tag.dimensions,
  };
  if (tag.type.isStructure && found.structure === undefined) return unknown(tree, wanted);
  let key = `${address.program}/${parts[0].name}`.toLowerCase();
  let node = tree.get(key);
  if (node === undefined)
    tree.set(key, (node = nodeOf(program, key, rootPath(program, address, tag), found)));
  for (const [at, { name, indices }] of parts.entries()) {
    if (at > 0) {
      // A member of an array without an index was refused at its part.
      const parent = node as ValueNode;
      const member = found.structure?.members.get(name.toLowerCase());
      if (member === undefined) return noMember(address, at, found);
      found = {
        type: member.type,
        structure: structureOf(program, member.type),
        dimensions: member.count > 0 ? [member.count] : [],
      };
      if (member.type.isStructure && found.structure === undefined) return unknown(tree, wanted);
      key = `${parent.key}.${name}`.toLowerCase();
      let link = parent.members.get(key);
      if (link === undefined) {
        const path = Buffer.concat([parent.path, symbolPath(name)]);
        link = { offset: member.offset, bit: member.bit, node: nodeOf(program, key, path, found) };
        parent.members.set(key, link);
      }
      node = link.node;
    }
    if (indices.length === 0 && node instanceof ValueNode) continue;
    const isLast = at === parts.length - 1;
    if (node instanceof ValueNode) return noArray(address, at, found);
    if (indices.length === 0) {
      if (isLast && wanted.type === DataType.BYTES) return spanOf(node, 0, wanted);
      return needsIndex(address, at, node);
    }
    const number = numberOf(node, indices, text);
    if (isFault(number)) return number;
    const isBytes = wanted.type === DataType.BYTES;
    if (isLast && node.isPacked && !isBytes) return bitOf(node, number, wanted);
    if (isLast && isBytes && (node.isPacked || address.count > 0)) return spanOf(node, number, wanted);
    node = node.at(number);
  }
  return useOf(node as ValueNode, found, wanted);
}

function structureOf(program: Program, { isStructure, code }: TypeWord): Structure | undefined {
  return isStructure ? program.structure(code) : undefined;
}

function nodeOf(
  program: Program,
  key: string,
  path: Buffer,
  { type, structure, dimensions }: Found,
): ValueNode | ArrayNode {
  const variable = variableOf(type, structure);
  const handle = structure?.handle ?? 0;
  if (dimensions.length === 0) return new ValueNode(key, path, variable, handle, variable.size);
  const isPacked = program.packsBits && variable.code === CipType.DWORD;
  return new ArrayNode({ key, path, element: variable, handle, stride: variable.size, dimensions, isPacked });
}

/** The number of an element, counted through all dimensions. An array of BOOL is one of words of 32. */
function numberOf(
  { dimensions, isPacked }: ArrayNode,
  indices: readonly number[],
  text: string,
): number | Fault {
  if (indices.length !== dimensions.length)
    return new Fault(
      ErrorCode.READ_FAILED,
      `${text} has ${indices.length} indices; the array has ${dimensions.length} dimensions.`,
    );
  const factor = isPacked ? 32 : 1;
  let number = 0;
  for (const [at, index] of indices.entries()) {
    const size = dimensions[at]! * (at === dimensions.length - 1 ? factor : 1);
    if (index >= size)
      return new Fault(
        ErrorCode.READ_FAILED,
        `${text} is beyond the end: the array has elements 0 to ${size - 1}.`,
      );
    number = number * size + index;
  }
  return number;
}

function bitOf(node: ArrayNode, number: number, wanted: Wanted): Fault | undefined {
  const { address, index, place, text, type } = wanted;
  const kind = kindOf(type, elementaryOf(CipType.BOOL), address.bit, text);
  if (isFault(kind)) return kind;
  const bit = number & 31;
  const use = { index, kind: Kind.BIT, offset: bit >> 3, extra: bit & 7, place, learn: undefined };
  node.at(number >> 5).uses.push(use);
  return undefined;
}

function spanOf(node: ArrayNode, first: number, wanted: Wanted): Fault | undefined {
  const { address, index, place, text } = wanted;
  const total = node.dimensions.reduce((product, size) => product * size, 1);
  const from = node.isPacked ? first >> 5 : first;
  const isAll = wanted.address.parts.at(-1)!.indices.length === 0 && address.count === 0;
  const count = isAll ? total : Math.max(1, address.count);
  if (from + count > total)
    return new Fault(
      ErrorCode.READ_FAILED,
      `${text} reaches beyond the end: the array has ${total} elements.`,
    );
  const use: Use = {
    index,
    kind: Kind.BYTES,
    offset: 0,
    extra: count * node.stride,
    place,
    learn: undefined,
  };
  node.spans.push({ first: from, count, use });
  return undefined;
}

function useOf(node: ValueNode, { structure }: Found, wanted: Wanted): Fault | undefined {
  const { address, index, place, text, type } = wanted;
  if (address.count > 1)
    return new Fault(ErrorCode.READ_FAILED, `${text} asks for ${address.count} elements; it is no array.`);
  const kind = kindOf(type, node.variable, address.bit, address.text);
  if (isFault(kind)) return kind;
  const isBit = kind === Kind.BIT;
  const extra = isBit ? address.bit & 7 : kind === Kind.BYTES ? node.size : (structure?.characters ?? 0);
  node.uses.push({ index, kind, offset: isBit ? address.bit >> 3 : 0, extra, place, learn: undefined });
  return undefined;
}

/** A point of which nothing is known but its address: the first reply says what it is. */
function unknown(tree: Tree, { address, index, place, text, type }: Wanted): undefined {
  const { bit, count } = address;
  const width = bit >= 0 ? undefined : widthOf(type);
  const learn = { address: text, type, bit };
  const use: Use = { index, kind: Kind.BYTES, offset: 0, extra: 0, place, learn };
  const named = address.parts.at(-1)!;
  // Elements that are counted without an index begin at 0.
  const last = count > 0 && named.indices.length === 0 ? { name: named.name, indices: [0] } : named;
  // Elements of numbers that lie side by side are read at once, none between them.
  if (last.indices.length === 1 && (width !== undefined || count > 0)) {
    const parts = [
      ...address.parts.slice(0, -1),
      { name: last.name, indices: [] },
    ] as unknown as Address['parts'];
    const array = { ...address, parts };
    const key =
      `${address.program}/${parts.map(({ name, indices: all }) => `${name}[${all.join(',')}]`).join('.')} ${count > 0 ? 'bytes' : type}`.toLowerCase();
    let node = tree.get(key);
    if (node === undefined) {
      const element = { ...elementaryOf(0), code: -1 };
      const stride = width ?? expectedNumber;
      node = new ArrayNode({
        key,
        path: namePath(array),
        element,
        handle: 0,
        stride,
        dimensions: [],
        isPacked: false,
      });
      tree.set(key, node);
    }
    const [number] = last.indices as [number];
    if (count > 0) (node as ArrayNode).spans.push({ first: number, count, use });
    else (node as ArrayNode).at(number).uses.push(use);
    return undefined;
  }
  const key = `${address.text} ${type}`.toLowerCase();
  let node = tree.get(key);
  if (node === undefined) {
    const size =
      width ?? (type === DataType.STRING || type === DataType.BYTES ? expectedText : expectedNumber);
    node = new ValueNode(key, namePath(address), { ...elementaryOf(0), code: -1 }, 0, size);
    tree.set(key, node);
  }
  (node as ValueNode).uses.push(use);
  return undefined;
}
