import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { listen, type Listener } from './listen.ts';
import { type Kept, match, render } from './pattern.ts';
import { parseScript, type Rule, type Script, type Step } from './script.ts';
import type { Wire } from './wire.ts';

/** Milliseconds between two pieces of an answer that is sent in pieces. */
const splitPause = 10;

/** A device that plays a wire script. Disposing of it ends its connections. */
export class WireDevice implements AsyncDisposable {
  readonly #script: Script;
  readonly #waiting: Wire[] = [];
  readonly #wires: Wire[] = [];
  #kept: Kept = new Map();
  #listener: Listener | undefined;
  #connected: () => void = () => undefined;
  #problem: Error | undefined;
  /** The step that is under way; undefined when all are done. */
  #step: Step | undefined;
  #ended = false;
  #taken = 0;

  private constructor(script: Script) {
    this.#script = script;
    this.#step = script.steps[0];
  }

  /** Listens, for a script or the file that it is in. */
  static async start(script: Script | URL): Promise<WireDevice> {
    const device = new WireDevice(script instanceof URL ? readScript(script) : script);
    device.#listener = await listen(device.#script.transport, (wire) => device.#take(wire));
    void device.#play();
    return device;
  }

  get host(): string {
    return this.#listener?.host ?? '';
  }

  get port(): number {
    return this.#listener?.port ?? 0;
  }

  /** The serial port, when the script is for one. */
  get path(): string {
    return this.#listener?.path ?? '';
  }

  /** Why the device has stopped: it received something that its script does not expect. */
  get problem(): Error | undefined {
    return this.#problem;
  }

  /** How many requests were answered by a rule. */
  get taken(): number {
    return this.#taken;
  }

  /** Resolves when the script was played to its end. Rejects, after a second at most, when it was not or something unexpected was received. */
  async finished(): Promise<void> {
    for (let tries = 0; tries < 100 && this.#step !== undefined && this.#problem === undefined; tries++)
      await sleep(10);
    if (this.#problem !== undefined) throw this.#problem;
    const rest = this.#wires.find(({ received }) => received.length > 0)?.received ?? Buffer.alloc(0);
    if (this.#step !== undefined)
      throw new Error(`The wire script stands at line ${this.#step.line}${shown(rest)}.`);
    if (rest.length > 0) throw new Error(`The wire script is at its end${shown(rest)}.`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    for (const wire of this.#wires) wire.closed();
    this.#connected();
    await this.#listener?.[Symbol.asyncDispose]();
  }

  #take(wire: Wire): void {
    this.#wires.push(wire);
    this.#waiting.push(wire);
    this.#connected();
  }

  async #play(): Promise<void> {
    try {
      let wire: Wire | undefined;
      for (const [index, step] of this.#script.steps.entries()) {
        this.#step = step;
        if (step.op !== 'wait') wire = await this.#wireFor(wire);
        wire = await this.#perform(step, wire);
        if (this.#ended) return;
        this.#step = this.#script.steps[index + 1];
      }
      if (wire !== undefined && !wire.isClosed) this.#waiting.unshift(wire);
      if (this.#script.rules.length === 0) return;
      for (;;) {
        const next = await this.#next();
        if (next === undefined) return;
        void this.#serve(next);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The connection that a step happens on: the same as before unless that has ended. */
  async #wireFor(wire: Wire | undefined): Promise<Wire | undefined> {
    return wire === undefined || (wire.isClosed && wire.received.length === 0) ? this.#next() : wire;
  }

  async #next(): Promise<Wire | undefined> {
    while (this.#waiting.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#connected = resolve;
      });
    }
    return this.#waiting.shift();
  }

  /** Returns the connection on which the next step happens, if it is still open then. */
  async #perform(step: Step, wire: Wire | undefined, kept = this.#kept): Promise<Wire | undefined> {
    if (step.op === 'wait') await sleep(step.ms);
    else if (wire === undefined) return undefined;
    else if (step.op === 'receive') return this.#receive(step, wire);
    else if (step.op === 'send') await send(wire, render(step.pattern, kept));
    else if (step.op === 'silence') await swallow(wire);
    else wire[step.op]();
    return wire;
  }

  /** A connection that ended without a byte makes room for the next one. */
  async #receive({ pattern, line }: Step & { op: 'receive' }, first: Wire): Promise<Wire> {
    let wire = first;
    while (!this.#ended) {
      const found = match(pattern, wire.received, this.#kept);
      if (found.result === 'whole') {
        wire.drop(found.size);
        this.#kept = found.kept;
        break;
      }
      if (found.result === 'different' || (wire.isClosed && wire.received.length > 0))
        throw new Error(`The wire script stands at line ${line}${shown(wire.received)}.`);
      if (wire.isClosed) wire = (await this.#next()) ?? wire;
      else await wire.change();
    }
    return wire;
  }

  /** Answers by the rules until the connection ends. */
  async #serve(wire: Wire): Promise<void> {
    try {
      while (!wire.isClosed) {
        const rule = this.#ruleFor(wire);
        if (rule === undefined) await wire.change();
        else for (const step of rule.answer) await this.#perform(step, wire, rule.kept);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #ruleFor(wire: Wire): { answer: Rule['answer']; kept: Kept } | undefined {
    let mayCome = wire.received.length === 0;
    for (const { request, answer } of this.#script.rules) {
      const found = match(request.pattern, wire.received, this.#kept);
      if (found.result === 'whole') {
        wire.drop(found.size);
        this.#taken++;
        return { answer, kept: found.kept };
      }
      mayCome ||= found.result === 'begun';
    }
    if (!mayCome) throw new Error(`No rule of the wire script fits${shown(wire.received)}.`);
    return undefined;
  }

  #fail(error: unknown): void {
    if (this.#ended) return;
    this.#problem = error instanceof Error ? error : new Error(String(error));
    for (const wire of this.#wires) wire.close();
  }
}

export function readScript(file: URL): Script {
  return parseScript(readFileSync(file, 'utf8'), fileURLToPath(file));
}

async function send(wire: Wire, pieces: readonly Buffer[]): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await sleep(splitPause);
    wire.send(piece);
  }
}

async function swallow(wire: Wire): Promise<void> {
  while (!wire.isClosed) {
    wire.drop(wire.received.length);
    await wire.change();
  }
  wire.drop(wire.received.length);
}

function shown(bytes: Buffer): string {
  if (bytes.length === 0) return ', and nothing more was received';
  const hex = (bytes.toString('hex').match(/../g) ?? []).slice(0, 64).join(' ');
  return `, and this was received: ${hex} (${JSON.stringify(bytes.toString('latin1').slice(0, 64))})`;
}
