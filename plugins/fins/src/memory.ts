import { malformed, type AskOptions, type Link, type Requests } from '@tagway/sdk/link';
import type { Step, WritableMemory, WriteEntry } from '@tagway/words';
import { flags, parseAddress, refusesWrite } from './address.ts';
import { blames, refusal } from './faults.ts';
import {
  dataAt,
  endCodeOf,
  memoryFrame,
  Service,
  serviceOf,
  type MemoryRequest,
  type Nodes,
  type Target,
} from './protocol.ts';
import { joins, writeRequest } from './write.ts';

export interface MemoryOptions {
  readonly target: Target;
  /** Most words, or flags, of one read request. */
  readonly mostWords: number;
}

/** The memory of the PLC behind a link. */
export class FinsMemory implements WritableMemory {
  readonly high = 0;
  readonly writesBitsOfWords = true;
  readonly parse = parseAddress;
  readonly refusesWrite = refusesWrite;
  readonly blames = blames;
  readonly #link: Link<Nodes>;
  readonly #requests: Requests<Buffer>;
  readonly #options: MemoryOptions;

  constructor(link: Link<Nodes>, requests: Requests<Buffer>, options: MemoryOptions) {
    this.#link = link;
    this.#requests = requests;
    this.#options = options;
  }

  isBits(area: number): boolean {
    return area === flags;
  }

  most(): number {
    return this.#options.mostWords;
  }

  async read(area: number, start: number, count: number, options: AskOptions): Promise<Buffer> {
    const request = { service: Service.READ, area, start, bit: 0, count };
    const data = await this.#ask(request, options);
    if (data.length !== count * (this.isBits(area) ? 1 : 2)) throw this.#misfit();
    return data;
  }

  joins(step: Step, entry: WriteEntry): boolean {
    return joins(step, entry);
  }

  async write(step: Step, options: AskOptions): Promise<void> {
    await this.#ask(writeRequest(step), options);
  }

  /** The data of the reply. */
  async #ask(request: MemoryRequest, options: AskOptions): Promise<Buffer> {
    const { target } = this.#options;
    const reply = await this.#requests.ask((sid) => {
      const nodes = this.#link.session;
      if (nodes !== undefined) this.#link.send(memoryFrame(nodes, target, sid, request));
    }, options);
    if (serviceOf(reply) !== request.service) throw this.#misfit();
    const endCode = endCodeOf(reply);
    if (endCode !== 0) throw refusal(endCode);
    return reply.subarray(dataAt);
  }

  #misfit(): Error {
    this.#link.lose('a reply did not fit its request', 'malformed');
    return malformed;
  }
}
