import { epoch, hasQuality, hasTime, headLength, Kind, kindBits, version } from './record.ts';

const twoTo32 = 0x1_0000_0000;

/** Goes through the rows of a record. What it says holds for the row at hand; places are those of bytes in `data`. */
export class RowCursor {
  data: Buffer = Buffer.alloc(0);
  /** The same bytes. */
  view: DataView = new DataView(new ArrayBuffer(0));
  /** Where the row begins, and where the next one does. */
  at = 0;
  next = 0;
  kind: number = Kind.FLOAT;
  node = 0;
  nodeLength = 0;
  group = 0;
  groupLength = 0;
  tag = 0;
  tagLength = 0;
  /** Of the time that the device gave; 0 when it gave none. */
  time = 0;
  /** Flags of `Quality`. */
  quality = 0;
  value = 0;
  valueLength = 0;
  /** Which row of the record it is. */
  row = -1;
  isEvents = false;
  #rows = 0;

  /** Begins a record. False: it is none that this version can read. */
  open(data: Uint8Array): boolean {
    this.data = Buffer.from(data.buffer, data.byteOffset, data.length);
    this.view = new DataView(data.buffer, data.byteOffset, data.length);
    if (data.length < headLength || data[0] !== version) return false;
    this.isEvents = data[17] === 1;
    this.#rows = this.data.readUInt32BE(18);
    this.nodeLength = this.data.readUInt16BE(headLength);
    this.node = headLength + 2;
    this.groupLength = this.data.readUInt16BE(this.node + this.nodeLength);
    this.group = this.node + this.nodeLength + 2;
    this.rewind();
    return true;
  }

  /** Goes before the first row. */
  rewind(): void {
    this.next = this.group + this.groupLength;
    this.row = -1;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Goes to the next row; false after the last one. */
  advance(): boolean {
    if (this.row + 1 >= this.#rows) return false;
    this.row++;
    this.seek(this.next);
    return true;
  }

  /** Goes to the row that begins at a place. */
  seek(place: number): void {
    const { data } = this;
    this.at = place;
    const first = data[place]!;
    this.kind = first & kindBits;
    this.tagLength = (data[place + 1]! << 8) | data[place + 2]!;
    this.tag = place + 3;
    let at = this.tag + this.tagLength;
    this.time = 0;
    this.quality = 0;
    if ((first & hasTime) !== 0) {
      this.time = at;
      at += 8;
    }
    if ((first & hasQuality) !== 0) {
      this.quality = data.readUInt32BE(at);
      at += 4;
    }
    if (this.kind === Kind.TEXT || this.kind === Kind.BYTES) {
      this.valueLength = data.readUInt32BE(at);
      at += 4;
    } else this.valueLength = this.kind === Kind.BOOL ? 1 : this.kind === Kind.FAULT ? 4 : 8;
    this.value = at;
    this.next = at + this.valueLength;
  }

  text(from: number, length: number): string {
    return this.data.toString('utf8', from, from + length);
  }

  /** The number that tells rows of one tag and one time apart. */
  get sequence(): bigint {
    return this.data.readBigInt64BE(9) + (this.isEvents ? BigInt(this.row) : 0n);
  }

  /** The time of the row in milliseconds since 1970. `ofDevice`: the one that the device gave, if it gave one. */
  timeOf(ofDevice: boolean): number {
    const from = ofDevice && this.time !== 0 ? this.time : 1;
    return (this.data.readInt32BE(from) * twoTo32 + this.data.readUInt32BE(from + 4)) / 1000 + epoch;
  }
}
