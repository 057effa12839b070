import { isFault, type Fault, type Point } from '@tagway/sdk';
import {
  parsePoints,
  RangePlan,
  ReadRange,
  type PointFault,
  type Range,
  type RefusalMemory,
} from '@tagway/sdk/link';
import { parseAddress, placeSize, type Area } from './address.ts';
import { compileDecoding, type Decoded, type Decoding } from './decode.ts';
import { mostItems, mostReadBytes, readRequest, Room, Unit, type ItemSpec } from './protocol.ts';

/** One point within the areas of a PLC; `area` is data block × 256 + code of the area. */
export interface Item extends Range, Decoded {}

/** Neighbouring points that are read as one item of a job, or as several if they do not fit into one. */
export class ItemRange extends ReadRange<Item> {
  readonly decoding: Decoding;
  /** Whole bytes. */
  readonly bytes: number;
  /** Where the parts of a range come together that does not fit into one answer. */
  readonly whole: Buffer | undefined;
  /** Why the PLC refused it in this pass. */
  refusal: Fault | undefined;
  /** Parts that are still to come in this pass. */
  missing = 0;

  /** `most`: bytes of the largest part. */
  constructor(items: readonly Item[], most: number) {
    super(items);
    this.decoding = compileDecoding(items, this.start);
    this.bytes = (this.end - this.start) * placeSize(areaOf(this));
    this.whole = this.bytes > most ? Buffer.alloc(this.bytes) : undefined;
  }
}

function areaOf({ area }: Range): Area {
  return (area & 0xff) as Area;
}

/** What one item of a job brings: a range, or a part of a long one. */
export interface Part {
  readonly range: ItemRange;
  /** Byte within the range. */
  readonly offset: number;
  readonly bytes: number;
}

/** A job with the parts that it reads. */
export interface PlannedRequest {
  readonly packet: Buffer;
  readonly parts: readonly Part[];
}

/** How the points of one group are read: compiled once, and again when the PDU or what the PLC refuses has changed. */
export class ReadPlan {
  readonly invalid: readonly PointFault[];
  /** The points, as far as the PLC does not refuse them. */
  readonly ranges: RangePlan<Item, ItemRange>;
  #pdu = 0;
  #requests: readonly PlannedRequest[] = [];

  constructor(points: readonly Point[], memory: RefusalMemory<Fault>) {
    const { items, invalid } = parsePoints(points, ({ address: text, type }, index): Item | Fault => {
      const address = parseAddress(text, type);
      if (isFault(address)) return address;
      const { area, db, size, start } = address;
      return { area: db * 256 + area, start, end: start + size, index, address };
    });
    this.invalid = invalid;
    const perPlace = (bytes: () => number) => (area: number) =>
      Math.floor(bytes() / placeSize((area & 0xff) as Area));
    const options = {
      // An item costs twelve bytes of a request and a twentieth of its places, so a gap that is shorter is read along.
      gap: perPlace(() => Math.max(4, Math.floor(this.#most / mostItems) - 4)),
      most: perPlace(() => this.#most),
      make: (members: readonly Item[]) => new ItemRange(members, this.#most),
    };
    this.ranges = new RangePlan(items, options, memory);
  }

  /** A pass begins at `now`, over connection number `generation`, with a PDU of that many bytes: the jobs that read `ranges`. */
  begin(now: number, generation: number, pdu: number): readonly PlannedRequest[] {
    this.#pdu = pdu;
    if (this.ranges.begin(now, generation)) this.#requests = requestsOf(this.ranges.ranges, pdu);
    return this.#requests;
  }

  get #most(): number {
    return mostReadBytes(this.#pdu);
  }
}

/** Packs ranges into as few jobs as the size of the PDU allows: the largest first, each into the first job that has room. */
export function requestsOf(ranges: readonly ItemRange[], pdu: number): PlannedRequest[] {
  const jobs: { readonly room: Room; readonly parts: Part[] }[] = [];
  const parts = ranges.flatMap((range) => partsOf(range, mostReadBytes(pdu)));
  let bytes = 0;
  /** The jobs before this one have no room for `bytes`. */
  let first = 0;
  for (const part of parts.sort((a, b) => b.bytes - a.bytes)) {
    if (part.bytes !== bytes) first = 0;
    bytes = part.bytes;
    while (first < jobs.length && jobs[first]?.room.take(bytes) !== true) first++;
    if (first === jobs.length) {
      const room = new Room(pdu, 'read');
      room.take(bytes);
      jobs.push({ room, parts: [] });
    }
    jobs[first]?.parts.push(part);
  }
  return jobs.map(({ parts: own }) => ({ parts: own, packet: readRequest(own.map(specOf)) }));
}

function partsOf(range: ItemRange, most: number): Part[] {
  const parts: Part[] = [];
  const step = most - (most % placeSize(areaOf(range)));
  for (let offset = 0; offset < range.bytes; offset += step)
    parts.push({ range, offset, bytes: Math.min(step, range.bytes - offset) });
  return parts;
}

function specOf({ range, offset, bytes }: Part): ItemSpec {
  const area = areaOf(range);
  const size = placeSize(area);
  const place = range.start + offset / size;
  return {
    unit: unitOf(area),
    count: bytes / size,
    db: Math.floor(range.area / 256),
    area,
    // Bytes are named by their first bit, timers and counters by their number.
    address: size === 1 ? place * 8 : place,
  };
}

/** What is counted in an area: timers and counters have the codes of their areas. */
export function unitOf(area: Area): number {
  return placeSize(area) === 2 ? area : Unit.BYTE;
}
