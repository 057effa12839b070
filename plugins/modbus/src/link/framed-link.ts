import type { Context, Fault } from '@tagway/sdk';
import { disconnected, malformed, noResponse } from '../faults.ts';
import { maxPdu } from '../pdu.ts';
import type { ModbusSettings } from '../settings.ts';
import { Connection } from './connection.ts';
import type { Framer, FrameSink } from './framer.ts';
import type { Exchange, Link } from './link.ts';
import type { Transport, TransportEvents } from './transport.ts';

/** Settings of a link on which requests may overtake each other. */
export interface FramedLinkSettings extends Pick<ModbusSettings, 'timeout'> {
  /** Requests that may wait for their answers at the same time. */
  readonly max_in_flight: number;
}

type LinkContext = Pick<Context<FramedLinkSettings>, 'settings' | 'log' | 'link' | 'rtt' | 'count'>;

interface Flight {
  readonly exchange: Exchange;
  readonly sentAt: number;
}

/** The id of a request without answer stays unused until the answer comes after all, or until so many newer ones have none either. */
const mostOverdue = 1024;

/** A link over any transport: gives requests ids and deadlines, and finds the request of every answer. */
export class FramedLink implements Link, FrameSink, TransportEvents {
  readonly window: number;
  readonly broadcasts = false;
  onDown: () => void = () => undefined;
  readonly #context: LinkContext;
  readonly #transport: Transport;
  readonly #connection: Connection;
  readonly #framer: Framer;
  /** Requests that wait for answers, by id; the oldest, whose deadline is the nearest, first. */
  readonly #flights = new Map<number, Flight>();
  readonly #overdue = new Set<number>();
  #id = 0;
  readonly #burst: Buffer;
  #burstSize = 0;
  #burstAt = 0;
  #receiving = false;
  #answeredAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #check: NodeJS.Immediate | undefined;

  constructor(context: LinkContext, transport: Transport, framer: Framer) {
    this.#context = context;
    this.#transport = transport;
    this.#connection = new Connection(context, transport);
    this.#framer = framer;
    this.window = context.settings.max_in_flight;
    this.#burst = Buffer.alloc(this.window * (framer.overhead + maxPdu));
  }

  get up(): boolean {
    return this.#connection.up;
  }

  get generation(): number {
    return this.#connection.generation;
  }

  async open(): Promise<void> {
    this.#connection.connecting();
    await this.#transport.open(this);
    this.#connection.attempted();
  }

  send(exchange: Exchange): void {
    if (this.#burstSize + this.#framer.overhead + exchange.pdu.length > this.#burst.length) this.#transmit();
    if (this.#burstSize === 0) this.#burstAt = performance.now();
    const id = this.#freeId();
    this.#flights.set(id, { exchange, sentAt: this.#burstAt });
    this.#burstSize = this.#framer.write(this.#burst, this.#burstSize, id, exchange.unit, exchange.pdu);
    if (this.#transport.datagrams) this.#transmit();
    this.#connection.asked();
    this.#watchDeadlines();
  }

  flush(): void {
    if (!this.#receiving && this.#burstSize > 0) this.#transmit();
  }

  abandon(exchanges: ReadonlySet<Exchange>): void {
    for (const [id, { exchange }] of this.#flights) if (exchanges.has(exchange)) this.#setOverdue(id);
  }

  reconnect(reason: string): void {
    this.#connection.doubt();
    this.#transport.drop(reason);
  }

  async close(): Promise<void> {
    await this.#transport.close();
    this.#end(disconnected);
    this.onDown();
  }

  opened(peer: string): void {
    this.#framer.reset();
    this.#overdue.clear();
    this.#connection.opened(peer);
  }

  received(data: Buffer, end: number): void {
    this.#context.count('recv_bytes', end);
    this.#receiving = true;
    this.#framer.read(data, end, this);
    this.#receiving = false;
    if (this.#transport.datagrams) this.#framer.reset();
    this.flush();
  }

  closed(reason: string): void {
    this.#connection.closed(reason);
    this.#end(disconnected);
    this.onDown();
  }

  frame(id: number, unit: number, data: Buffer, start: number, end: number): void {
    const flight = this.#flights.get(id);
    if (flight === undefined)
      return this.#context.count(this.#overdue.delete(id) ? 'late_frames' : 'foreign_frames', 1);
    const { exchange, sentAt } = flight;
    if (exchange.unit !== unit) return this.#context.count('foreign_frames', 1);
    this.#flights.delete(id);
    if (!exchange.answered(data, start, end)) {
      exchange.failed(malformed);
      return this.#giveUp(`unit ${unit} sent a reply that does not fit the request`);
    }
    this.#connection.answered();
    if (sentAt === this.#answeredAt) return;
    this.#answeredAt = sentAt;
    this.#context.rtt(performance.now() - sentAt);
  }

  lost(reason: string): void {
    if (this.#transport.datagrams) this.#context.count('foreign_frames', 1);
    else this.#giveUp(reason);
  }

  #giveUp(reason: string): void {
    this.#context.count('malformed_frames', 1);
    this.#end(malformed);
    this.#transport.drop(reason);
  }

  /** Nothing is in flight from now on, until the next connection. */
  #end(fault: Fault): void {
    this.#connection.up = false;
    this.#burstSize = 0;
    clearTimeout(this.#timer);
    clearImmediate(this.#check);
    this.#timer = undefined;
    const flights = [...this.#flights.values()];
    this.#flights.clear();
    for (const { exchange } of flights) exchange.failed(fault);
  }

  #transmit(): void {
    const bytes = Buffer.from(this.#burst.subarray(0, this.#burstSize));
    this.#burstSize = 0;
    this.#context.count('send_bytes', bytes.length);
    this.#context.count('send_msgs', 1);
    this.#transport.send(bytes);
  }

  #freeId(): number {
    do {
      this.#id = (this.#id + 1) & 0xffff;
    } while (this.#flights.has(this.#id) || this.#overdue.has(this.#id));
    return this.#id;
  }

  #setOverdue(id: number): void {
    this.#flights.delete(id);
    this.#overdue.add(id);
    if (this.#overdue.size <= mostOverdue) return;
    for (const oldest of this.#overdue) {
      this.#overdue.delete(oldest);
      break;
    }
  }

  /**
   * One timer for all deadlines, accurate enough for timeouts of a second and more. The verdict waits until the sockets have been
   * looked at, so that an answer counts that came while this process was held up.
   */
  #watchDeadlines(): void {
    const tick = Math.min(Math.max(this.#context.settings.timeout / 20, 10), 100);
    this.#timer ??= setTimeout(() => (this.#check = setImmediate(this.#checkDeadlines)), tick);
  }

  readonly #checkDeadlines = (): void => {
    this.#timer = undefined;
    const latest = performance.now() - this.#context.settings.timeout;
    for (const [id, { exchange, sentAt }] of this.#flights) {
      if (sentAt > latest) break;
      this.#setOverdue(id);
      exchange.failed(noResponse);
    }
    if (this.#flights.size > 0) this.#watchDeadlines();
  };
}
