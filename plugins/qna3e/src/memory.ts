import type { Fault, Point } from '@tagway/sdk';
import { malformed, type AskOptions, type Link, type Requests } from '@tagway/sdk/link';
import type { Place, Step, WritableMemory, WriteEntry } from '@tagway/words';
import { isBitDevice, parseAddress } from './address.ts';
import { blames, readRefused, writeRefused } from './faults.ts';
import {
  batch,
  Command,
  mostBits,
  mostWords,
  packedSize,
  requestFrame,
  Unit,
  unpackBits,
} from './protocol.ts';
import type { Reply } from './session.ts';
import type { Bases } from './settings.ts';
import { joins, writeRequest } from './write.ts';

export interface MemoryOptions {
  readonly bases: Bases;
  readonly route: Buffer;
  /** The monitoring timer of requests. */
  readonly timer: number;
}

/** The devices of the PLC behind a link. */
export class Qna3eMemory implements WritableMemory {
  readonly high = 1;
  readonly writesBitsOfWords = false;
  readonly blames = blames;
  readonly #link: Pick<Link, 'send' | 'lose'>;
  readonly #requests: Requests<Reply>;
  readonly #options: MemoryOptions;

  constructor(link: Pick<Link, 'send' | 'lose'>, requests: Requests<Reply>, options: MemoryOptions) {
    this.#link = link;
    this.#requests = requests;
    this.#options = options;
  }

  parse(address: string, type: Point['type']): Place | Fault {
    return parseAddress(address, type, this.#options.bases);
  }

  isBits(area: number): boolean {
    return isBitDevice(area);
  }

  most(area: number): number {
    return isBitDevice(area) ? mostBits : mostWords;
  }

  refusesWrite(): undefined {
    return undefined;
  }

  async read(area: number, start: number, count: number, options: AskOptions): Promise<Buffer> {
    const isBits = isBitDevice(area);
    const unit = isBits ? Unit.BITS : Unit.WORDS;
    const data = await this.#ask('read', Command.READ, unit, batch(area, start, count), options);
    if (data.length !== (isBits ? packedSize(count) : 2 * count)) {
      this.#link.lose('a reply did not fit its request', 'malformed');
      throw malformed;
    }
    return isBits ? unpackBits(data, count) : data;
  }

  joins(step: Step, entry: WriteEntry): boolean {
    return joins(step, entry);
  }

  async write(step: Step, options: AskOptions): Promise<void> {
    const { command, unit, data } = writeRequest(step);
    await this.#ask('write', command, unit, data, options);
  }

  /** The data of the reply. */
  async #ask(
    verb: 'read' | 'write',
    command: number,
    unit: Unit,
    body: Buffer,
    options: AskOptions,
  ): Promise<Buffer> {
    const { route, timer } = this.#options;
    const send = (): void => this.#link.send(requestFrame(route, timer, command, unit, body));
    const { endCode, data } = await this.#requests.ask(send, options);
    if (endCode !== 0) throw verb === 'read' ? readRefused(endCode) : writeRefused(endCode);
    return data;
  }
}
