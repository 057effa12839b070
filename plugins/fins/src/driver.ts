import type { Context } from '@tagway/sdk';
import { Link, malformed, Requests, tcpClient, type AskOptions } from '@tagway/sdk/link';
import { WordDriver, type Step } from '@tagway/plc-words';
import { flags, parseAddress, refusesWrite } from './address.ts';
import { refusal } from './faults.ts';
import {
  dataAt,
  endCodeOf,
  memoryFrame,
  Service,
  serviceOf,
  type MemoryRequest,
  type Nodes,
} from './protocol.ts';
import { Session } from './session.ts';
import type { Settings } from './settings.ts';
import { joins, writeRequest } from './write.ts';

/** One run of a FINS node. */
export class FinsDriver extends WordDriver<Nodes> {
  readonly high = 0;
  readonly writesBitsOfWords = true;
  readonly parse = parseAddress;
  readonly refusesWrite = refusesWrite;
  readonly joins = joins;
  protected readonly link: Link<Nodes>;
  readonly #settings: Settings;
  readonly #requests: Requests<Buffer>;

  constructor(context: Context<Settings>) {
    super(context);
    const { host, port, timeout, local_node } = context.settings;
    const session = new Session(local_node, {
      replied: (sid, frame) => this.#requests.settle(sid, frame),
      broken: (reason) => this.link.lose(reason),
    });
    this.#settings = context.settings;
    this.link = new Link(context, tcpClient({ host, port }, { timeout }), session, {
      timeout,
      frames: { port: 9600 },
    });
    // PLCs queue little, so one request is on its way at a time; its service id distinguishes late replies.
    this.#requests = new Requests(this.link, { timeout, ids: { first: 1, last: 255 } });
  }

  isBits(area: number): boolean {
    return area === flags;
  }

  most(): number {
    return this.#settings.max_words;
  }

  async readMemory(area: number, start: number, count: number, options: AskOptions): Promise<Buffer> {
    const data = await this.#ask({ service: Service.READ, area, start, bit: 0, count }, options);
    if (data.length !== count * (this.isBits(area) ? 1 : 2)) throw this.#misfit();
    return data;
  }

  async writeMemory(step: Step, options: AskOptions): Promise<void> {
    await this.#ask(writeRequest(step), options);
  }

  /** The data of the reply. */
  async #ask(request: MemoryRequest, options: AskOptions): Promise<Buffer> {
    const reply = await this.#requests.ask((sid) => {
      const nodes = this.link.session;
      if (nodes !== undefined) this.link.send(memoryFrame(nodes, this.#settings, sid, request));
    }, options);
    if (serviceOf(reply) !== request.service) throw this.#misfit();
    const endCode = endCodeOf(reply);
    if (endCode !== 0) throw refusal(endCode);
    return reply.subarray(dataAt);
  }

  #misfit(): Error {
    this.link.lose('a reply did not fit its request', 'malformed');
    return malformed;
  }
}
