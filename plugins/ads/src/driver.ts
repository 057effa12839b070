import {
  ErrorCode,
  Fault,
  isFault,
  type BrowsePage,
  type BrowseRequest,
  type Call,
  type Context,
  type Driver,
  type Point,
  type Results,
  type Values,
  type Write,
} from '@tagway/sdk';
import { disconnected, RefusalMemory } from '@tagway/sdk/link';
import { parseAddress } from './address.ts';
import { Browser } from './browse.ts';
import { decodeInto } from './decode.ts';
import { readRefused } from './faults.ts';
import { formOf, type Form } from './form.ts';
import { ReadPlan, type PlanLimits } from './plan.ts';
import { IndexGroup } from './protocol.ts';
import { Reader } from './read.ts';
import { AdsLink, type Answer } from './session.ts';
import type { Settings } from './settings.ts';
import { Sums } from './sums.ts';
import { symbolOf, SymbolTable, zeroEnded } from './symbols.ts';
import { Writer } from './write.ts';

/** One node: one controller, one AMS port. */
export class AdsDriver implements Driver {
  readonly #context: Context<Settings>;
  readonly #ads: AdsLink;
  readonly #limits: PlanLimits;
  readonly #reader: Reader;
  readonly #writer: Writer;
  readonly #browser: Browser;
  readonly #plans = new WeakMap<readonly Point[], ReadPlan>();

  constructor(context: Context<Settings>) {
    const { settings, clock } = context;
    this.#context = context;
    this.#ads = new AdsLink(context, settings);
    this.#limits = { items: settings.max_items };
    const sums = new Sums(this.#ads);
    const symbols = new SymbolTable(this.#ads, sums, clock);
    this.#reader = new Reader(sums, symbols, new RefusalMemory<Fault>(), this.#limits);
    this.#writer = new Writer(sums, symbols, settings.max_items);
    this.#browser = new Browser(this.#ads);
  }

  start(): Promise<void> {
    return this.#ads.open();
  }

  stop(signal: AbortSignal): Promise<void> {
    return this.#ads.close(signal);
  }

  async read(points: readonly Point[], into: Values, call: Call): Promise<void> {
    if (call.cause === 'test') return this.#test(points, into, call);
    let plan = this.#plans.get(points);
    if (plan === undefined) {
      plan = new ReadPlan(points, this.#limits);
      this.#plans.set(points, plan);
    }
    if (!this.#ads.isUp) throw disconnected;
    const now = this.#context.clock.monotonic();
    await this.#reader.read(plan, into, now, this.#ads.generation, { signal: call.signal });
  }

  async write(writes: readonly Write[], into: Results, { signal }: Call): Promise<void> {
    if (!this.#ads.isUp) throw disconnected;
    await this.#writer.write(writes, into, { signal, urgent: true });
  }

  browse(request: BrowseRequest, { signal }: Call): Promise<BrowsePage> {
    return this.#browser.browse(request, { signal });
  }

  /** Reads without anything that production knows or would have to keep: a variable by its name, not by a handle. */
  async #test(points: readonly Point[], into: Values, { signal }: Call): Promise<void> {
    for (const [index, { address: text, type }] of points.entries()) {
      const address = parseAddress(text, type);
      if (isFault(address)) into.fault(index, address);
      else if (address.kind === 'place') {
        const { group, offset, size } = address;
        const form = { type, size, isWide: false, isEnded: false };
        this.#take(index, form, await this.#ads.read(group, offset, size, { signal }), into);
      } else {
        const entry = await symbolOf(this.#ads, address.name, { signal });
        const form = isFault(entry) ? entry : formOf(type, entry);
        if (isFault(form)) into.fault(index, form);
        else {
          const name = zeroEnded(address.name);
          const answer = await this.#ads.readWrite(IndexGroup.VALUE_BY_NAME, 0, form.size, name, { signal });
          this.#take(index, form, answer, into);
        }
      }
    }
  }

  #take(index: number, form: Form, { error, data }: Answer, into: Values): void {
    if (error !== 0) into.fault(index, readRefused(error));
    else if (data.length < form.size) into.fault(index, short);
    else decodeInto(into, index, form, data, 0);
  }
}

const short = new Fault(
  ErrorCode.DECODE_FAILED,
  'The controller answered with fewer bytes than were asked for.',
);
