import type { Context, DataType, Fault } from '@tagway/sdk';
import { Link, malformed, Requests, tcpClient, udp, type AskOptions, type Transport } from '@tagway/sdk/link';
import { WordDriver, type Address, type Step } from '@tagway/plc-words';
import { isBitDevice, parseAddress } from './address.ts';
import { readRefused, writeRefused } from './faults.ts';
import {
  batch,
  Command,
  mostBits,
  mostWords,
  packedSize,
  requestFrame,
  routeBytes,
  timerOf,
  Unit,
  unpackBits,
} from './protocol.ts';
import { Session, type Reply } from './session.ts';
import { TransportMode, type Settings } from './settings.ts';
import { joins, writeRequest, type MemoryRequest } from './write.ts';

/** One run of a 3E node. */
export class Qna3eDriver extends WordDriver<void> {
  readonly high = 1;
  readonly writesBitsOfWords = false;
  readonly isBits = isBitDevice;
  readonly joins = joins;
  protected readonly link: Link;
  readonly #settings: Settings;
  readonly #route: Buffer;
  readonly #requests: Requests<Reply>;

  constructor(context: Context<Settings>) {
    super(context);
    const { settings } = context;
    const { timeout } = settings;
    this.#settings = settings;
    this.#route = routeBytes(settings);
    const session = new Session(this.#route, (reply) => this.#requests.settle(0, reply));
    this.link = new Link(context, transportOf(settings), session, { timeout });
    // Replies name no request: one is on its way at a time, and after a timeout the connection is dropped.
    this.#requests = new Requests<Reply>(this.link, { timeout });
  }

  parse(address: string, type: DataType): Address | Fault {
    return parseAddress(address, type, this.#settings);
  }

  most(area: number): number {
    return isBitDevice(area) ? mostBits : mostWords;
  }

  refusesWrite(): undefined {
    return undefined;
  }

  async readMemory(area: number, start: number, count: number, options: AskOptions): Promise<Buffer> {
    const isBits = isBitDevice(area);
    const unit = isBits ? Unit.BITS : Unit.WORDS;
    const request = { command: Command.READ, unit, data: batch(area, start, count) };
    const { endCode, data } = await this.#ask(request, options);
    if (endCode !== 0) throw readRefused(endCode);
    if (data.length !== (isBits ? packedSize(count) : 2 * count)) {
      this.link.lose('a reply did not fit its request', 'malformed');
      throw malformed;
    }
    return isBits ? unpackBits(data, count) : data;
  }

  async writeMemory(step: Step, options: AskOptions): Promise<void> {
    const { endCode } = await this.#ask(writeRequest(step), options);
    if (endCode !== 0) throw writeRefused(endCode);
  }

  #ask({ command, unit, data }: MemoryRequest, options: AskOptions): Promise<Reply> {
    const timer = timerOf(this.#settings.timeout);
    const send = (): void => this.link.send(requestFrame(this.#route, timer, command, unit, data));
    return this.#requests.ask(send, options);
  }
}

function transportOf({ transport_mode, host, port, timeout, local_port }: Settings): Transport {
  return transport_mode === TransportMode.UDP
    ? udp({ host, port }, { localPort: local_port })
    : tcpClient({ host, port }, { timeout });
}
