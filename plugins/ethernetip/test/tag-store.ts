import type { SimTag, SimType } from './program.ts';

/** What a path leads to among the tags: bytes of elements that lie side by side. */
export interface Place {
  readonly tag: SimTag;
  readonly type: SimType;
  /** The first element is `bytes[0, type.size)`. */
  readonly bytes: Buffer;
  /** Elements from here to the end. */
  readonly elements: number;
  /** The bit of a BOOL of a structure; -1 for others. */
  readonly bit: number;
}

/** One segment of a path, parsed. */
export type Segment =
  | { readonly kind: 'class' | 'instance' | 'attribute' | 'member'; readonly value: number }
  | { readonly kind: 'symbol'; readonly name: string };

/** The segments of a path; throws when they are wrong. */
export function segmentsOf(path: Buffer): Segment[] {
  const segments: Segment[] = [];
  for (let at = 0; at < path.length;) {
    const code = path[at]!;
    if (code === 0x91) {
      const size = path[at + 1]!;
      segments.push({ kind: 'symbol', name: path.toString('utf8', at + 2, at + 2 + size) });
      at += 2 + size + (size & 1);
      continue;
    }
    const kind = ({ 0x20: 'class', 0x24: 'instance', 0x28: 'member', 0x30: 'attribute' } as const)[
      code & 0xfc
    ];
    if (kind === undefined || (code & 3) === 3) throw new Error(`segment ${code}`);
    const width = [1, 2, 4][code & 3]!;
    segments.push({ kind, value: path.readUIntLE(at + (width === 1 ? 1 : 2), width) });
    at += width === 1 ? 2 : 2 + width;
  }
  return segments;
}

/** The tags of a controller and of its programs. */
export class TagStore {
  /** By program, `''` for the controller. */
  readonly scopes = new Map<string, SimTag[]>([['', []]]);
  /** Whether tags can be named by their numbers. */
  byNumber = true;
  readonly #byName = new Map<string, SimTag>();
  readonly #byInstance = new Map<string, SimTag>();
  #instance = 0x300;

  clear(): void {
    this.scopes.clear();
    this.scopes.set('', []);
    this.#byName.clear();
    this.#byInstance.clear();
  }

  add(program: string, ...tags: SimTag[]): void {
    const scope = this.scopes.get(program) ?? [];
    this.scopes.set(program, scope);
    for (const tag of tags) {
      tag.instance = this.#instance += 7;
      this.#byName.set(`${program}/${tag.name}`.toLowerCase(), tag);
      this.#byInstance.set(`${program}/${tag.instance}`.toLowerCase(), tag);
    }
    scope.push(...tags);
  }

  find(program: string, name: string): SimTag | undefined {
    return this.#byName.get(`${program}/${name}`.toLowerCase());
  }

  /** Gives a tag of the controller another number. */
  renumber(name: string, instance: number): void {
    const tag = this.find('', name);
    if (tag === undefined) return;
    tag.instance = instance;
    this.#byInstance.set(`/${instance}`, tag);
  }

  /** What a path leads to, or the status by which it is refused. */
  at(segments: readonly Segment[]): Place | number {
    let left = segments.slice();
    let program = '';
    const [head] = left;
    if (head?.kind === 'symbol' && /^program:/i.test(head.name)) {
      program = head.name.slice(8);
      left = left.slice(1);
    }
    const [first, second] = left;
    let tag: SimTag | undefined;
    if (first?.kind === 'symbol') {
      tag = this.find(program, first.name);
      left = left.slice(1);
    } else if (first?.kind === 'class' && first.value === 0x6b && second?.kind === 'instance') {
      if (!this.byNumber) return 0x08;
      tag = this.#byInstance.get(`${program}/${second.value}`.toLowerCase());
      left = left.slice(2);
    }
    if (tag === undefined) return 0x04;
    return this.#walk(tag, left);
  }

  #walk(tag: SimTag, segments: readonly Segment[]): Place | number {
    let type = tag.type;
    let dimensions: readonly number[] = tag.dimensions;
    let bytes = tag.value;
    let elements = dimensions.reduce((product, size) => product * size, 1);
    let bit = -1;
    let indices: number[] = [];
    const settle = (): boolean => {
      if (indices.length === 0) return true;
      if (indices.length !== dimensions.length) return false;
      const number = indices.reduce((sum, index, at) => sum * dimensions[at]! + index, 0);
      if (indices.some((index, at) => index >= dimensions[at]!)) return false;
      bytes = bytes.subarray(number * type.size);
      elements -= number;
      indices = [];
      dimensions = [];
      return true;
    };
    for (const segment of segments) {
      if (segment.kind === 'member') {
        indices.push(segment.value);
        continue;
      }
      if (segment.kind !== 'symbol') return 0x04;
      if (!settle()) return 0x05;
      if (dimensions.length > 0) return 0x05;
      const member = type.members.find(({ name }) => name.toLowerCase() === segment.name.toLowerCase());
      if (member === undefined) return 0x04;
      bytes = bytes.subarray(member.offset);
      type = member.type;
      dimensions = member.count > 0 ? [member.count] : [];
      elements = Math.max(1, member.count);
      bit = member.bit;
    }
    if (!settle()) return 0x05;
    return { tag, type, bytes: bytes.subarray(0, elements * type.size), elements, bit };
  }
}
