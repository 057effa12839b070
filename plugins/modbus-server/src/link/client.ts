import { frameLength, maxFrame, overhead, transactionOf, writeFrame, writeHeader } from '@tagway/modbus/mbap';
import { Exception } from '@tagway/modbus/server';
import type { Clock } from '@tagway/sdk';
import { type Connected, type Failure, FrameSplitter, type Transport } from '@tagway/sdk/link';
import { type Asker, putException } from '../requests/request.ts';
import type { Requests } from '../requests/requests.ts';
import { isWrite } from '../requests/write-request.ts';
import type { Served } from './side.ts';

/** Most writes of one client that may wait for their devices: who sends more gets that the gateway is busy. */
const mostWrites = 16;

/** What clients have in common. */
export interface ClientOptions {
  readonly clock: Clock;
  readonly requests: Requests;
  /** Whether a unit that is not there is answered at all. */
  readonly answersUnknown: boolean;
  refusalOf(who: Connected): string | undefined;
  closed(client: Client, failure: Failure): void;
  readonly served: Served;
}

/** Answers are gathered here while the requests that came together are read. */
const out = Buffer.alloc(65_536);

/** One connection of a master over TCP. */
export class Client {
  readonly who: Connected;
  readonly peer: string;
  readonly since: number;
  /** Requests and exceptions so far. */
  requests = 0;
  exceptions = 0;
  readonly #transport: Transport;
  readonly #options: ClientOptions;
  readonly #splitter: FrameSplitter;
  readonly #asker: Asker;
  #waiting = 0;
  /** Where the answers gathered so far end. */
  #end = 0;
  /** Of the bytes that came last: answers that were given at once, and their bytes. */
  #answers = 0;
  #sent = 0;
  #isClosed = false;

  constructor(transport: Transport, who: Connected, options: ClientOptions) {
    this.#transport = transport;
    this.who = who;
    this.#options = options;
    this.peer = `${who.address}:${who.port}`;
    this.since = options.clock.now();
    this.#asker = { from: who.address, peer: this.peer, refusal: options.refusalOf(who) };
    this.#splitter = new FrameSplitter(
      { length: frameLength, most: maxFrame },
      {
        frame: (data, at, end) => this.#take(data, at, end),
        skipped: () => undefined,
        invalid: () => this.#drop('what it sent is no frame of Modbus TCP'),
      },
    );
    void transport.open(
      {
        opened: () => undefined,
        received: (data, end) => this.#received(data, end),
        closed: (failure) => this.#closed(failure),
      },
      options.clock,
    );
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#transport.close();
  }

  #received(data: Buffer, end: number): void {
    const { requests, exceptions } = this;
    this.#answers = 0;
    this.#sent = 0;
    this.#splitter.take(data, end);
    this.#flush();
    const served = this.requests - requests;
    this.#options.served(served, this.#answers, this.exceptions - exceptions, end, this.#sent);
  }

  #take(data: Buffer, at: number, end: number): void {
    this.requests++;
    const number = data[at + 6]!;
    const unit = this.#options.requests.unit(number);
    const pdu = at + overhead;
    if (unit === undefined) {
      if (this.#options.answersUnknown) this.#except(data, at, Exception.GATEWAY_TARGET_FAILED);
    } else if (!isWrite(data[pdu]!)) {
      const to = this.#room();
      const size = this.#options.requests.answer(unit, data, pdu, end, out, to + overhead);
      this.#put(data, at, size);
    } else if (this.#waiting >= mostWrites) {
      this.#except(data, at, Exception.SERVER_DEVICE_BUSY);
    } else {
      this.#waiting++;
      const own = Buffer.from(data.subarray(pdu, end));
      void this.#write(transactionOf(data, at), number, own);
    }
  }

  async #write(id: number, number: number, pdu: Buffer): Promise<void> {
    const unit = this.#options.requests.unit(number)!;
    const answer = await this.#options.requests.write(unit, pdu, this.#asker);
    this.#waiting--;
    if (this.#isClosed) return;
    const frame = Buffer.allocUnsafe(overhead + answer.length);
    writeFrame(frame, 0, id, number, answer);
    const isException = answer[0]! >= 0x80;
    if (isException) this.exceptions++;
    this.#options.served(0, 1, Number(isException), 0, frame.length);
    this.#transport.send(frame);
  }

  #except(data: Buffer, at: number, exception: number): void {
    const to = this.#room();
    this.#put(data, at, putException(out, to + overhead, data[at + overhead]!, exception));
  }

  /** Where the next answer begins. */
  #room(): number {
    if (this.#end + maxFrame > out.length) this.#flush();
    return this.#end;
  }

  /** Puts the header before an answer of `size` bytes to the request whose frame begins at `data[at]`. */
  #put(data: Buffer, at: number, size: number): void {
    const to = this.#end;
    writeHeader(out, to, transactionOf(data, at), data[at + 6]!, size);
    if (out[to + overhead]! >= 0x80) this.exceptions++;
    this.#end = to + overhead + size;
    this.#answers++;
  }

  /** Sends what was gathered. */
  #flush(): void {
    const size = this.#end;
    this.#end = 0;
    if (size === 0 || this.#isClosed) return;
    this.#sent += size;
    this.#transport.send(Buffer.from(out.subarray(0, size)));
  }

  #drop(reason: string): void {
    this.#transport.drop({ kind: 'malformed', reason });
  }

  #closed(failure: Failure): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.closed(this, failure);
  }
}
