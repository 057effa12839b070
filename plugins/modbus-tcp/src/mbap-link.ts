import type { Exchange, Link as ModbusLink } from '@tagway/modbus';
import {
  Link,
  malformed,
  RequestQueue,
  type Failure,
  type LinkContext,
  type Transport,
} from '@tagway/sdk/link';
import { frameLength, maxFrame, overhead, transactionOf, writeFrame } from './mbap.ts';
import type { Settings } from './settings.ts';

type MbapSettings = Pick<Settings, 'timeout' | 'max_in_flight'>;

/** Requests beyond the window: devices and gateways are made to take sixteen at once. */
const spares = 8;

/** Modbus over TCP or UDP: requests may overtake each other, and those that are made at once leave as one burst. */
export class MbapLink implements ModbusLink {
  readonly window: number;
  readonly spares = spares;
  readonly grace: number;
  readonly broadcasts = false;
  isReading = false;
  onRead: () => void = () => undefined;
  onUp: () => void = () => undefined;
  onDown: (failure: Failure) => void = () => undefined;
  readonly #context: LinkContext;
  readonly #transport: Transport;
  readonly #link: Link;
  readonly #queue: RequestQueue<Exchange>;
  readonly #burst: Buffer;
  #burstSize = 0;
  /** More is coming that is to leave in the same burst. */
  #isSending = false;

  constructor(context: LinkContext, settings: MbapSettings, transport: Transport) {
    const { max_in_flight, timeout } = settings;
    this.#context = context;
    this.#transport = transport;
    this.window = max_in_flight;
    // Datagrams have no connection that a device could close.
    this.grace = transport.datagrams ? 0 : timeout;
    this.#burst = Buffer.alloc((max_in_flight + spares) * maxFrame);
    // When silence ends the connection is for the driver to say: a gateway on the way may have units that are silent.
    this.#link = new Link(
      context,
      transport,
      {
        most: maxFrame,
        length: frameLength,
        frame: (_session, data, at, end) => this.#frame(data, at, end),
        chunkEnd: () => this.#chunkEnd(),
        down: (_session, failure) => this.#down(failure),
      },
      { timeout, silence: Infinity, grace: this.grace },
    );
    this.#queue = new RequestQueue<Exchange>(this.#link, {
      timeout,
      window: max_in_flight + spares,
      ids: { first: 0, last: 0xffff },
      send: ({ unit, pdu }, id) => this.#write(unit, pdu, id),
      flush: () => this.flush(),
    });
    this.#link.observe({ up: () => this.onUp(), down: () => undefined });
  }

  get up(): boolean {
    return this.#link.up;
  }

  get generation(): number {
    return this.#link.generation;
  }

  open(): Promise<void> {
    return this.#link.open();
  }

  send(exchange: Exchange): void {
    this.#isSending = true;
    this.#queue.add(exchange);
    this.#isSending = false;
  }

  flush(): void {
    if (!this.#isSending && !this.isReading && this.#burstSize > 0) this.#transmit();
  }

  abandon(exchanges: ReadonlySet<Exchange>): void {
    this.#queue.withdraw(exchanges);
  }

  get quietFor(): number {
    return this.#link.quietFor;
  }

  reconnect(reason: string): void {
    this.#link.silent(reason);
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  #frame(data: Buffer, at: number, end: number): void {
    this.isReading = true;
    const id = transactionOf(data, at);
    const unit = data[at + 6] as number;
    const waiting = this.#queue.peek(id);
    if (waiting !== undefined && waiting.unit !== unit) return this.#context.count('foreign_frames', 1);
    const exchange = this.#queue.take(id);
    if (exchange === undefined) return;
    if (exchange.answered(data, at + overhead, end)) return this.#link.proven();
    exchange.failed(malformed);
    this.#context.count('malformed_frames', 1);
    this.#link.lose(`unit ${unit} sent a reply that does not fit the request`, 'malformed');
  }

  #chunkEnd(): void {
    if (!this.isReading) return;
    this.isReading = false;
    this.onRead();
  }

  #down(failure: Failure): void {
    this.#burstSize = 0;
    this.isReading = false;
    this.onDown(failure);
  }

  #write(unit: number, pdu: Uint8Array, id: number): void {
    if (this.#burstSize + overhead + pdu.length > this.#burst.length) this.#transmit();
    this.#burstSize = writeFrame(this.#burst, this.#burstSize, id, unit, pdu);
    if (this.#transport.datagrams) this.#transmit();
  }

  #transmit(): void {
    const bytes = Buffer.from(this.#burst.subarray(0, this.#burstSize));
    this.#burstSize = 0;
    this.#link.send(bytes);
  }
}
