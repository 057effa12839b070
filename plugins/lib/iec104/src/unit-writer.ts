import { writeElement } from './element-writer.ts';
import { formatOf } from './elements.ts';
import { asduHeaderSize, mostAsdu } from './protocol.ts';
import { timeSize, writeTime } from './time.ts';

/** Most objects that the qualifier of an ASDU counts. */
const mostObjects = 127;

/** What a unit of data says of one object. */
export interface ObjectReport {
  readonly object: number;
  readonly value: number;
  /** Octet of the quality, or of a counter's sequence number. */
  readonly descriptor: number;
  /** Milliseconds since the epoch, where the type has a time. */
  readonly time: number;
  readonly isTimeInvalid: boolean;
}

/** Puts objects one by one into as few ASDUs as their order allows: an ASDU has one type, cause and common address. */
export class UnitWriter {
  readonly #utcOffset: number;
  readonly #done: (asdu: Buffer) => void;
  readonly #asdu = Buffer.alloc(mostAsdu);
  #end = 0;
  #type = 0;
  #cause = 0;
  #ca = 0;

  /** `done` takes each ASDU, a buffer of its own. `utcOffset`: minutes by which the times are ahead of UTC. */
  constructor(utcOffset: number, done: (asdu: Buffer) => void) {
    this.#utcOffset = utcOffset;
    this.#done = done;
  }

  /** Adds an object of a monitored type. */
  add(type: number, cause: number, ca: number, report: ObjectReport): void {
    const format = formatOf(type);
    if (format === undefined) return;
    const size = 3 + format.size + (format.hasTime ? timeSize : 0);
    const asdu = this.#asdu;
    const isSame = type === this.#type && cause === this.#cause && ca === this.#ca;
    if (!isSame || this.#end + size > mostAsdu || asdu[1] === mostObjects) this.#begin(type, cause, ca);
    let at = asdu.writeUIntLE(report.object, this.#end, 3);
    at = writeElement(format.kind, report.value, report.descriptor, asdu, at);
    if (format.hasTime) at = writeTime(report.time, this.#utcOffset, report.isTimeInvalid, asdu, at);
    asdu[1] = asdu[1]! + 1;
    this.#end = at;
  }

  /** Passes on what was added last. */
  flush(): void {
    if (this.#end > 0 && this.#asdu[1]! > 0) this.#done(Buffer.from(this.#asdu.subarray(0, this.#end)));
    this.#end = 0;
    this.#type = 0;
  }

  #begin(type: number, cause: number, ca: number): void {
    this.flush();
    this.#type = type;
    this.#cause = cause;
    this.#ca = ca;
    const asdu = this.#asdu;
    asdu[0] = type;
    asdu[1] = 0;
    asdu[2] = cause;
    asdu[3] = 0;
    asdu.writeUInt16LE(ca, 4);
    this.#end = asduHeaderSize;
  }
}
