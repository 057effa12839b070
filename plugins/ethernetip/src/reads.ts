import type { Fault } from '@tagway/sdk';
import { isFault } from '@tagway/sdk';
import type { ValueNode } from './tree.ts';
import { ArrayNode, type Tree, type Use } from './tree.ts';
import { Kind, kindOf, type Variable } from './types.ts';

/** How the bytes of one read become values, in columns: one loop decodes them all, without an object for any. */
export interface Decoding {
  readonly kinds: Uint8Array;
  readonly offsets: Int32Array;
  readonly extras: Int32Array;
  readonly indices: Int32Array;
}

/** A use, and where its variable begins in the bytes of a read. */
interface Placed {
  readonly use: Use;
  readonly base: number;
  /** The bit that is a BOOL of a structure; -1 for others. */
  readonly bit: number;
}

/** What one request reads, and which points get values of it. */
export class Read {
  readonly path: Buffer;
  readonly elements: number;
  /** What the reply has to say of the variable; code -1 when that is not known. */
  readonly variable: Variable;
  readonly handle: number;
  /** Bytes of the value, or those that are expected while its type is not known. */
  readonly size: number;
  readonly uses: readonly Use[];
  /** The reads to make instead when the controller refuses this one; undefined when it is of one variable. */
  readonly split: (() => readonly Read[]) | undefined;
  /** The structure whose bytes are taken apart; empty when none is. */
  readonly structure: string;
  readonly #placed: readonly Placed[];
  #decoding: Decoding | undefined;
  /** The type for which the decoding was made, and how many bytes there were. */
  #learned = -1;
  #learnedBytes = -1;
  readonly #faults: { readonly index: number; readonly fault: Fault }[] = [];
  // What a pass has brought; only one pass of a group runs at a time.
  data: Buffer | undefined;
  /** Code of the type that was answered. */
  code = 0;
  fault: Fault | undefined;
  /** The fault is the controller's lasting refusal of what is read. */
  isRefused = false;

  constructor(parts: {
    readonly path: Buffer;
    readonly elements: number;
    readonly variable: Variable;
    readonly handle: number;
    readonly size: number;
    readonly placed: readonly Placed[];
    readonly split?: (() => readonly Read[]) | undefined;
    readonly structure?: string;
  }) {
    this.path = parts.path;
    this.elements = parts.elements;
    this.variable = parts.variable;
    this.handle = parts.handle;
    this.size = parts.size;
    this.#placed = parts.placed;
    this.uses = parts.placed.map(({ use }) => use);
    this.split = parts.split;
    this.structure = parts.structure ?? '';
  }

  get isKnown(): boolean {
    return this.variable.code >= 0;
  }

  /** Bytes of the type before the value in a reply. */
  get typeSize(): number {
    return this.handle === 0 ? 2 : 4;
  }

  /** Points whose type does not fit what was answered. */
  get faults(): readonly { readonly index: number; readonly fault: Fault }[] {
    return this.#faults;
  }

  /** How the bytes that were answered become values. `variable`: what they are, when it was not known before. */
  decodingOf(variable: Variable, bytes: number): Decoding {
    const isSame = this.isKnown || (this.#learned === variable.code && this.#learnedBytes === bytes);
    if (this.#decoding !== undefined && isSame) return this.#decoding;
    this.#learned = variable.code;
    this.#learnedBytes = bytes;
    this.#faults.length = 0;
    const kept = this.isKnown ? this.#placed.map(kindIn) : this.#learn(variable, bytes);
    this.#decoding = {
      kinds: Uint8Array.from(kept, ({ kind }) => kind),
      offsets: Int32Array.from(kept, ({ offset }) => offset),
      extras: Int32Array.from(kept, ({ extra }) => extra),
      indices: Int32Array.from(kept, ({ index }) => index),
    };
    return this.#decoding;
  }

  #learn(variable: Variable, bytes: number): Column[] {
    const columns: Column[] = [];
    for (const { use, base } of this.#placed) {
      const { index, learn } = use;
      if (learn === undefined) continue;
      const kind = kindOf(learn.type, variable, learn.bit, learn.address);
      if (isFault(kind)) {
        this.#faults.push({ index, fault: kind });
        continue;
      }
      const isBit = learn.bit >= 0;
      const offset = isBit ? learn.bit >> 3 : 0;
      const extra = isBit ? learn.bit & 7 : variable.characters >= 0 ? variable.characters : bytes;
      columns.push({ index, kind, offset: base + offset, extra });
    }
    return columns;
  }
}

interface Column {
  readonly index: number;
  readonly kind: Kind;
  readonly offset: number;
  readonly extra: number;
}

function kindIn({ use: { index, kind, offset, extra }, base, bit }: Placed): Column {
  // A BOOL alone is a byte; in the bytes of its structure it is a bit.
  return bit >= 0
    ? { index, kind: bitKind, offset: base, extra: bit }
    : { index, kind, offset: base + offset, extra };
}

const bitKind = Kind.BIT;

/** Reads, and the bytes that they and their replies take. */
interface Planned {
  readonly reads: readonly Read[];
  readonly cost: number;
}

export interface ReadsOptions {
  /** Bytes of the largest value that one reply can bring. */
  readonly most: number;
  /** Whether the bytes of structures may be taken apart: only where a change of the program is noticed. */
  readonly layouts: boolean;
  /** Structures that the controller does not give as a whole, by their keys. */
  readonly apart: ReadonlySet<string>;
}

/** Bytes of a request and its reply beside path, type and value, in a packet of several. */
const fixedCost = 12;

/** The reads that bring all points of a tree in as few bytes as possible. */
export function readsOf(tree: Tree, options: ReadsOptions): Read[] {
  return [...tree.values()].flatMap((node) => plan(node, options).reads);
}

function plan(node: ValueNode | ArrayNode, options: ReadsOptions): Planned {
  return node instanceof ArrayNode ? planArray(node, options) : planValue(node, options);
}

function planValue(node: ValueNode, options: ReadsOptions): Planned {
  const { handle, key, members, path, size, uses, variable } = node;
  const whole = (placed: readonly Placed[], isTakenApart: boolean): Planned => ({
    reads: [
      new Read({
        path,
        elements: 1,
        variable,
        handle,
        size,
        placed,
        ...(isTakenApart && { structure: key, split: () => inParts(node, options).reads }),
      }),
    ],
    cost: fixedCost + path.length + 4 + size,
  });
  if (members.size === 0 && uses.length === 0) return { reads: [], cost: 0 };
  if (members.size === 0) return whole(collect(node, 0, -1, []), false);
  const parts = inParts(node, options);
  const mayWhole = options.layouts && size > 0 && !options.apart.has(key);
  const isAsked = uses.length > 0;
  const all = whole(collect(node, 0, -1, []), true);
  if (mayWhole && (isAsked || all.cost <= parts.cost)) return all;
  return parts;
}

/** A structure by its members, and what wants it as a whole apart from them. */
function inParts(node: ValueNode, options: ReadsOptions): Planned {
  const planned = [...node.members.values()].map((member) => plan(member.node, options));
  if (node.uses.length > 0) {
    const { handle, path, size, uses, variable } = node;
    const placed = uses.map((use) => ({ use, base: 0, bit: -1 }));
    const own = new Read({ path, elements: 1, variable, handle, size, placed });
    planned.push({ reads: [own], cost: fixedCost + path.length + 4 + size });
  }
  return sumOf(planned);
}

function sumOf(planned: readonly Planned[]): Planned {
  return {
    reads: planned.flatMap(({ reads }) => reads),
    cost: planned.reduce((sum, { cost }) => sum + cost, 0),
  };
}

/** Elements that are wanted together: one, or those of a span. */
interface Entry {
  readonly first: number;
  readonly count: number;
  readonly value: ValueNode | undefined;
  readonly use: Use | undefined;
}

function planArray(node: ArrayNode, options: ReadsOptions): Planned {
  const entries: Entry[] = [
    ...Array.from(node.elements, ([first, value]) => ({ first, count: 1, value, use: undefined })).filter(
      ({ value }) => isWanted(value),
    ),
    ...node.spans.map(({ first, count, use }) => ({ first, count, value: undefined, use })),
  ];
  entries.sort((a, b) => a.first - b.first || a.count - b.count);
  const runs = runsOf(node, entries, options.most);
  return sumOf(runs.map((run) => planRun(node, run, options)));
}

/** Whether a point gets something of a node: some get a fault instead. */
function isWanted(node: ValueNode | ArrayNode): boolean {
  if (node instanceof ArrayNode)
    return node.spans.length > 0 || [...node.elements.values()].some((element) => isWanted(element));
  return node.uses.length > 0 || [...node.members.values()].some((member) => isWanted(member.node));
}

/** Entries that one request can read: those between which few bytes lie that nobody wants. */
function runsOf(node: ArrayNode, entries: readonly Entry[], most: number): Entry[][] {
  const { dimensions, path, stride } = node;
  const isKnown = dimensions.length > 0;
  // What a request of its own would cost.
  const gap = isKnown ? fixedCost + path.length + 4 + 2 : 0;
  const room = Math.max(1, Math.floor(most / stride));
  const runs: Entry[][] = [];
  let end = 0;
  let start = 0;
  for (const entry of entries) {
    const run = runs.at(-1);
    const reach = entry.first + entry.count;
    // While the size of an element is not known, spans cannot be taken apart.
    const isPlain = isKnown || (entry.use === undefined && run?.[0]?.use === undefined);
    const isNear = run !== undefined && isPlain && (entry.first - end) * stride <= gap;
    if (isNear && Math.max(end, reach) - start <= room) {
      run.push(entry);
      end = Math.max(end, reach);
    } else {
      runs.push([entry]);
      start = entry.first;
      end = reach;
    }
  }
  return runs;
}

function planRun(node: ArrayNode, run: readonly Entry[], options: ReadsOptions): Planned {
  const { element, handle, stride } = node;
  const [only] = run as [Entry];
  const hasSpans = run.some(({ use }) => use !== undefined);
  // An element alone may be read by its members.
  if (run.length === 1 && only.value !== undefined) return plan(only.value, options);
  const isStructure = handle !== 0;
  const isTakenApart = isStructure && run.some(({ value }) => value !== undefined && value.members.size > 0);
  const first = only.first;
  const count = run.reduce((most, entry) => Math.max(most, entry.first + entry.count), 0) - first;
  const path = node.pathOf(first);
  const placed: Placed[] = [];
  for (const entry of run) {
    const base = (entry.first - first) * stride;
    if (entry.use !== undefined) placed.push({ use: entry.use, base, bit: -1 });
    if (entry.value !== undefined) collect(entry.value, base, -1, placed);
  }
  const key = `${node.key}[]`;
  const split = (): readonly Read[] => {
    if (isTakenApart || run.length === 2) return apart(node, run, options).reads;
    const middle = run.length >> 1;
    return sumOf([run.slice(0, middle), run.slice(middle)].map((half) => planRun(node, half, options))).reads;
  };
  const whole: Planned = {
    reads: [
      new Read({
        path,
        elements: count,
        variable: element,
        handle,
        size: count * stride,
        placed,
        split: run.length > 1 ? split : undefined,
        ...(isTakenApart && { structure: key }),
      }),
    ],
    cost: fixedCost + path.length + 4 + count * stride,
  };
  if (!isTakenApart) return whole;
  const mayWhole = options.layouts && !options.apart.has(key);
  const parts = apart(node, run, options);
  return mayWhole && (hasSpans || whole.cost <= parts.cost) ? whole : parts;
}

/** Each entry of a run by itself. */
function apart(node: ArrayNode, run: readonly Entry[], options: ReadsOptions): Planned {
  return sumOf(run.map((entry) => planRun(node, [entry], options)));
}

/** All uses of a node and of what is in it, by where they lie in its bytes. */
function collect(node: ValueNode | ArrayNode, base: number, bit: number, out: Placed[]): Placed[] {
  if (node instanceof ArrayNode) {
    for (const [first, value] of node.elements) collect(value, base + first * node.stride, -1, out);
    for (const { first, use } of node.spans) out.push({ use, base: base + first * node.stride, bit: -1 });
    return out;
  }
  for (const use of node.uses) out.push({ use, base, bit });
  for (const member of node.members.values()) collect(member.node, base + member.offset, member.bit, out);
  return out;
}
