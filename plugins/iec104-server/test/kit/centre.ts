import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely, type ConnectionOptions } from 'node:tls';
import { until } from '@tagway/testkit';

/** A unit of data as a test sees it. Written after the standard's tables, apart from the plugin's own code. */
export interface Unit {
  readonly type: number;
  readonly count: number;
  readonly isSequence: boolean;
  readonly cause: number;
  readonly isNegative: boolean;
  readonly isTest: boolean;
  readonly origin: number;
  readonly ca: number;
  /** Octets after the common address. */
  readonly body: Buffer;
}

/** One object of a unit. */
export interface Reported {
  readonly type: number;
  readonly cause: number;
  readonly ca: number;
  readonly ioa: number;
  readonly element: Buffer;
}

export const U = { STARTDT: 0x07, STARTED: 0x0b, STOPDT: 0x13, STOPPED: 0x23, TEST: 0x43, TESTED: 0x83 };

export interface CentreOptions {
  readonly localAddress?: string;
  readonly tls?: ConnectionOptions;
  /** Frames after which what was received is acknowledged; 0: never by itself. Default 1. */
  readonly acknowledgesAfter?: number;
}

const modulus = 32_768;

/** Octets of an element of a monitored type with the time. */
const elementSizes: Readonly<Record<number, number>> = {
  1: 1,
  3: 1,
  5: 2,
  7: 5,
  9: 3,
  11: 3,
  13: 5,
  15: 5,
  30: 8,
  31: 8,
  32: 9,
  33: 12,
  34: 10,
  35: 10,
  36: 12,
  37: 12,
};

/** The objects of a unit of a monitored type, which has them one by one. */
export function reportedIn({ type, count, cause, ca, body }: Unit): Reported[] {
  const size = 3 + (elementSizes[type] ?? 0);
  return Array.from({ length: count }, (_, index) => {
    const at = index * size;
    return { type, cause, ca, ioa: body.readUIntLE(at, 3), element: body.subarray(at + 3, at + size) };
  });
}

/** One connection of a control centre. */
export class Centre implements AsyncDisposable {
  readonly socket: Socket;
  readonly units: Unit[] = [];
  /** Control fields of unnumbered frames. */
  readonly controls: number[] = [];
  /** Every frame that came. */
  readonly frames: Buffer[] = [];
  /** Every frame of both sides, in order. */
  readonly wire: { readonly isOurs: boolean; readonly bytes: Buffer }[] = [];
  vs = 0;
  vr = 0;
  /** The number that the station has acknowledged. */
  acknowledged = 0;
  isClosed = false;
  /** What was wrong with what came; the connection was ended for it. */
  fault = '';
  acknowledgesAfter: number;
  answersTests = true;
  #unacknowledged = 0;
  #rest = Buffer.alloc(0);

  constructor(socket: Socket, acknowledgesAfter: number) {
    this.socket = socket;
    this.acknowledgesAfter = acknowledgesAfter;
    socket.setNoDelay(true);
    socket.on('data', (data) => this.#take(data));
    socket.on('error', () => undefined);
    socket.on('close', () => (this.isClosed = true));
  }

  static async connect(port: number, options: CentreOptions = {}): Promise<Centre> {
    const { localAddress, tls, acknowledgesAfter = 1 } = options;
    const place = { host: '127.0.0.1', port, ...(localAddress !== undefined && { localAddress }) };
    const socket = tls === undefined ? connect(place) : connectSecurely({ ...place, ...tls });
    const centre = new Centre(socket, acknowledgesAfter);
    await once(socket, tls === undefined ? 'connect' : 'secureConnect');
    return centre;
  }

  /** Connects and starts the transfer of data. */
  static async start(port: number, options: CentreOptions = {}): Promise<Centre> {
    const centre = await Centre.connect(port, options);
    centre.control(U.STARTDT);
    await until('it has started', () => centre.controls.includes(U.STARTED) || centre.isClosed);
    return centre;
  }

  control(control: number): void {
    this.raw(Buffer.from([0x68, 4, control, 0, 0, 0]));
  }

  /** `number`: of the first frame that is not acknowledged. */
  acknowledge(number = this.vr): void {
    this.#unacknowledged = 0;
    this.raw(Buffer.from([0x68, 4, 1, 0, (number * 2) & 255, (number * 2) >> 8]));
  }

  /** Sends a unit of one object. */
  send(type: number, cause: number, ioa: number, element: readonly number[], ca = 1, origin = 0): void {
    const asdu = [
      type,
      1,
      cause,
      origin,
      ca & 255,
      ca >> 8,
      ioa & 255,
      (ioa >> 8) & 255,
      ioa >> 16,
      ...element,
    ];
    this.unit(asdu);
  }

  /** Sends a unit with these octets. */
  unit(asdu: readonly number[]): void {
    const numbers = [(this.vs * 2) & 255, (this.vs * 2) >> 8, (this.vr * 2) & 255, (this.vr * 2) >> 8];
    this.vs = (this.vs + 1) % modulus;
    this.#unacknowledged = 0;
    this.raw(Buffer.from([0x68, asdu.length + 4, ...numbers, ...asdu]));
  }

  raw(bytes: Buffer): void {
    this.wire.push({ isOurs: true, bytes });
    this.socket.write(bytes);
  }

  /** Waits for a unit that fits, from the one with this index on. */
  async next(what: string, fits: (unit: Unit) => boolean, from = 0, within = 5000): Promise<Unit> {
    await until(what, () => this.units.slice(from).some(fits), within);
    return this.units.slice(from).find(fits) as Unit;
  }

  /** Sends a unit and waits for an answer of its type. */
  async ask(type: number, cause: number, ioa: number, element: readonly number[], ca = 1): Promise<Unit> {
    const from = this.units.length;
    this.send(type, cause, ioa, element, ca);
    return this.next(`an answer to type ${type}`, (unit) => unit.type === type, from);
  }

  /** All objects that were reported, in order. */
  get reported(): Reported[] {
    return this.units.filter(({ type }) => elementSizes[type] !== undefined).flatMap(reportedIn);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isClosed) return;
    const closed = once(this.socket, 'close');
    this.socket.destroy();
    await closed;
  }

  #take(data: Buffer): void {
    let bytes = Buffer.concat([this.#rest, data]);
    while (bytes.length >= 2 && bytes.length >= bytes[1]! + 2) {
      const size = bytes[1]! + 2;
      this.#frame(Buffer.from(bytes.subarray(0, size)));
      bytes = bytes.subarray(size);
    }
    this.#rest = bytes;
  }

  #frame(frame: Buffer): void {
    this.frames.push(frame);
    this.wire.push({ isOurs: false, bytes: frame });
    const control = frame[2]!;
    if ((control & 3) === 3) {
      this.controls.push(control);
      if (control === U.TEST && this.answersTests) this.control(U.TESTED);
      return;
    }
    this.acknowledged = frame.readUInt16LE(4) >> 1;
    if ((control & 1) === 1) return;
    const number = frame.readUInt16LE(2) >> 1;
    if (number !== this.vr) {
      this.fault = `The station sent frame ${number} where ${this.vr} was due.`;
      this.socket.destroy();
      return;
    }
    this.vr = (this.vr + 1) % modulus;
    this.units.push({
      type: frame[6]!,
      count: frame[7]! & 127,
      isSequence: (frame[7]! & 128) !== 0,
      cause: frame[8]! & 63,
      isNegative: (frame[8]! & 64) !== 0,
      isTest: (frame[8]! & 128) !== 0,
      origin: frame[9]!,
      ca: frame.readUInt16LE(10),
      body: Buffer.from(frame.subarray(12)),
    });
    this.#unacknowledged++;
    if (this.acknowledgesAfter > 0 && this.#unacknowledged >= this.acknowledgesAfter) this.acknowledge();
  }
}
