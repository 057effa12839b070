import { isFault, type Fault, type Point } from '@tagway/sdk';
import {
  packRanges,
  rangeOf,
  soundItems,
  splitPlace,
  type PackedRange,
  type Range,
  type RefusalMemory,
} from '@tagway/sdk/link';
import { Area, parseAddress, placeSize } from './address.ts';
import { compileDecoding, type Decoded, type Decoding } from './decode.ts';
import { mostItems, mostReadBytes, readRequest, Room, Unit, type ItemSpec } from './protocol.ts';

/** One point within the areas of a PLC; `area` is data block × 256 + code of the area. */
export interface Item extends Range, Decoded {}

/** Whether both halves of a range that was refused could be read. */
interface Split {
  left: number;
  refused: boolean;
  /** The first item of the second half. */
  readonly boundary: Item;
}

/** Neighbouring places that are read as one item of a job, or as several if they do not fit into one. */
export class ReadRange {
  readonly area: number;
  readonly start: number;
  readonly end: number;
  readonly items: readonly Item[];
  readonly decoding: Decoding;
  /** Whole bytes. */
  readonly bytes: number;
  /** The split that made this range, while it is not known whether its halves can be read. */
  readonly split: Split | undefined;
  /** Why the PLC refused it in this reading. */
  refusal: Fault | undefined;
  /** Parts that are still to come in this reading. */
  missing = 0;
  /** Where the parts of a range come together that does not fit into one answer. */
  readonly whole: Buffer | undefined;

  constructor({ area, start, end, items }: PackedRange<Item>, most: number, split?: Split) {
    this.area = area;
    this.start = start;
    this.end = end;
    this.items = items;
    this.decoding = compileDecoding(items, start);
    this.bytes = (end - start) * placeSize((area & 0xff) as Area);
    this.whole = this.bytes > most ? Buffer.alloc(this.bytes) : undefined;
    this.split = split;
  }

  /** Two halves, or undefined when everything in it lies at the same place. */
  halves(most: number): ReadRange[] | undefined {
    const place = splitPlace(this.items);
    if (place === undefined) return undefined;
    const split: Split = { left: 2, refused: false, boundary: this.items[place] as Item };
    return [this.items.slice(0, place), this.items.slice(place)].map(
      (items) => new ReadRange(rangeOf(items), most, split),
    );
  }
}

/** What one item of a job brings: a range, or a part of a long one. */
export interface Part {
  readonly range: ReadRange;
  /** Byte within the range. */
  readonly offset: number;
  readonly bytes: number;
}

/** A job with the parts that it reads. */
export interface PlannedRequest {
  readonly packet: Buffer;
  readonly parts: readonly Part[];
}

/** Most refused places that one reading tries again. */
const mostRetried = 64;

/** The jobs that read the points of one group, compiled once and again when the PDU or what the PLC refuses has changed. */
export class ReadPlan {
  /** Points whose address is wrong, with their faults. */
  readonly invalid: readonly { readonly index: number; readonly fault: Fault }[];
  readonly #items: readonly Item[];
  readonly #memory: RefusalMemory<Fault>;
  #version = 0;
  #pdu = 0;
  #ranges: readonly ReadRange[] = [];
  #requests: readonly PlannedRequest[] = [];
  #refused: readonly Item[] = [];

  constructor(points: readonly Point[], memory: RefusalMemory<Fault>) {
    const invalid: { index: number; fault: Fault }[] = [];
    const items: Item[] = [];
    points.forEach((point, index) => {
      const address = parseAddress(point.address, point.type);
      if (isFault(address)) invalid.push({ index, fault: address });
      else
        items.push({
          area: address.db * 256 + address.area,
          start: address.start,
          end: address.start + address.size,
          index,
          address,
        });
    });
    this.invalid = invalid;
    this.#memory = memory;
    // Sorted once; packing keeps to it.
    this.#items = items.sort((a, b) => a.area - b.area || a.start - b.start || a.end - b.end);
  }

  get ranges(): readonly ReadRange[] {
    return this.#ranges;
  }

  get requests(): readonly PlannedRequest[] {
    return this.#requests;
  }

  /** Places that the PLC refuses: they are no part of `requests`. */
  get refused(): readonly Item[] {
    return this.#refused;
  }

  /** A reading begins at `now`, over connection number `generation`, with a PDU of that many bytes. */
  begin(now: number, generation: number, pdu: number): void {
    this.#memory.begin(now, generation);
    if (this.#version === this.#memory.version && this.#pdu === pdu) return;
    this.#version = this.#memory.version;
    this.#pdu = pdu;
    this.#pack();
  }

  /** Refused places that are due to be tried again, as ranges of their own. */
  retried(now: number): ReadRange[] {
    const ranges: ReadRange[] = [];
    for (const item of this.#refused) {
      if (ranges.length >= mostRetried) break;
      if (this.#memory.tries(item, now))
        ranges.push(new ReadRange(rangeOf([item]), mostReadBytes(this.#pdu)));
    }
    return ranges;
  }

  #pack(): void {
    const { sound, refused, cut } = soundItems(this.#items, this.#memory);
    const most = mostReadBytes(this.#pdu);
    // An item costs twelve bytes of a request and a twentieth of its places, so a gap that is shorter is read along.
    const gap = Math.max(4, Math.floor(most / mostItems) - 4);
    const perPlace = (bytes: number) => (area: number) =>
      Math.floor(bytes / placeSize((area & 0xff) as Area));
    const packed = packRanges(sound, {
      gap: perPlace(gap),
      most: perPlace(most),
      cut,
    });
    this.#ranges = packed.map((range) => new ReadRange(range, most));
    this.#requests = requestsOf(this.#ranges, this.#pdu);
    this.#refused = refused;
  }
}

/** Packs ranges into as few jobs as the size of the PDU allows: the largest first, each into the first job that has room. */
export function requestsOf(ranges: readonly ReadRange[], pdu: number): PlannedRequest[] {
  const jobs: { readonly room: Room; readonly parts: Part[] }[] = [];
  const parts = ranges.flatMap((range) => partsOf(range, mostReadBytes(pdu)));
  let bytes = 0;
  /** The jobs before this one have no room for so many bytes. */
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

function partsOf(range: ReadRange, most: number): Part[] {
  const parts: Part[] = [];
  const step = most - (most % placeSize((range.area & 0xff) as Area));
  for (let offset = 0; offset < range.bytes; offset += step)
    parts.push({ range, offset, bytes: Math.min(step, range.bytes - offset) });
  return parts;
}

function specOf({ range, offset, bytes }: Part): ItemSpec {
  const area = (range.area & 0xff) as Area;
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

/** What is counted in an area. */
export function unitOf(area: Area): number {
  if (area === Area.TIMER) return Unit.TIMER;
  return area === Area.COUNTER ? Unit.COUNTER : Unit.BYTE;
}
