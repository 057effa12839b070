import type { DataType } from '@tagway/sdk';
import type { Range } from '@tagway/sdk/link';
import type { Kind, Variable } from './types.ts';
import { elementPath } from './path.ts';

/** How one point gets its value from the bytes of a variable. */
export interface Use {
  /** Index of the point in its group. */
  readonly index: number;
  readonly kind: Kind;
  /** Byte within the variable. */
  readonly offset: number;
  /** The bit of a BIT, the bytes of BYTES, the most characters of a text in a structure. */
  readonly extra: number;
  /** By which a refusal is remembered. */
  readonly place: Range;
  /** Asks for the kind once the controller has said what the variable is; undefined when that is known. */
  readonly learn: Learn | undefined;
}

/** What is known of a point before its variable is: it is compiled when the first reply says what that is. */
export interface Learn {
  readonly address: string;
  readonly type: DataType;
  readonly bit: number;
}

/** A variable, a member or an element that a request can name. Its values have one form. */
export class ValueNode {
  readonly key: string;
  readonly path: Buffer;
  readonly variable: Variable;
  /** Of a structure; 0 for others. */
  readonly handle: number;
  /** Bytes of the value, or those that are expected at most while it is not known. */
  readonly size: number;
  readonly uses: Use[] = [];
  readonly members = new Map<string, MemberNode>();

  constructor(key: string, path: Buffer, variable: Variable, handle: number, size: number) {
    this.key = key;
    this.path = path;
    this.variable = variable;
    this.handle = handle;
    this.size = size;
  }
}

/** A member and where it lies in its structure. */
export interface MemberNode {
  readonly offset: number;
  /** The bit that is a BOOL; -1 for others. */
  readonly bit: number;
  readonly node: ValueNode | ArrayNode;
}

/** Elements that one point takes together. */
export interface Span {
  readonly first: number;
  readonly count: number;
  readonly use: Use;
}

/** An array. Several of its elements can be read at once, those between that nobody asks for included. */
export class ArrayNode {
  readonly key: string;
  readonly path: Buffer;
  readonly element: Variable;
  /** Of structures; 0 for others. */
  readonly handle: number;
  /** Bytes from one element to the next. */
  readonly stride: number;
  /** Elements of each dimension; empty while it is not known. */
  readonly dimensions: readonly number[];
  /** An array of BOOL, 32 in each element. */
  readonly isPacked: boolean;
  readonly elements = new Map<number, ValueNode>();
  readonly spans: Span[] = [];

  constructor(parts: {
    readonly key: string;
    readonly path: Buffer;
    readonly element: Variable;
    readonly handle: number;
    readonly stride: number;
    readonly dimensions: readonly number[];
    readonly isPacked: boolean;
  }) {
    this.key = parts.key;
    this.path = parts.path;
    this.element = parts.element;
    this.handle = parts.handle;
    this.stride = parts.stride;
    this.dimensions = parts.dimensions;
    this.isPacked = parts.isPacked;
  }

  /** How a request names the element with this number, counted through all dimensions. */
  pathOf(number: number): Buffer {
    return Buffer.concat([this.path, elementPath(this.indicesOf(number))]);
  }

  indicesOf(number: number): number[] {
    const indices: number[] = [];
    let left = number;
    for (const size of this.dimensions.slice(1).toReversed()) {
      indices.unshift(left % size);
      left = Math.floor(left / size);
    }
    return [left, ...indices];
  }

  /** The node of an element. */
  at(number: number): ValueNode {
    let node = this.elements.get(number);
    if (node === undefined) {
      const key = `${this.key}[${this.indicesOf(number).join(',')}]`;
      node = new ValueNode(key, this.pathOf(number), this.element, this.handle, this.stride);
      this.elements.set(number, node);
    }
    return node;
  }
}

/** The variables that the points of a group need, by their keys. */
export type Tree = Map<string, ValueNode | ArrayNode>;
