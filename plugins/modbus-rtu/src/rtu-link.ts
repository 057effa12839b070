import { setTimeout as sleep } from 'node:timers/promises';
import {
  Connection,
  damaged,
  disconnected,
  noResponse,
  type Exchange,
  type Link,
  type ModbusSettings,
  type Transport,
  type TransportEvents,
} from '@tagway/modbus';
import type { Context, Fault } from '@tagway/sdk';
import { frameOf } from './frame.ts';
import type { Line } from './line.ts';
import { Progress, Reply } from './reply.ts';

type LinkContext = Pick<
  Context<Pick<ModbusSettings, 'timeout'>>,
  'settings' | 'log' | 'link' | 'rtt' | 'count' | 'exclusive'
>;

/** The way to units on one wire. */
export interface Wire {
  readonly transport: Transport;
  /** Name of the wire: those who use the same one take turns. */
  readonly key: string;
  /** Defined once the transport was opened. */
  readonly line: Line;
}

/** Milliseconds that units get to obey a broadcast: the turnaround delay of MODBUS over Serial Line V1.02, section 2.4.1. */
const turnaround = 100;

/** How the wait for an answer ended; OVER: nobody waits any more. */
const Ending = { ANSWERED: 0, DAMAGED: 1, SILENCE: 2, OVER: 3 } as const;
type Ending = (typeof Ending)[keyof typeof Ending];

/** Modbus RTU over a serial port or a TCP connection: one request on the wire at a time, which is empty before the next one. */
export class RtuLink implements Link, TransportEvents {
  readonly window = 1;
  readonly broadcasts = true;
  onDown: () => void = () => undefined;
  readonly #context: LinkContext;
  readonly #wire: Wire;
  readonly #connection: Connection;
  readonly #closing = new AbortController();
  /** The request that was taken and has not ended. */
  #current: Exchange | undefined;
  /** Its answer, while that may come. */
  #reply: Reply | undefined;
  #end: (ending: Ending) => void = () => undefined;

  constructor(context: LinkContext, wire: Wire) {
    this.#context = context;
    this.#wire = wire;
    this.#connection = new Connection(context, wire.transport);
  }

  get up(): boolean {
    return this.#connection.up;
  }

  get generation(): number {
    return this.#connection.generation;
  }

  async open(): Promise<void> {
    this.#connection.connecting();
    await this.#wire.transport.open(this);
    this.#connection.attempted();
  }

  send(exchange: Exchange): void {
    this.#current = exchange;
    void this.#carryOut(exchange);
  }

  flush(): void {
    // A request leaves when its turn comes.
  }

  abandon(exchanges: ReadonlySet<Exchange>): void {
    if (this.#current === undefined || !exchanges.has(this.#current)) return;
    this.#current = undefined;
    this.#end(Ending.OVER);
  }

  reconnect(reason: string): void {
    this.#connection.doubt();
    this.#wire.transport.drop(reason);
  }

  async close(): Promise<void> {
    await this.#wire.transport.close();
    this.#closing.abort();
    this.#goDown();
  }

  opened(peer: string): void {
    this.#wire.line.opened();
    this.#connection.opened(peer);
  }

  closed(reason: string): void {
    this.#connection.closed(reason);
    this.#goDown();
  }

  received(data: Buffer, end: number): void {
    const { count } = this.#context;
    count('recv_bytes', end);
    this.#wire.line.heard();
    const exchange = this.#current;
    const reply = this.#reply;
    if (exchange === undefined || reply === undefined) return count('late_frames', 1);
    const progress = reply.take(data, end);
    if (progress === Progress.WAITING) return;
    this.#reply = undefined;
    this.#current = undefined;
    if (progress === Progress.WHOLE) {
      if (reply.start > 1) count('foreign_frames', 1);
      this.#connection.answered();
      this.#wire.line.answered(exchange.unit, exchange.pdu);
      if (exchange.answered(reply.data, reply.start, reply.end)) return this.#end(Ending.ANSWERED);
    }
    count('malformed_frames', 1);
    this.#end(Ending.DAMAGED);
    exchange.failed(damaged);
  }

  /** Never rejects. */
  async #carryOut(exchange: Exchange): Promise<void> {
    const { line, key } = this.#wire;
    const wait = line.waitFor(exchange.unit, exchange.pdu);
    const { signal } = this.#closing;
    if (wait > 0) await sleep(Math.ceil(wait), undefined, { signal }).catch(() => undefined);
    await this.#context.exclusive(key, async () => {
      if (this.#current !== exchange) return;
      if (exchange.unit === 0) await this.#broadcast(exchange);
      else await this.#ask(exchange);
    });
  }

  async #ask(exchange: Exchange): Promise<void> {
    const { unit, pdu } = exchange;
    const { line } = this.#wire;
    const { timeout } = this.#context.settings;
    const reply = new Reply(unit, pdu);
    const sentAt = performance.now();
    const size = this.#send(unit, pdu);
    this.#reply = reply;
    const ending = await this.#wait(timeout + (size + reply.size) * line.medium.byte);
    this.#reply = undefined;
    const now = performance.now();
    if (ending === Ending.ANSWERED) {
      this.#context.rtt(now - sentAt);
      return line.gap();
    }
    if (ending !== Ending.DAMAGED) line.missed(unit, pdu, now + timeout);
    if (ending === Ending.SILENCE) {
      if (reply.noise) this.#context.count('malformed_frames', 1);
      this.#fail(noResponse);
    }
    await line.drain(timeout);
  }

  /** Nobody answers, so it has succeeded when it was sent; the units then get time to obey. */
  async #broadcast(exchange: Exchange): Promise<void> {
    const { pdu } = exchange;
    const size = this.#send(exchange.unit, pdu);
    const ending = await this.#wait(size * this.#wire.line.medium.byte + turnaround);
    if (ending !== Ending.SILENCE) return;
    this.#current = undefined;
    exchange.answered(Buffer.from(pdu.subarray(0, 5)), 0, 5);
  }

  /** Returns the number of bytes. */
  #send(unit: number, pdu: Uint8Array): number {
    const frame = frameOf(unit, pdu);
    this.#connection.asked();
    this.#context.count('send_bytes', frame.length);
    this.#wire.transport.send(frame);
    return frame.length;
  }

  /**
   * Waits until the answer has come or something else has ended the wait, for so many milliseconds. Before the verdict the ports are
   * looked at once more, so that an answer counts that came while this process was held up.
   */
  async #wait(ms: number): Promise<Ending> {
    const { promise, resolve } = Promise.withResolvers<Ending>();
    this.#end = resolve;
    let check: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => {
      check = setImmediate(() => resolve(Ending.SILENCE));
    }, Math.ceil(ms));
    const ending = await promise;
    clearTimeout(timer);
    clearImmediate(check);
    return ending;
  }

  #goDown(): void {
    this.#connection.up = false;
    this.#fail(disconnected);
    this.#end(Ending.OVER);
    this.onDown();
  }

  #fail(fault: Fault): void {
    const exchange = this.#current;
    this.#current = undefined;
    exchange?.failed(fault);
  }
}
