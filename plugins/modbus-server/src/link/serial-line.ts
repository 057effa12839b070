import { frameOf } from '@tagway/modbus/rtu';
import { maxPdu } from '@tagway/modbus/server';
import type { Clock } from '@tagway/sdk';
import type { Failure, Wire } from '@tagway/sdk/link';
import type { Unit } from '../map/unit.ts';
import type { Asker } from '../requests/request.ts';
import type { Requests } from '../requests/requests.ts';
import { isWrite } from '../requests/write-request.ts';
import { framesIn, type LineFrame } from './line-frames.ts';
import type { Served } from './side.ts';

/** Milliseconds after which bytes that are no frame are dropped: adapters deliver the parts of a frame in bursts. */
const burst = 50;
/** Bytes of some frames that come in one burst. */
const mostBytes = 4096;

export interface SerialLineOptions {
  readonly clock: Clock;
  readonly requests: Requests;
  readonly asker: Asker;
  readonly opened: () => void;
  readonly closed: (failure: Failure) => void;
  readonly served: Served;
  malformed(): void;
  /** An answer came too late to be sent. */
  late(): void;
}

/** One or more slaves on a serial line, among others: what is not for them is passed over, and never is an answer sent after somebody else has spoken. */
export class SerialLine {
  readonly #wire: Wire;
  readonly #options: SerialLineOptions;
  readonly #bytes = Buffer.alloc(mostBytes);
  #size = 0;
  /** Grows with all bytes that come: an answer that is made while others speak is late. */
  #heard = 0;
  #timer: Disposable | undefined;
  #isClosed = false;
  requests = 0;
  exceptions = 0;

  constructor(wire: Wire, options: SerialLineOptions) {
    this.#wire = wire;
    this.#options = options;
  }

  async open(): Promise<void> {
    const { clock, closed, opened } = this.#options;
    await this.#wire.transport.open(
      {
        opened: () => opened(),
        received: (data, end) => this.#received(data, end),
        closed: (failure) => {
          this.#size = 0;
          closed(failure);
        },
      },
      clock,
    );
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.[Symbol.dispose]();
    return this.#wire.transport.close();
  }

  #received(data: Buffer, end: number): void {
    this.#heard++;
    this.#options.served(0, 0, 0, end, 0);
    if (this.#size + end > mostBytes) this.#drop();
    const taken = Math.min(end, mostBytes);
    data.copy(this.#bytes, this.#size, end - taken, end);
    this.#size += taken;
    this.#after(this.#wire.line.medium.gap, () => this.#settle());
  }

  /** Calls back after this much silence, unless something is heard. */
  #after(ms: number, work: () => void): void {
    this.#timer?.[Symbol.dispose]();
    const heard = this.#heard;
    this.#timer = this.#options.clock.timer(ms, () => {
      // Bytes that have come while this process was busy are read before.
      setImmediate(() => {
        if (heard === this.#heard && !this.#isClosed) work();
      });
    });
  }

  /** The line has been silent for as long as it is between two frames. */
  #settle(): void {
    const { frames, isOpen } = framesIn(this.#bytes, this.#size);
    const last = frames.at(-1);
    const isWhole = last?.end === this.#size;
    if (!isWhole && isOpen) return this.#after(burst, () => this.#drop());
    if (!isWhole) return this.#drop();
    this.#size = 0;
    // Who did not wait for an answer does not want it any more.
    for (const frame of frames) if (frame !== last) this.#take(frame, false);
    this.#take(last, true);
  }

  #drop(): void {
    this.#size = 0;
    this.#options.malformed();
  }

  #take({ at, end, isRequest }: LineFrame, isLast: boolean): void {
    if (!isRequest) return;
    const number = this.#bytes[at]!;
    const pdu = this.#bytes.subarray(at + 1, end - 2);
    if (number === 0) return this.#broadcast(Buffer.from(pdu));
    const unit = this.#options.requests.unit(number);
    if (unit === undefined) return;
    this.requests++;
    this.#options.served(1, 0, 0, 0, 0);
    if (!isLast) return this.#options.late();
    if (isWrite(pdu[0]!)) return void this.#write(unit, number, Buffer.from(pdu));
    const out = Buffer.allocUnsafe(maxPdu);
    const size = this.#options.requests.answer(unit, pdu, 0, pdu.length, out, 0);
    this.#send(number, out.subarray(0, size));
  }

  async #write(unit: Unit, number: number, pdu: Buffer): Promise<void> {
    const heard = this.#heard;
    const answer = await this.#options.requests.write(unit, pdu, this.#options.asker);
    if (this.#isClosed) return;
    if (heard === this.#heard) this.#send(number, answer);
    else this.#options.late();
  }

  /** All units carry it out, and none answers. */
  #broadcast(pdu: Buffer): void {
    const { asker, requests, served } = this.#options;
    if (pdu.length === 0 || !isWrite(pdu[0]!)) return;
    this.requests++;
    served(1, 0, 0, 0, 0);
    for (const unit of requests.units) void requests.write(unit, pdu, asker);
  }

  #send(number: number, answer: Buffer): void {
    const frame = frameOf(number, answer);
    const isException = answer[0]! >= 0x80;
    if (isException) this.exceptions++;
    this.#options.served(0, 1, Number(isException), 0, frame.length);
    this.#wire.transport.send(frame);
  }
}
