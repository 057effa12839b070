import type { Exchange, Session, SessionEvents } from '@tagway/modbus';
import { frameLength, maxFrame, overhead, transactionOf, writeFrame } from '@tagway/modbus/mbap';
import {
  Link,
  malformed,
  RequestQueue,
  type Failure,
  type LinkContext,
  type Transport,
} from '@tagway/sdk/link';
import { framesOf } from './frames.ts';
import type { Settings } from './settings.ts';

type MbapSettings = Pick<Settings, 'timeout' | 'max_in_flight' | 'address_base'>;

/** Requests beyond the window: devices and gateways are made to take sixteen at once. */
const spares = 8;

/** Modbus over TCP or UDP: answers may come in any order, and requests that are made at once leave as one burst. */
export class MbapSession implements Session {
  readonly window: number;
  readonly spares = spares;
  readonly grace: number;
  readonly broadcasts = false;
  isReading = false;
  readonly link: Link;
  readonly #context: LinkContext;
  readonly #events: SessionEvents;
  readonly #transport: Transport;
  readonly #queue: RequestQueue<Exchange>;
  readonly #burst: Buffer;
  #burstSize = 0;
  /** A request is being added; it leaves with the burst, not by itself. */
  #isSending = false;

  constructor(context: LinkContext, settings: MbapSettings, transport: Transport, events: SessionEvents) {
    const { max_in_flight, timeout } = settings;
    this.#context = context;
    this.#events = events;
    this.#transport = transport;
    this.window = max_in_flight;
    // Datagrams have no connection that a device could close.
    this.grace = transport.datagrams ? 0 : timeout;
    this.#burst = Buffer.alloc((max_in_flight + spares) * maxFrame);
    // The driver decides when silence ends the connection: a gateway on the way may have units that are silent.
    this.link = new Link(
      context,
      transport,
      {
        most: maxFrame,
        length: frameLength,
        frame: (_session, data, at, end) => this.#frame(data, at, end),
        chunkEnd: () => this.#chunkEnd(),
        down: (_session, failure) => this.#down(failure),
      },
      { timeout, silence: Infinity, grace: this.grace, frames: framesOf(settings.address_base) },
    );
    this.#queue = new RequestQueue<Exchange>(this.link, {
      timeout,
      window: max_in_flight + spares,
      ids: { first: 0, last: 0xffff },
      send: ({ unit, pdu }, id) => this.#write(unit, pdu, id),
      flush: () => this.flush(),
    });
    this.link.observe({ up: () => events.up(), down: () => undefined });
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

  close(): Promise<void> {
    return this.link.close();
  }

  #frame(data: Buffer, at: number, end: number): void {
    this.isReading = true;
    const id = transactionOf(data, at);
    const unit = data[at + 6]!;
    const waiting = this.#queue.peek(id);
    if (waiting !== undefined && waiting.unit !== unit) return this.#context.count('foreign_frames', 1);
    const exchange = this.#queue.take(id);
    if (exchange === undefined) return;
    if (exchange.answered(data, at + overhead, end)) return this.link.proven();
    exchange.failed(malformed);
    this.#context.count('malformed_frames', 1);
    this.link.lose(`unit ${unit} sent a reply that does not fit the request`, 'malformed');
  }

  #chunkEnd(): void {
    if (!this.isReading) return;
    this.isReading = false;
    this.#events.read();
  }

  #down(failure: Failure): void {
    this.#burstSize = 0;
    this.isReading = false;
    this.#events.down(failure);
  }

  #write(unit: number, pdu: Uint8Array, id: number): void {
    if (this.#burstSize + overhead + pdu.length > this.#burst.length) this.#transmit();
    this.#burstSize = writeFrame(this.#burst, this.#burstSize, id, unit, pdu);
    if (this.#transport.datagrams) this.#transmit();
  }

  #transmit(): void {
    const bytes = Buffer.from(this.#burst.subarray(0, this.#burstSize));
    this.#burstSize = 0;
    this.link.send(bytes);
  }
}
