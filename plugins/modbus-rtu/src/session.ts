import type { Exchange, ModbusSettings, Session, SessionEvents } from '@tagway/modbus';
import { frameOf } from '@tagway/modbus/rtu';
import type { Fault } from '@tagway/sdk';
import {
  Bus,
  disconnected,
  noResponse,
  type BusContext,
  type BusRequest,
  type Failure,
  type Link,
  type Progress,
  type Wire,
} from '@tagway/sdk/link';
import { framesOf } from './frames.ts';
import { Reply } from './reply.ts';

type RtuSettings = Pick<ModbusSettings, 'timeout' | 'address_base'>;

/** Milliseconds that units get to obey a broadcast: the turnaround delay of MODBUS over Serial Line V1.02, section 2.4.1. */
const turnaround = 100;

/** Modbus RTU over a serial port or a TCP connection: one request on the wire at a time, which is empty before the next one. */
export class RtuSession implements Session {
  readonly window = 1;
  readonly spares = 0;
  readonly grace: number;
  readonly broadcasts = true;
  readonly isReading = false;
  readonly #context: BusContext;
  readonly #events: SessionEvents;
  readonly #bus: Bus<RtuRequest>;
  /** The request that waits for its answer: the window is one. */
  #request: RtuRequest | undefined;

  constructor(
    context: BusContext,
    { timeout, address_base }: RtuSettings,
    wire: Wire,
    grace: number,
    events: SessionEvents,
  ) {
    this.#context = context;
    this.#events = events;
    this.grace = grace;
    // The driver decides when silence ends the connection: other units on the wire may answer.
    const frames = framesOf(address_base);
    this.#bus = new Bus(context, wire, { timeout, turnaround, silence: Infinity, grace, frames });
    this.#bus.link.observe({ up: () => events.up(), down: (failure) => this.#down(failure) });
  }

  get link(): Link {
    return this.#bus.link;
  }

  send(exchange: Exchange): void {
    this.#request = new RtuRequest(exchange, this.#context);
    this.#bus.add(this.#request);
  }

  flush(): void {
    // The bus sends a request when the wire is free.
  }

  abandon(exchanges: ReadonlySet<Exchange>): void {
    if (this.#request !== undefined && exchanges.has(this.#request.exchange)) this.#withdraw();
  }

  close(): Promise<void> {
    return this.#bus.close();
  }

  #down(failure: Failure): void {
    this.#withdraw()?.failed(disconnected);
    this.#events.down(failure);
  }

  /** The request that waited, if it has not ended. */
  #withdraw(): RtuRequest | undefined {
    const request = this.#request;
    if (request === undefined) return undefined;
    this.#request = undefined;
    this.#bus.withdraw(new Set([request]));
    return request.isOver ? undefined : request;
  }
}

/** A Modbus request as one of a bus. */
class RtuRequest implements BusRequest {
  readonly bytes: Buffer;
  readonly station: number;
  /** The function: a reply does not say which registers it is about. */
  readonly kind: number;
  readonly answerSize: number;
  readonly exchange: Exchange;
  isOver = false;
  readonly #context: BusContext;
  readonly #reply: Reply;

  constructor(exchange: Exchange, context: BusContext) {
    const { pdu, unit } = exchange;
    this.bytes = frameOf(unit, pdu);
    this.station = unit;
    this.kind = pdu[0] ?? 0;
    this.exchange = exchange;
    this.#context = context;
    this.#reply = new Reply(unit, pdu);
    this.answerSize = unit === 0 ? 0 : this.#reply.size;
  }

  take(data: Buffer, end: number): Progress {
    const reply = this.#reply;
    const progress = reply.take(data, end);
    if (progress !== 'answered') return progress;
    if (reply.start > 1) this.#context.count('foreign_frames', 1);
    this.isOver = true;
    return this.exchange.answered(reply.data, reply.start, reply.end) ? 'answered' : 'damaged';
  }

  done(): void {
    if (this.station !== 0) return;
    this.isOver = true;
    // No unit answers a broadcast: what a unit would repeat is taken for the answer.
    const { pdu } = this.exchange;
    this.exchange.answered(Buffer.from(pdu.subarray(0, 5)), 0, 5);
  }

  failed(fault: Fault): void {
    this.isOver = true;
    if (fault === noResponse && this.#reply.noise) this.#context.count('malformed_frames', 1);
    this.exchange.failed(fault);
  }
}
