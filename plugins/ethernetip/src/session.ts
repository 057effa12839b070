import {
  Link,
  malformed,
  Requests,
  tcpClient,
  type AskOptions,
  type Handshake,
  type LinkContext,
  type Protocol,
} from '@tagway/sdk/link';
import {
  closeRequest,
  replyOf,
  requestOf,
  Service,
  unconnectedSend,
  type Connection,
  type Reply,
} from './cip.ts';
import { routeTrouble } from './faults.ts';
import { framesOf, type NameOf } from './frames.ts';
import { connectionSize, open, openConnection, smallSizeOf, type Agreement } from './opening.ts';
import { ClassCode, objectPath } from './path.ts';
import {
  Command,
  connectedFrame,
  Frame,
  frameLength,
  frameOf,
  maxFrame,
  unconnectedFrame,
} from './protocol.ts';
import type { Settings } from './settings.ts';

/** Milliseconds without a request after which one is sent to keep the connection: a third of its time-out. */
const idle = 10_000;

/** Milliseconds after which a controller without connections is asked for one again. */
const reopening = 60_000;

/** Bytes of a message without a connection, its wrapping for the way included. */
const mostUnconnected = 500;

/** Bytes that no controller goes below. */
const leastLimit = 100;

const vendorRequest = requestOf(Service.GET_ONE, objectPath(ClassCode.IDENTITY, 1, 1));

/** CIP messages over one TCP connection: one at a time, in a connection of class 3 where the controller gives one. */
export class Session implements Protocol<Agreement> {
  readonly most = maxFrame;
  readonly length = frameLength;
  readonly handshakeHint =
    'a controller does this when EtherNet/IP is switched off, or when it has no session left: check which other programs are connected to it';
  readonly link: Link<Agreement>;
  readonly #context: LinkContext;
  readonly #settings: Settings;
  readonly #requests: Requests<Reply>;
  readonly #frame = new Frame();
  #connection: Connection | undefined;
  #limit = 0;
  /** What was said of the last refused connection, so that it is said once. */
  #said = '';
  #sentAt = 0;
  #timer: Disposable | undefined;
  #reopenAt = Infinity;

  /** `nameOf`: gives names to those who trace the frames. */
  constructor(context: LinkContext, settings: Settings, nameOf: NameOf = () => undefined) {
    const { host, port, timeout } = settings;
    this.#context = context;
    this.#settings = settings;
    this.link = new Link<Agreement>(context, tcpClient({ host, port }, { timeout }), this, {
      timeout,
      frames: framesOf(nameOf),
    });
    // A controller handles one message of a connection at a time. Late replies are known by their numbers.
    this.#requests = new Requests<Reply>(this.link, { timeout, window: 1, ids: { first: 1, last: 0xffff } });
  }

  /** Bytes of the largest request, and of the largest reply. It may become less, or another on a new connection. */
  get limit(): number {
    return this.#limit;
  }

  /** A request or a reply was too large although it kept to the limit. Returns whether it can be less. */
  shrink(): boolean {
    if (this.#limit <= leastLimit) return false;
    this.#limit = Math.max(leastLimit, this.#limit >> 1);
    return true;
  }

  /** Asks the controller. Rejects with NO_RESPONSE, DISCONNECTED, DECODE_FAILED or the signal's reason. */
  async ask(message: Buffer, options: AskOptions): Promise<Reply> {
    const reply = await this.#requests.ask((id) => this.#send(message, id), options);
    const trouble = routeTrouble(reply);
    if (trouble !== undefined) this.link.lose(trouble);
    const wasOnWay = reply.service === Service.UNCONNECTED_SEND && reply.status !== 0;
    if (reply.service !== message[0] && !wasOnWay) this.misfit();
    return reply;
  }

  /** What was answered does not fit what was asked, so nothing that follows can be trusted either. */
  misfit(): never {
    this.#context.count('malformed_frames', 1);
    this.link.lose('the controller sent a reply that does not fit the request', 'malformed');
    throw malformed;
  }

  // What the link calls.

  handshake(channel: Handshake): Promise<Agreement> {
    return open(channel, this.#settings);
  }

  up({ connection, refusal, route }: Agreement): void {
    this.#use(connection, route);
    if (refusal === undefined) this.#said = '';
    else if (refusal.reason !== this.#said) {
      const again = refusal.isTemporary ? ' It is asked for one again every minute.' : '';
      this.#context.log.warn(
        `The controller gives no connection: ${refusal.reason}. Messages go without one, which is slower.${again}`,
      );
      this.#said = refusal.reason;
    }
    const now = this.#context.clock.monotonic();
    this.#reopenAt = refusal?.isTemporary === true ? now + reopening : Infinity;
    this.#sentAt = now;
    this.#watch();
  }

  down(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#connection = undefined;
  }

  frame(_agreement: Agreement, data: Buffer, at: number, end: number): void {
    const frame = this.#frame;
    if (!frame.parse(data, at, end)) return this.#malformed('a frame whose items do not fit into it');
    const { command, connection, id, status } = frame;
    if (command === Command.UNREGISTER) return this.link.lose('the controller ended the session', 'closed');
    const isConnected = command === Command.CONNECTED;
    if (!isConnected && command !== Command.UNCONNECTED) return this.#context.count('foreign_frames', 1);
    if (status !== 0)
      return this.link.lose(`the controller refused a message with status ${status} of the encapsulation`);
    if (isConnected && connection !== this.#connection?.own) return this.#context.count('foreign_frames', 1);
    const reply = replyOf(Buffer.from(data.subarray(frame.start, frame.end)));
    if (reply === undefined) return this.#malformed('a message that is no reply');
    this.#requests.settle(id, reply);
  }

  /** Gives the connection back, which the controller would keep for half a minute otherwise. */
  async farewell({ route, session }: Agreement, signal: AbortSignal): Promise<void> {
    const connection = this.#connection;
    try {
      if (connection !== undefined)
        await this.#requests.ask(
          (id) => this.link.send(unconnectedFrame(session, id, closeRequest(connection, route))),
          { signal, urgent: true },
        );
    } finally {
      this.link.send(frameOf(Command.UNREGISTER, session, 0, Buffer.alloc(0)));
    }
  }

  #use(connection: Connection | undefined, route: Uint8Array): void {
    this.#connection = connection;
    const wrapping = route.length === 0 ? 0 : 14 + route.length;
    this.#limit = connection === undefined ? mostUnconnected - wrapping : connection.size - 2;
  }

  #send(message: Buffer, id: number): void {
    const { route, session } = this.link.requireSession();
    this.#sentAt = this.#context.clock.monotonic();
    if (this.#connection !== undefined)
      return this.link.send(connectedFrame(session, this.#connection.target, id, message));
    const wrapped = route.length === 0 ? message : unconnectedSend(message, route);
    this.link.send(unconnectedFrame(session, id, wrapped));
  }

  #malformed(what: string): void {
    this.#context.count('malformed_frames', 1);
    this.link.lose(`the controller sent ${what}`, 'malformed');
  }

  /** Looks again and again whether the connection has to be kept, or can be had. */
  #watch(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#context.clock.timer(idle, () => {
      this.#tend().catch((error: unknown) =>
        this.#context.log.debug(`Keeping the connection failed: ${String(error)}`),
      );
      if (this.link.up) this.#watch();
    });
  }

  async #tend(): Promise<void> {
    const now = this.#context.clock.monotonic();
    if (this.#connection === undefined && now >= this.#reopenAt) return this.#reopen(now);
    if (now - this.#sentAt >= idle - 100) await this.ask(vendorRequest, {});
  }

  async #reopen(now: number): Promise<void> {
    const { family, route, session } = this.link.requireSession();
    const { generation } = this.link;
    this.#reopenAt = now + reopening;
    const ask = (request: Buffer): Promise<Reply> =>
      this.#requests.ask((id) => this.link.send(unconnectedFrame(session, id, request)));
    const opened = await openConnection(
      ask,
      connectionSize(this.#settings, family),
      smallSizeOf(family),
      route,
    );
    if (opened.connection === undefined || generation !== this.link.generation) return;
    this.#use(opened.connection, route);
    this.#reopenAt = Infinity;
    this.#said = '';
    this.#context.log.notice('The controller has a connection again.');
  }
}
