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
import { meaningOf, routeTrouble } from './faults.ts';
import {
  Command,
  frameLength,
  headerSize,
  maxFrame,
  netIdOf,
  parseResponse,
  PlcState,
  readData,
  readWriteData,
  requestFrame,
  writeData,
  type Route,
} from './protocol.ts';
import type { Settings } from './settings.ts';

/** What the controller answered: its error code, and without one the data. */
export interface Answer {
  readonly error: number;
  readonly data: Buffer;
}

interface RawAnswer extends Answer {
  readonly command: number;
}

/** What the handshake found out. */
export interface Agreement {
  /** State of the program, such as `PlcState.RUN`. */
  readonly state: number;
}

export const noData = Buffer.alloc(0);

/** ADS over one TCP connection: commands out, answers back by their invoke id. What the controller refuses is an answer with an error. */
export class Session implements Protocol<Agreement> {
  readonly most = maxFrame;
  readonly handshakeHint: string;
  readonly length = frameLength;
  readonly link: Link<Agreement>;
  readonly #context: LinkContext;
  readonly #settings: Settings;
  readonly #route: Route;
  readonly #requests: Requests<RawAnswer>;
  #beforeFarewell: ((signal: AbortSignal) => Promise<void>) | undefined;

  constructor(context: LinkContext, settings: Settings) {
    const { host, port, timeout, max_in_flight: window } = settings;
    this.#context = context;
    this.#settings = settings;
    this.#route = {
      target: { netId: netIdOf(settings.dst_ams_net_id), port: settings.dst_ams_port },
      source: { netId: netIdOf(settings.src_ams_net_id), port: settings.src_ams_port },
    };
    this.handshakeHint = `a controller does this when it has no route for the AMS NetId ${settings.src_ams_net_id}: add one that names the IP address of this gateway, and check that no other program uses the same NetId`;
    this.link = new Link<Agreement>(context, tcpClient({ host, port }, { timeout }), this, {
      timeout,
      frames: { port: 48_898 },
    });
    // Id 0 is that of the handshake.
    this.#requests = new Requests<RawAnswer>(this.link, {
      timeout,
      window,
      ids: { first: 1, last: 0xffff },
    });
  }

  /** `work` is done before the link is closed, while it is up. */
  onFarewell(work: (signal: AbortSignal) => Promise<void>): void {
    this.#beforeFarewell = work;
  }

  /** Reads `length` bytes. Rejects with NO_RESPONSE, DISCONNECTED, DECODE_FAILED or the signal's reason. */
  async read(group: number, offset: number, length: number, options: AskOptions): Promise<Answer> {
    return this.#data(await this.#ask(Command.READ, readData(group, offset, length), options));
  }

  /** Writes, then reads up to `readLength` bytes. Rejects as `read` does. */
  readWrite(
    group: number,
    offset: number,
    readLength: number,
    written: Uint8Array,
    options: AskOptions,
  ): Promise<Answer> {
    return this.readWriteRaw(readWriteData(group, offset, readLength, written), options);
  }

  /** As `readWrite`, with the data of the command ready-made. */
  async readWriteRaw(data: Buffer, options: AskOptions): Promise<Answer> {
    return this.#data(await this.#ask(Command.READ_WRITE, data, options));
  }

  /** Writes; the answer has no data. Rejects as `read` does. */
  async write(group: number, offset: number, value: Uint8Array, options: AskOptions): Promise<Answer> {
    const { error, data } = await this.#ask(Command.WRITE, writeData(group, offset, value), options);
    if (error !== 0) return { error, data: noData };
    if (data.length < 4) this.misfit();
    return { error: data.readUInt32LE(0), data: noData };
  }

  /** What was answered does not fit what was asked, so nothing that follows can be trusted either. */
  misfit(): never {
    this.#context.count('malformed_frames', 1);
    this.link.lose('the controller sent a reply that does not fit the request', 'malformed');
    throw malformed;
  }

  // What the link calls.

  /** A TCP connection proves nothing, because a router accepts any. The first answer shows that there is a way to the program and back. */
  async handshake(channel: Handshake): Promise<Agreement> {
    channel.send(requestFrame(this.#route, Command.READ_STATE, 0, noData));
    const frame = await channel.next();
    const response = parseResponse(this.#route, frame, 0, frame.length);
    if (typeof response !== 'object' || response.id !== 0 || response.command !== Command.READ_STATE)
      throw new Error('what answers there is not the controller that the AMS NetIds name');
    if (response.error !== 0) throw new Error(this.#trouble(response.error));
    if (frame.length < headerSize + 8) throw new Error('the answer to the first question is too short');
    const error = frame.readUInt32LE(headerSize);
    if (error !== 0) throw new Error(this.#trouble(error));
    return { state: frame.readUInt16LE(headerSize + 4) };
  }

  up({ state }: Agreement): void {
    if (state === PlcState.RUN) return;
    this.#context.log.notice(
      `The PLC program at ${this.#ends[0]} does not run (ADS state ${state}), so its values stand still.`,
    );
  }

  frame(_agreement: Agreement, data: Buffer, at: number, end: number): void {
    const response = parseResponse(this.#route, data, at, end);
    if (response === undefined) {
      this.#context.count('malformed_frames', 1);
      return this.link.lose('a frame says two different things of its length', 'malformed');
    }
    if (response === 'foreign') return this.#context.count('foreign_frames', 1);
    const { id, command, error } = response;
    const trouble = routeTrouble(error, ...this.#ends);
    if (trouble !== undefined) return this.link.lose(trouble);
    this.#requests.settle(id, { command, error, data: Buffer.from(data.subarray(at + headerSize, end)) });
  }

  async farewell(_agreement: Agreement, signal: AbortSignal): Promise<void> {
    await this.#beforeFarewell?.(signal);
  }

  async #ask(command: number, data: Buffer, options: AskOptions): Promise<RawAnswer> {
    const answer = await this.#requests.ask(
      (id) => this.link.send(requestFrame(this.#route, command, id, data)),
      options,
    );
    if (answer.command !== command) this.misfit();
    return answer;
  }

  /** The bytes that a command with READ in its name brought. */
  #data({ error, data }: RawAnswer): Answer {
    if (error !== 0) return { error, data: noData };
    if (data.length < 4) this.misfit();
    const result = data.readUInt32LE(0);
    if (result !== 0) return { error: result, data: noData };
    if (data.length < 8 || data.readUInt32LE(4) > data.length - 8) this.misfit();
    return { error: 0, data: data.subarray(8, 8 + data.readUInt32LE(4)) };
  }

  #trouble(error: number): string {
    return (
      routeTrouble(error, ...this.#ends) ?? `the controller refused the first question (${meaningOf(error)})`
    );
  }

  get #ends(): [target: string, source: string] {
    const { dst_ams_net_id, dst_ams_port, src_ams_net_id } = this.#settings;
    return [`${dst_ams_net_id}:${dst_ams_port}`, src_ams_net_id];
  }
}
