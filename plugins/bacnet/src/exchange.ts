import { ErrorCode, isFault, type Context, type Fault } from '@tagway/sdk';
import { Requests, type Link } from '@tagway/sdk/link';
import { TagCursor } from './encoding.ts';
import {
  abortFault,
  errorFault,
  refusedAsTooMuch,
  rejectFault,
  undecodable,
  writeUnanswered,
} from './faults.ts';
import { confirmed, envelope, Kind, type Pdu, type Route } from './protocol.ts';
import { Segments } from './segments.ts';
import { readError } from './services.ts';
import type { DeviceInfo } from './session.ts';
import { routeOf, type Settings } from './settings.ts';

/** The answer of a device to a confirmed request. */
export interface Answer {
  /** One of `Kind`: an acknowledgement, an error, a reject or an abort. */
  readonly kind: number;
  readonly service: number;
  /** Of a reject or an abort. */
  readonly reason: number;
  /** The data of the service. */
  readonly data: Buffer;
}

/** Sends confirmed requests and matches answers to them. */
export class Exchange {
  readonly #link: Link<DeviceInfo>;
  readonly #context: Context<Settings>;
  readonly #requests: Requests<Answer>;
  readonly #segments = new Segments((apdu) => this.send(apdu));
  readonly #route: Route | undefined;

  constructor(link: Link<DeviceInfo>, context: Context<Settings>) {
    const { timeout, retries, max_in_flight: window } = context.settings;
    this.#link = link;
    this.#context = context;
    this.#route = routeOf(context.settings);
    // Id 0 is the handshake's, so that a late answer to that belongs to no request.
    link.observe({ down: () => this.#segments.clear() });
    this.#requests = new Requests(link, { timeout, window, retries, ids: { first: 1, last: 255 } });
  }

  /**
   * Asks the device; its refusal is an answer too. Resolves with a fault when no good answer came, with `writeUnanswered` when it is not
   * known what became of a write. Rejects when the link is down, or with the reason of the signal. A write is sent before what waits.
   */
  async ask(service: number, body: Buffer, signal: AbortSignal, isWrite = false): Promise<Answer | Fault> {
    let isSent = false;
    const send = (id: number): void => {
      isSent = true;
      this.#segments.forget(id);
      this.send(confirmed(service, id, body), true);
    };
    try {
      const answer = await this.#requests.ask(send, { signal, urgent: isWrite });
      const isRefusal = answer.kind === Kind.REJECT || answer.kind === Kind.ABORT;
      return isRefusal || answer.service === service ? answer : undecodable;
    } catch (error) {
      if (!isFault(error)) throw error;
      const isDown = error.code === ErrorCode.DISCONNECTED;
      if (isWrite && isSent && (isDown || error.code === ErrorCode.NO_RESPONSE)) return writeUnanswered;
      if (isDown) throw error;
      return error;
    }
  }

  /** Sends an APDU to the device. */
  send(apdu: Buffer, expectsReply = false): void {
    this.#link.send(envelope(apdu, { route: this.#route, expectsReply }));
  }

  /** Takes an answer that came; false when the message is no answer. */
  take(pdu: Pdu, data: Buffer): boolean {
    if (pdu.kind < Kind.SIMPLE_ACK || pdu.kind === Kind.SEGMENT_ACK) return false;
    if (pdu.isSegmented) this.#segment(pdu, data);
    else this.#settle(pdu, Buffer.from(data.subarray(pdu.start, pdu.end)));
    return true;
  }

  #segment(pdu: Pdu, data: Buffer): void {
    // Segments of an answer to no request are not collected.
    if (!this.#requests.extend(pdu.id)) return this.#context.count('late_frames', 1);
    const assembled = this.#segments.take(pdu, data);
    if (typeof assembled === 'object') this.#settle(pdu, assembled);
    else if (assembled === 'lost') this.#requests.fail(pdu.id, refusedAsTooMuch);
  }

  #settle({ id, kind, service, reason }: Pdu, data: Buffer): void {
    this.#requests.settle(id, { kind, service, reason, data });
  }
}

/** Why a request was refused; undefined for an acknowledgement. */
export function refusalOf({ kind, reason, data }: Answer, isWrite = false): Fault | undefined {
  switch (kind) {
    case Kind.ERROR: {
      const cursor = new TagCursor().begin(data);
      // Errors of some services are enclosed, with more behind them.
      if (cursor.isNextOpening(0)) cursor.next();
      return errorFault(readError(cursor), isWrite);
    }
    case Kind.REJECT:
      return rejectFault(reason, isWrite);
    case Kind.ABORT:
      return abortFault(reason, isWrite);
    default:
      return undefined;
  }
}
