import type { Call, Context, DataType, Fault, Results, Values, Write } from '@tagway/sdk';
import { LinkDriver, ReadPlans, type AskOptions } from '@tagway/sdk/link';
import type { Address } from './address.ts';
import { Findings, ReadPlan } from './plan.ts';
import { ReadPass } from './read.ts';
import type { Step, WordMemory, WriteEntry } from './word-memory.ts';
import { sendWrites } from './write.ts';

type WordContext = Pick<
  Context<{ readonly host: string; readonly port: number }>,
  'clock' | 'exclusive' | 'log' | 'settings'
>;

/** One run of a node of a PLC with 16-bit words: what is the same whatever the protocol. */
export abstract class WordDriver<Session> extends LinkDriver<Session, ReadPlan> implements WordMemory {
  abstract readonly high: 0 | 1;
  abstract readonly writesBitsOfWords: boolean;
  protected readonly plans = new ReadPlans(
    (points, findings) => new ReadPlan(points, this, findings),
    () => new Findings(),
  );
  readonly #context: WordContext;

  constructor(context: WordContext) {
    super();
    this.#context = context;
  }

  protected readPlan(plan: ReadPlan, into: Values, call: Call): Promise<void> {
    const { clock, log } = this.#context;
    const pass = new ReadPass({ plan, memory: this, into, call, log });
    return plan.ranges.readAll(pass, clock.monotonic(), this.link.generation);
  }

  async write(writes: readonly Write[], into: Results, { signal }: Call): Promise<void> {
    this.link.requireSession();
    const { host, port } = this.#context.settings;
    // One call at a time writes to a PLC, whichever node makes it: a word may be read, changed and written.
    const write = (): Promise<void> => sendWrites(writes, into, this, signal);
    await this.#context.exclusive(`${host}:${port}`, write, signal);
  }

  abstract parse(address: string, type: DataType): Address | Fault;
  abstract isBits(area: number): boolean;
  abstract most(area: number): number;
  abstract readMemory(area: number, start: number, count: number, options: AskOptions): Promise<Buffer>;
  abstract refusesWrite(area: number, type: DataType): Fault | undefined;
  abstract joins(step: Step, entry: WriteEntry): boolean;
  abstract writeMemory(step: Step, options: AskOptions): Promise<void>;
}
