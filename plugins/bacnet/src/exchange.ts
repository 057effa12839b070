import { ErrorCode, isFault, type Context, type Fault } from '@tagway/sdk';
import { Requests, type AskOptions, type Link } from '@tagway/sdk/link';
import { TagCursor } from './encoding.ts';
import {
  abortFault,
  errorFault,
  refusedAsTooMuch,
  rejectFault,
  undecodable,
  writeUnanswered,
} from './faults.ts';
import type { Pdu } from './protocol.ts';
import { confirmed, envelope, Kind, type Route } from './protocol.ts';
import { Segments } from './segments.ts';
import { readError } from './services.ts';
import type { Session } from './session.ts';
import { routeOf, type Settings } from './settings.ts';

/** How a device has answered a confirmed request. */
export interface Answer {
  /** One of `Kind`: an acknowledgement, an error, a reject or an abort. */
  readonly kind: number;
  readonly service: number;
  /** Of a reject or an abort. */
  readonly reason: number;
  /** What the service says. */
  readonly data: Buffer;
}

interface Asking extends AskOptions {
  /** The request is on its way. */
  readonly sent?: () => void;
}

const empty = Buffer.alloc(0);

/** Sends confirmed requests and brings their answers together with them. */
export class Exchange {
  readonly #link: Link<Session>;
  readonly #context: Context<Settings>;
  readonly #requests: Requests<Answer>;
  readonly #segments = new Segments((apdu) => this.send(apdu));
  readonly #route: Route | undefined;

  constructor(link: Link<Session>, context: Context<Settings>) {
    const { timeout, retries, max_in_flight: window } = context.settings;
    this.#link = link;
    this.#context = context;
    this.#route = routeOf(context.settings);
    // Id 0 is the handshake's, so a late answer to that is nobody's.
    this.#requests = new Requests(link, { timeout, window, retries, ids: { first: 1, last: 255 } });
  }

  /** Rejects as `Requests.ask` does; what the device refuses is an answer too. */
  ask(service: number, body: Buffer, signal: AbortSignal | undefined): Promise<Answer> {
    return this.#ask(service, body, { ...(signal && { signal }) });
  }

  /**
   * As `ask`, ahead of what else waits, for requests that change something. Rejects with `writeUnanswered` when the request was sent and
   * there is no telling what became of it.
   */
  async command(service: number, body: Buffer, signal: AbortSignal): Promise<Answer> {
    let isSent = false;
    const sent = (): void => void (isSent = true);
    try {
      return await this.#ask(service, body, { signal, urgent: true, sent });
    } catch (error) {
      throw isSent && isFault(error) && isSilence(error) ? writeUnanswered : error;
    }
  }

  async #ask(service: number, body: Buffer, { sent, ...options }: Asking): Promise<Answer> {
    const send = (id: number): void => {
      sent?.();
      this.#segments.forget(id);
      this.send(confirmed(service, id, body), true);
    };
    const answer = await this.#requests.ask(send, options);
    const isRefusal = answer.kind === Kind.REJECT || answer.kind === Kind.ABORT;
    if (isRefusal || answer.service === service) return answer;
    throw undecodable;
  }

  /** Sends an APDU to the device. */
  send(apdu: Buffer, expectsReply = false): void {
    this.#link.send(envelope(apdu, { route: this.#route, expectsReply }));
  }

  /** Takes an answer that came; false when this is none. */
  take(pdu: Pdu, data: Buffer): boolean {
    switch (pdu.kind) {
      case Kind.COMPLEX_ACK:
        if (pdu.isSegmented) this.#segment(pdu, data);
        else this.#settle(pdu, Buffer.from(data.subarray(pdu.start, pdu.end)));
        return true;
      case Kind.SIMPLE_ACK:
        this.#settle(pdu, empty);
        return true;
      case Kind.ERROR:
      case Kind.REJECT:
      case Kind.ABORT:
        this.#settle(pdu, Buffer.from(data.subarray(pdu.start, pdu.end)));
        return true;
      default:
        return false;
    }
  }

  down(): void {
    this.#segments.clear();
  }

  #segment(pdu: Pdu, data: Buffer): void {
    // An answer to nothing must not be collected.
    if (!this.#requests.extend(pdu.id)) return this.#context.count('late_frames', 1);
    const assembled = this.#segments.take(pdu, data);
    if (assembled.state === 'whole') this.#settle(pdu, assembled.data);
    else if (assembled.state === 'lost') this.#requests.fail(pdu.id, refusedAsTooMuch);
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

/** Whether nothing came in time, or nothing can come any more. */
function isSilence({ code }: Fault): boolean {
  return code === ErrorCode.NO_RESPONSE || code === ErrorCode.DISCONNECTED;
}

/** Whether the link is gone, so that nothing else can be asked either. */
export function isDown(fault: Fault): boolean {
  return fault.code === ErrorCode.DISCONNECTED;
}
