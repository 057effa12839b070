import {
  isFault,
  type Call,
  type Context,
  type Driver,
  type Fault,
  type Point,
  type Values,
} from '@tagway/sdk';
import {
  disconnected,
  Link,
  noResponse,
  RefusalMemory,
  Requests,
  SilenceClock,
  tcpClient,
  tcpServer,
  type Transport,
} from '@tagway/sdk/link';
import { leftAlone, refusal } from './faults.ts';
import { planOf, type Command, type Plan } from './plan.ts';
import { requestFrame, type Answer } from './protocol.ts';
import { NonA11Session } from './session.ts';
import { ConnectionMode, type Settings } from './settings.ts';

/** Pauses of a site that does not answer while others do, in milliseconds. */
const silencePauses = { first: 5000, most: 60_000 };

/** One run of an A11 node. */
export class NonA11Driver implements Driver {
  readonly #context: Context<Settings>;
  readonly #link: Link;
  readonly #requests: Requests<Answer>;
  readonly #plans = new WeakMap<readonly Point[], Plan>();
  readonly #memory = new RefusalMemory<Fault>();
  readonly #silence = new SilenceClock<number>(silencePauses);
  /** The sites that answered when they were last asked. */
  readonly #answering = new Set<number>();
  /** What the answer that is awaited must name. */
  #asked: Command | undefined;
  #quietUntil = -Infinity;

  constructor(context: Context<Settings>) {
    const { timeout } = context.settings;
    this.#context = context;
    this.#link = new Link(
      context,
      transportOf(context.settings),
      new NonA11Session((answer) => this.#answered(answer)),
      { timeout },
    );
    // Answers carry no number: one is awaited at a time, and after a timeout the connection is made anew.
    this.#requests = new Requests<Answer>(this.#link, { timeout });
  }

  start(): Promise<void> {
    this.#context.log.warn(
      'The frames that this driver speaks are assumed, not verified with a device. Compare every value with the device before you rely on it.',
    );
    return this.#link.open();
  }

  stop(signal: AbortSignal): Promise<void> {
    return this.#link.close(signal);
  }

  async read(points: readonly Point[], into: Values, call: Call): Promise<void> {
    const isTest = call.cause === 'test';
    const { settings } = this.#context;
    const plan = (isTest ? undefined : this.#plans.get(points)) ?? planOf(points, settings.site);
    if (!isTest) this.#plans.set(points, plan);
    for (const { index, fault } of plan.invalid) into.fault(index, fault);
    if (!this.#link.up) throw disconnected;
    this.#memory.begin(this.#now, this.#link.generation);
    for (const command of plan.commands) {
      const held = isTest ? undefined : this.#heldBack(command);
      if (held !== undefined) command.fault(held, into);
      else await this.#read(command, into, call, isTest);
    }
  }

  get #now(): number {
    return this.#context.clock.monotonic();
  }

  /** Why not to ask now. */
  #heldBack(command: Command): Fault | undefined {
    const { site } = command;
    const reason = this.#memory.reasonOf(rangeOf(command));
    if (reason !== undefined && !this.#memory.tries(rangeOf(command), this.#now)) return reason;
    if (this.#answering.size === 0 || this.#answering.has(site)) return undefined;
    return this.#silence.tries(site, this.#now) ? undefined : leftAlone;
  }

  async #read(command: Command, into: Values, { signal }: Call, isTest: boolean): Promise<void> {
    const { site } = command;
    try {
      const answer = await this.#ask(command, signal);
      if (answer.refusal === undefined) {
        if (!isTest) this.#memory.accept(rangeOf(command));
        command.decode(answer.bytes, into);
      } else {
        const fault = refusal(answer.refusal);
        if (!isTest) this.#memory.refuse(rangeOf(command), fault, this.#now);
        command.fault(fault, into);
      }
      this.#answering.add(site);
      this.#silence.answered(site);
    } catch (error) {
      if (!isFault(error) || error === disconnected) throw error;
      if (error === noResponse && !isTest) {
        this.#answering.delete(site);
        this.#silence.stayedSilent(site, this.#now);
      }
      command.fault(error, into);
    }
  }

  /** Takes its turn, keeps the interval, and asks. */
  #ask(command: Command, signal: AbortSignal): Promise<Answer> {
    const { clock, exclusive, settings } = this.#context;
    const { host, interval, port } = settings;
    const ask = async (): Promise<Answer> => {
      const pause = this.#quietUntil - clock.monotonic();
      if (pause > 0) await clock.sleep(Math.ceil(pause), signal);
      this.#asked = command;
      const request = requestFrame(command.site, command.command);
      try {
        return await this.#requests.ask(() => this.#link.send(request), { signal });
      } finally {
        this.#asked = undefined;
        this.#quietUntil = clock.monotonic() + interval;
      }
    };
    return exclusive(`${host}:${port}`, ask, signal);
  }

  #answered(answer: Answer): void {
    const { site, command } = this.#asked ?? {};
    if (answer.site === site && answer.command === command) this.#requests.settle(0, answer);
    else this.#context.count('foreign_frames', 1);
  }
}

function rangeOf({ command, site }: Command): { area: number; start: number; end: number } {
  return { area: site, start: command, end: command + 1 };
}

function transportOf({ connection_mode, host, port, timeout }: Settings): Transport {
  return connection_mode === ConnectionMode.SERVER
    ? tcpServer({ host, port })
    : tcpClient({ host, port }, { timeout });
}
