import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from '../kit/until.ts';

/** Debian's modules are those of the system's Python. */
const python = '/usr/bin/python3';
const script = join(import.meta.dirname, '../peers/iec104-centre.py');

export const hasScapy =
  spawnSync(python, ['-c', 'import scapy.contrib.scada.iec104'], { stdio: 'ignore' }).status === 0;

/** An object of a unit: address, value, time as octets, quality octet; of other types than reports the address and octets alone. */
export type CentreObject = readonly [object: number, value: number | string, time?: string, quality?: number];

export interface CentreUnit {
  readonly event: 'unit';
  readonly type: number;
  readonly cause: number;
  readonly negative: boolean;
  readonly ca: number;
  readonly objects: readonly CentreObject[];
}

type Said = CentreUnit | { readonly event: 'ready' | 'started' | 'closed' | 'fault'; readonly text?: string };

const alive = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** A control centre in a process of its own, whose frames scapy builds and decodes. */
export class Iec104Centre implements AsyncDisposable {
  readonly units: CentreUnit[] = [];
  readonly faults: string[] = [];
  starts = 0;
  isConnected = false;
  readonly #child: ChildProcess;
  readonly #from: string;

  private constructor(child: ChildProcess, from: string) {
    this.#child = child;
    this.#from = from;
  }

  /** `decodesAll`: scapy decodes every frame, and not only some. `from`: its address. */
  static async start({ decodesAll = true, from = '127.0.0.1' } = {}): Promise<Iec104Centre> {
    const child = spawn(python, [script, ...(decodesAll ? ['--all'] : [])], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    alive.add(child);
    const centre = new Iec104Centre(child, from);
    let isReady = false;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said = JSON.parse(line) as Said;
      if (said.event === 'ready') isReady = true;
      centre.#heard(said);
    });
    await until('the control centre runs', () => isReady);
    return centre;
  }

  /** Connects, again and again until the transfer of data has begun. */
  async connect(port: number, within = 15_000, host = '127.0.0.1'): Promise<void> {
    const { starts } = this;
    await until(
      'the station has confirmed the start',
      () => {
        if (!this.isConnected) {
          this.isConnected = true;
          this.#order({ do: 'connect', host, port, from: this.#from });
        }
        return this.starts > starts;
      },
      { within, every: 100 },
    );
  }

  /** Sends one object of a type, by the names of scapy. */
  send(type: string, cot: number, fields: object, ca = 1): void {
    this.#order({ do: 'send', type, cot, fields, ca });
  }

  /** Sends one object, and waits for a unit that answers it. */
  async ask(
    type: string,
    cot: number,
    fields: object,
    isAnswer: (unit: CentreUnit) => boolean,
  ): Promise<CentreUnit> {
    const from = this.units.length;
    this.send(type, cot, fields);
    return until('the station has answered', () => this.units.slice(from).find(isAnswer));
  }

  hold(): void {
    this.#order({ do: 'hold' });
  }

  async cut(): Promise<void> {
    this.#order({ do: 'cut' });
    await until('the connection is broken', () => !this.isConnected);
  }

  /** The objects of all events that have come, in order. */
  get events(): CentreObject[] {
    return this.units.filter(({ cause }) => cause === 3).flatMap(({ objects }) => objects);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await exit;
    alive.delete(this.#child);
  }

  #order(order: object): void {
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
  }

  #heard(said: Said): void {
    if (said.event === 'unit') this.units.push(said);
    else if (said.event === 'started') this.starts++;
    else if (said.event === 'closed') this.isConnected = false;
    else if (said.event === 'fault') this.faults.push(said.text ?? '');
  }
}
