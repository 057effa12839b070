import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Network, Place } from './network.ts';
import type { Log } from './referee-process.ts';

/** A request at the field device. */
export interface Request {
  /** Milliseconds of `now`. */
  readonly at: number;
  readonly from: Place;
  readonly connection: number;
  /** First register that was asked for. */
  readonly register: number;
}

/** Milliseconds of the clock that all processes of this machine share. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6;

/** The field device in a process and on a machine of its own. Whatever is judged about polling comes from its log alone. */
export class Referee {
  readonly port: number;
  /** All requests that were taken over so far, in the order of arrival; the device answered each with its index here, plus 1. */
  readonly requests: Request[] = [];
  readonly #child: ChildProcess;
  readonly #network: Network;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(child: ChildProcess, network: Network, port: number) {
    this.#child = child;
    this.#network = network;
    this.port = port;
  }

  static async start(network: Network): Promise<Referee> {
    const [command, ...args] = network.on('field');
    const script = join(import.meta.dirname, 'referee-process.ts');
    const child = spawn(command, [...args, process.execPath, script, network.address('field')], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    const [started] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown];
    if (typeof started !== 'object' || started === null) throw new Error('The field device did not start.');
    return new Referee(child, network, (started as AddressInfo).port);
  }

  /** Takes over what was logged until now, and returns the requests from a time on. */
  async since(time: number): Promise<readonly Request[]> {
    await (this.#turn = this.#turn.then(() => this.#take()));
    let first = this.requests.length;
    while (first > 0 && (this.requests[first - 1] as Request).at >= time) first -= 1;
    return this.requests.slice(first);
  }

  /** Whether a gateway, or any, has sent a request after a time. */
  async hears(place: Place | undefined, after: number): Promise<boolean> {
    return (await this.since(after)).some(({ from }) => place === undefined || from === place);
  }

  async stop(): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }

  async #take(): Promise<void> {
    this.#child.send({ first: this.requests.length });
    const [log] = (await once(this.#child, 'message')) as [Log];
    for (let index = 0; index < log.times.length; index += 1) {
      const source = log.sources[log.from[index] as number] as string;
      const from = this.#network.placeOf(source);
      if (from === undefined)
        throw new Error(`The field device heard of ${source}, which is no machine of the plant.`);
      this.requests.push({
        at: log.times[index] as number,
        from,
        connection: log.connections[index] as number,
        register: log.registers[index] as number,
      });
    }
  }
}
