import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A unit of data as a test sees or makes it. Written after the standard's tables, apart from the driver's own code. */
export interface Unit {
  readonly type: number;
  readonly cause: number;
  readonly isNegative: boolean;
  readonly isTest: boolean;
  readonly isSequence: boolean;
  readonly ca: number;
  /** Octets after the common address. */
  readonly body: Buffer;
}

export type Frame =
  | { readonly format: 'I'; readonly ns: number; readonly nr: number; readonly unit: Unit }
  | { readonly format: 'S'; readonly nr: number }
  | { readonly format: 'U'; readonly control: number };

export interface StationObject {
  readonly ioa: number;
  readonly type: number;
  element: Buffer;
}

export const U = { STARTDT: 0x07, STARTED: 0x0b, STOPDT: 0x13, STOPPED: 0x23, TEST: 0x43, TESTED: 0x83 };

export const uFrame = (control: number): Buffer => Buffer.from([0x68, 4, control, 0, 0, 0]);
export const sFrame = (nr: number): Buffer => Buffer.from([0x68, 4, 1, 0, (nr * 2) & 255, (nr * 2) >> 8]);

export function iFrame(ns: number, nr: number, unit: Partial<Unit> & Pick<Unit, 'type' | 'body'>): Buffer {
  const { type, body, cause = 3, isNegative = false, isTest = false, isSequence = false, ca = 1 } = unit;
  const count = isSequence ? 1 : 1;
  return rawFrame(ns, nr, [
    ...[type, (isSequence ? 0x80 : 0) | count],
    ...[cause | (isNegative ? 0x40 : 0) | (isTest ? 0x80 : 0), 0, ca & 255, ca >> 8, ...body],
  ]);
}

/** An information frame with these octets as its unit of data. */
export function rawFrame(ns: number, nr: number, asdu: readonly number[]): Buffer {
  return Buffer.from([
    ...[0x68, asdu.length + 4, (ns * 2) & 255, (ns * 2) >> 8, (nr * 2) & 255, (nr * 2) >> 8],
    ...asdu,
  ]);
}

export const ioaOctets = (ioa: number): number[] => [ioa & 255, (ioa >> 8) & 255, ioa >> 16];

/** Octets of a unit that holds objects one by one. */
export function unitOf(
  type: number,
  cause: number,
  objects: readonly (readonly [ioa: number, ...element: number[]])[],
  ca = 1,
): number[] {
  const body = objects.flatMap(([ioa, ...element]) => [...ioaOctets(ioa), ...element]);
  return [type, objects.length, cause, 0, ca & 255, ca >> 8, ...body];
}

/** Octets of a unit that holds objects in sequence from an address on. */
export function sequenceOf(
  type: number,
  cause: number,
  ioa: number,
  elements: readonly (readonly number[])[],
): number[] {
  return [type, 0x80 | elements.length, cause, 0, 1, 0, ...ioaOctets(ioa), ...elements.flat()];
}

function parse(frame: Buffer): Frame {
  const control = frame[2]!;
  if ((control & 1) === 0) {
    return {
      format: 'I',
      ns: frame.readUInt16LE(2) >> 1,
      nr: frame.readUInt16LE(4) >> 1,
      unit: {
        type: frame[6]!,
        cause: frame[8]! & 63,
        isNegative: (frame[8]! & 64) !== 0,
        isTest: (frame[8]! & 128) !== 0,
        isSequence: (frame[7]! & 128) !== 0,
        ca: frame.readUInt16LE(10),
        body: Buffer.from(frame.subarray(12)),
      },
    };
  }
  if ((control & 3) === 1) return { format: 'S', nr: frame.readUInt16LE(4) >> 1 };
  return { format: 'U', control };
}

/** Monitored type of an object by the type of the command to it. */
const returned: Readonly<Record<number, number>> = { 45: 1, 46: 3, 47: 5, 48: 9, 49: 11, 50: 13, 51: 7 };

/** What a sane station makes of a command: the information element that it then reports. */
function effectOf(type: number, element: Buffer): Buffer {
  if (type === 45) return Buffer.from([element[0]! & 1]);
  if (type === 46) return Buffer.from([element[0]! & 3]);
  if (type === 47) return Buffer.from([element[0]! & 3, 0]);
  const value = type === 51 ? element : element.subarray(0, -1);
  return Buffer.concat([value, Buffer.from([0])]);
}

/** One connection of a controlling station. */
export class Visit {
  readonly frames: Frame[] = [];
  /** Every frame of both sides, in order. */
  readonly wire: { readonly isOurs: boolean; readonly bytes: Buffer }[] = [];
  vs: number;
  vr: number;
  acknowledged: number;
  isStarted = false;
  isClosed = false;
  readonly socket: Socket;
  readonly #station: Station;
  readonly #queue: (readonly number[])[] = [];
  #rest = Buffer.alloc(0);

  constructor(station: Station, socket: Socket) {
    this.#station = station;
    this.socket = socket;
    this.vs = this.acknowledged = this.vr = 0;
    socket.setNoDelay(true);
    socket.on('data', (data) => this.#take(data));
    socket.on('error', () => undefined);
    socket.on('close', () => (this.isClosed = true));
  }

  /** Frames of ours that were not acknowledged. */
  get outstanding(): number {
    return (this.vs - this.acknowledged + 32768) % 32768;
  }

  get units(): Unit[] {
    return this.frames.flatMap((frame) => (frame.format === 'I' ? [frame.unit] : []));
  }

  raw(...frames: Buffer[]): void {
    for (const bytes of frames) this.wire.push({ isOurs: true, bytes });
    if (!this.socket.destroyed) this.socket.write(Buffer.concat(frames));
  }

  /** Sends a unit of data once k allows. */
  send(asdu: readonly number[]): void {
    this.#queue.push(asdu);
    this.pump();
  }

  pump(): void {
    const frames: Buffer[] = [];
    while (this.#queue.length > 0 && this.outstanding < this.#station.k) {
      frames.push(rawFrame(this.vs, this.vr, this.#queue.shift()!));
      this.vs = (this.vs + 1) % 32768;
    }
    if (frames.length > 0) this.raw(...frames);
  }

  #take(data: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, data]);
    while (this.#rest.length >= 2 && this.#rest.length >= this.#rest[1]! + 2) {
      const size = this.#rest[1]! + 2;
      const bytes = Buffer.from(this.#rest.subarray(0, size));
      this.#rest = this.#rest.subarray(size);
      this.wire.push({ isOurs: false, bytes });
      const frame = parse(bytes);
      this.frames.push(frame);
      if (this.#station.script?.(frame, this) !== true) this.#answer(frame);
    }
  }

  #answer(frame: Frame): void {
    if (frame.format === 'U') {
      if (frame.control === U.STARTDT) {
        this.isStarted = true;
        this.raw(uFrame(U.STARTED));
      }
      if (frame.control === U.TEST) this.raw(uFrame(U.TESTED));
      if (frame.control === U.STOPDT) this.raw(uFrame(U.STOPPED));
      return;
    }
    this.acknowledged = frame.nr;
    if (frame.format === 'I') {
      if (frame.ns !== this.vr) throw new Error(`Frame ${frame.ns} came where ${this.vr} was due.`);
      this.vr = (this.vr + 1) % 32768;
      this.#station.obey(frame.unit, this);
    }
    this.pump();
  }
}

/** A controlled station that carries out commands, unless a script takes a frame over. */
export class Station implements AsyncDisposable {
  readonly objects = new Map<number, StationObject>();
  readonly counters = new Map<number, StationObject>();
  readonly visits: Visit[] = [];
  /** Answers true when it has dealt with a frame. */
  script: ((frame: Frame, visit: Visit) => boolean | undefined) | undefined;
  /** Most frames without an acknowledgement. */
  k = 12;
  /** How commands end: with a termination, without one, or with a negative one. */
  termination: 'positive' | 'none' | 'negative' = 'positive';
  #server: Server | undefined;
  port = 0;

  static async start(): Promise<Station> {
    const station = new Station();
    await station.listen();
    return station;
  }

  async listen(): Promise<void> {
    this.#server = createServer((socket) => this.visits.push(new Visit(this, socket)));
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
  }

  async vanish(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    for (const { socket } of this.visits) socket.destroy();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.vanish();
  }

  get visit(): Visit {
    const visit = this.visits.at(-1);
    if (visit === undefined) throw new Error('Nobody has connected.');
    return visit;
  }

  add(type: number, ioa: number, ...element: number[]): this {
    this.objects.set(ioa, { ioa, type, element: Buffer.from(element) });
    return this;
  }

  /** Carries a unit out as a sane station does. */
  obey(unit: Unit, visit: Visit): void {
    const { type, body, ca } = unit;
    const mirror = (cause: number, isNegative = false): void =>
      visit.send([type, 1, cause | (isNegative ? 64 : 0), 0, ca & 255, ca >> 8, ...body]);
    if (ca !== 1) return mirror(46, true);
    if (type === 100 || type === 101) {
      mirror(7);
      const all = type === 100 ? this.objects : this.counters;
      for (const unit of grouped([...all.values()], type === 100 ? 20 : 37)) visit.send(unit);
      return mirror(10);
    }
    if (type === 103) return mirror(7);
    const monitored = returned[type];
    if (monitored === undefined) return mirror(44, true);
    const ioa = body.readUIntLE(0, 3);
    const object = this.objects.get(ioa);
    if (object?.type !== monitored) return mirror(47, true);
    const element = body.subarray(3);
    const isSelection = type !== 51 && (element.at(-1)! & 0x80) !== 0;
    mirror(7);
    if (isSelection) return;
    if (this.termination !== 'negative') {
      object.element = effectOf(type, element);
      visit.send(unitOf(monitored, 11, [[ioa, ...object.element]]));
    }
    if (this.termination !== 'none') mirror(10, this.termination === 'negative');
  }
}

/** Objects of a type together, as many in a unit as fit. */
function grouped(objects: readonly StationObject[], cause: number): number[][] {
  const units: number[][] = [];
  const types = [...new Set(objects.map(({ type }) => type))];
  for (const type of types) {
    const same = objects.filter((object) => object.type === type);
    const fit = Math.floor(243 / (3 + (same[0]?.element.length ?? 1)));
    for (let at = 0; at < same.length; at += fit)
      units.push(
        unitOf(
          type,
          cause,
          same.slice(at, at + fit).map(({ ioa, element }): [number, ...number[]] => [ioa, ...element]),
        ),
      );
  }
  return units;
}
