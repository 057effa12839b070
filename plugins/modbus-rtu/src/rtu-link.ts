import type { Exchange, Link, ModbusSettings } from '@tagway/modbus';
import type { Fault } from '@tagway/sdk';
import {
  Bus,
  disconnected,
  noResponse,
  type BusContext,
  type BusRequest,
  type Failure,
  type Progress,
  type Wire,
} from '@tagway/sdk/link';
import { frameOf } from './frame.ts';
import { Reply } from './reply.ts';

type RtuSettings = Pick<ModbusSettings, 'timeout'>;

/** Milliseconds that units get to obey a broadcast: the turnaround delay of MODBUS over Serial Line V1.02, section 2.4.1. */
const turnaround = 100;

/** Modbus RTU over a serial port or a TCP connection: one request on the wire at a time, which is empty before the next one. */
export class RtuLink implements Link {
  readonly window = 1;
  readonly spares = 0;
  readonly grace: number;
  readonly broadcasts = true;
  readonly isReading = false;
  onRead: () => void = () => undefined;
  onUp: () => void = () => undefined;
  onDown: (failure: Failure) => void = () => undefined;
  readonly #context: BusContext;
  readonly #bus: Bus<RtuRequest>;
  readonly #requests = new Map<Exchange, RtuRequest>();

  constructor(context: BusContext, settings: RtuSettings, wire: Wire, grace: number) {
    const { timeout } = settings;
    this.#context = context;
    // When silence ends the connection is for the driver to say: others on the wire may answer.
    this.grace = grace;
    this.#bus = new Bus(context, wire, { timeout, turnaround, silence: Infinity, grace: this.grace });
    this.#bus.link.observe({ up: () => this.onUp(), down: (failure) => this.#down(failure) });
  }

  get up(): boolean {
    return this.#bus.link.up;
  }

  get generation(): number {
    return this.#bus.link.generation;
  }

  open(): Promise<void> {
    return this.#bus.open();
  }

  send(exchange: Exchange): void {
    const request = new RtuRequest(exchange, this.#context, () => this.#requests.delete(exchange));
    this.#requests.set(exchange, request);
    this.#bus.add(request);
  }

  flush(): void {
    // A request leaves when its turn comes.
  }

  abandon(exchanges: ReadonlySet<Exchange>): void {
    const requests = new Set<RtuRequest>();
    for (const exchange of exchanges) {
      const request = this.#requests.get(exchange);
      if (request !== undefined) requests.add(request);
      this.#requests.delete(exchange);
    }
    this.#bus.withdraw(requests);
  }

  get quietFor(): number {
    return this.#bus.link.quietFor;
  }

  reconnect(reason: string): void {
    this.#bus.link.silent(reason);
  }

  close(): Promise<void> {
    return this.#bus.close();
  }

  #down(failure: Failure): void {
    const requests = [...this.#requests.values()];
    this.#bus.withdraw(new Set(requests));
    for (const request of requests) request.failed(disconnected);
    this.onDown(failure);
  }
}

/** A Modbus request as one of a bus. */
class RtuRequest implements BusRequest {
  readonly bytes: Buffer;
  readonly station: number;
  /** The function: a reply does not say which registers it is about. */
  readonly kind: number;
  readonly answerSize: number;
  readonly #exchange: Exchange;
  readonly #context: BusContext;
  readonly #ended: () => void;
  readonly #reply: Reply;

  constructor(exchange: Exchange, context: BusContext, ended: () => void) {
    const { pdu, unit } = exchange;
    this.bytes = frameOf(unit, pdu);
    this.station = unit;
    this.kind = pdu[0] ?? 0;
    this.#exchange = exchange;
    this.#context = context;
    this.#ended = ended;
    this.#reply = new Reply(unit, pdu);
    this.answerSize = unit === 0 ? 0 : this.#reply.size;
  }

  take(data: Buffer, end: number): Progress {
    const reply = this.#reply;
    const progress = reply.take(data, end);
    if (progress !== 'answered') return progress;
    if (reply.start > 1) this.#context.count('foreign_frames', 1);
    this.#ended();
    return this.#exchange.answered(reply.data, reply.start, reply.end) ? 'answered' : 'damaged';
  }

  done(): void {
    if (this.station !== 0) return;
    this.#ended();
    // Nobody answers a broadcast: what a device would repeat is taken for its answer.
    const { pdu } = this.#exchange;
    this.#exchange.answered(Buffer.from(pdu.subarray(0, 5)), 0, 5);
  }

  failed(fault: Fault): void {
    this.#ended();
    if (fault === noResponse && this.#reply.noise) this.#context.count('malformed_frames', 1);
    this.#exchange.failed(fault);
  }
}
