import { isFault, type DataType, type Fault, type Point } from '@tagway/sdk';
import {
  parsePoints,
  type AskOptions,
  type PointFault,
  type Range,
  type RefusalMemory,
} from '@tagway/sdk/link';
import { parseAddress, type Address } from './address.ts';
import { packetOf, packetOverhead, packetReplyOverhead, requestOf, Service } from './cip.ts';
import type { Findings } from './findings.ts';
import type { Program } from './program.ts';
import { readsOf, type Read } from './reads.ts';
import { resolve } from './resolve.ts';
import type { Tree } from './tree.ts';

/** A point with its address. */
interface Item {
  readonly index: number;
  readonly text: string;
  readonly address: Address;
  readonly type: DataType;
  /** By which a refusal is remembered. */
  readonly place: Range;
}

/** Reads that go in one request. */
export interface PlannedRequest {
  readonly message: Buffer;
  /** One: the request is that of the read itself. */
  readonly reads: readonly Read[];
}

/** The requests of a plan, as long as the same is known and refused. */
export interface Compiled {
  readonly requests: readonly PlannedRequest[];
  readonly refused: readonly Item[];
  /** Points that cannot be read, by what is known of the program. */
  readonly faulty: readonly PointFault[];
}

/** Bytes of a reply before its data, and of the type before a value. */
const replyHead = 4;

/** How the points of one group are read: compiled once, and again when the program, the limits or what the controller refuses has changed. */
export class ReadPlan {
  readonly invalid: readonly PointFault[];
  readonly addresses: readonly Address[];
  /** All points that have an address. */
  readonly indices: readonly number[];
  readonly memory: RefusalMemory<Fault>;
  readonly #items: readonly Item[];
  readonly #findings: Findings;
  #compiled: Compiled | undefined;
  #key = '';
  /** The epoch of the program for which everything was read. */
  #preparedFor = 0;

  constructor(points: readonly Point[], findings: Findings, memory: RefusalMemory<Fault>) {
    const { items, invalid } = parsePoints(points, ({ address: text, type }, index): Item | Fault => {
      const address = parseAddress(text, type);
      return isFault(address) ? address : { index, text, address, type, place: findings.placeOf(text, type) };
    });
    this.invalid = invalid;
    this.addresses = items.map(({ address }) => address);
    this.indices = items.map(({ index }) => index);
    this.memory = memory;
    this.#items = items;
    this.#findings = findings;
  }

  /** Reads what is needed of the program; nothing when it is the one of the last time. Rejects as the link does. */
  async prepare(program: Program, options: AskOptions): Promise<void> {
    const { epoch } = program;
    if (epoch === this.#preparedFor) return;
    await program.prepare(this.addresses, options);
    this.#preparedFor = epoch;
  }

  /** The requests by what is known now. `limit`: bytes of the largest message. */
  compile(program: Program, limit: number): Compiled {
    const { version } = this.#findings;
    const key = [program.epoch, program.version, version, this.memory.version, limit].join(' ');
    if (this.#compiled === undefined || key !== this.#key) {
      const refused: Item[] = [];
      const sound: Item[] = [];
      for (const item of this.#items)
        (this.memory.reasonOf(item.place) === undefined ? sound : refused).push(item);
      const { requests, faulty } = this.requestsFor(sound, program, limit);
      this.#compiled = { requests, faulty, refused };
    }
    this.#key = key;
    return this.#compiled;
  }

  /** The requests that read some of the points. */
  requestsFor(
    items: readonly Item[],
    program: Program,
    limit: number,
  ): { readonly requests: readonly PlannedRequest[]; readonly faulty: readonly PointFault[] } {
    const tree: Tree = new Map();
    const faulty: PointFault[] = [];
    for (const item of items) {
      const fault = resolve(program, tree, item);
      if (fault !== undefined) faulty.push({ index: item.index, fault });
    }
    const { apart } = this.#findings;
    const reads = readsOf(tree, { most: limit - replyHead - 4, layouts: program.isWatched, apart });
    return { requests: this.pack(reads, limit), faulty };
  }

  /** Packs reads into as few requests as the limit allows: the largest first, each into the first one that has room. */
  pack(reads: readonly Read[], limit: number): PlannedRequest[] {
    if (!this.#findings.packets) return reads.map(requestFor);
    const rooms: { request: number; reply: number; readonly reads: Read[] }[] = [];
    let size = -1;
    /** The requests before this one have no room for `size`. */
    let first = 0;
    for (const read of reads.toSorted((a, b) => sizeOf(b) - sizeOf(a))) {
      const request = 6 + read.path.length;
      const reply = 6 + read.typeSize + read.size;
      if (sizeOf(read) !== size) first = 0;
      size = sizeOf(read);
      while (first < rooms.length && !hasRoom(rooms[first]!, request, reply)) first++;
      if (first === rooms.length)
        rooms.push({ request: limit - packetOverhead, reply: limit - packetReplyOverhead, reads: [] });
      const room = rooms[first]!;
      room.request -= request;
      room.reply -= reply;
      room.reads.push(read);
    }
    return rooms.map(({ reads: own }) =>
      own.length === 1 ? requestFor(own[0]!) : { message: packetOf(own.map(messageOf)), reads: own },
    );
  }
}

/** Bytes of a read and its reply together, by which reads are sorted. */
function sizeOf({ path, size }: Read): number {
  return path.length + size;
}

function hasRoom(
  room: { readonly request: number; readonly reply: number },
  request: number,
  reply: number,
): boolean {
  return room.request >= request && room.reply >= reply;
}

function requestFor(read: Read): PlannedRequest {
  return { message: messageOf(read), reads: [read] };
}

function messageOf({ elements, path }: Read): Buffer {
  const data = Buffer.alloc(2);
  data.writeUInt16LE(elements);
  return requestOf(Service.READ, path, data);
}
