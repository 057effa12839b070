import { LinkState } from '@tagway/sdk';
import type { AppContext, LinkReport, MessageOrigin } from '@tagway/sdk';
import type { Spool } from '@tagway/sdk/spool';
import { Batches } from './batches.ts';
import { LimitedLog } from './limited-log.ts';
import { LinkLog } from './link-log.ts';
import { Pauses } from './pauses.ts';
import type { StoreSettings } from './settings.ts';
import { ShownMessages } from './shown-messages.ts';
import { openSpool } from './spool-of.ts';
import { type Batch, type Loss, Refusal, type Store, Unavailable } from './store.ts';

/** Milliseconds that `stop` gives the store for what is left. */
const stopTimeout = 1000;

/** Milliseconds between two updates of what is measured. */
const gaugeInterval = 1000;

/**
 * Keeps records until the store has them, and sends them batch by batch, the oldest first and one at a time: the order of the records is kept,
 * a batch that fails is tried again before all others, and nothing is forgotten while there is room.
 */
export class Forwarder {
  readonly #context: AppContext<StoreSettings>;
  readonly #store: Store;
  readonly #pauses: Pauses;
  readonly #linkLog: LinkLog;
  readonly #given: LimitedLog;
  readonly #shown: ShownMessages;
  /** Ends what is being sent, and every wait. */
  readonly #end = new AbortController();
  /** Aborts when the run ends or an attempt is late. It serves all attempts up to that: signals for each are much of what a batch costs. */
  #attempt = new AbortController();
  #spool: Spool | undefined;
  #batches: Batches | undefined;
  #work: Promise<void> | undefined;
  #closing = false;
  #wake: () => void = () => undefined;
  #isConnected = false;
  /** When the oldest record that the store does not have was made, if one is being sent. */
  #oldest: number | undefined;
  #nextGauges = 0;
  /** Records that were shown as kept the last time. */
  #shownKept = 0;

  constructor(context: AppContext<StoreSettings>, store: Store) {
    this.#context = context;
    this.#store = store;
    this.#pauses = new Pauses();
    this.#linkLog = new LinkLog(context);
    this.#given = new LimitedLog(context.clock);
    this.#shown = new ShownMessages(store.name);
    this.#end.signal.addEventListener('abort', () => {
      this.#attempt.abort();
      this.#wake();
    });
  }

  /** Takes over what an earlier run has left, and begins to send. */
  async open(): Promise<void> {
    this.#context.messages?.(this.#shown);
    await this.#openSpool();
    this.#context.link(LinkState.CONNECTING, { reason: `Nothing was sent to ${this.#store.name} yet.` });
    this.#work = this.#run(false);
  }

  /** Sends what an earlier run has left, and resolves when there is nothing more or the context's signal aborts. */
  async tail(): Promise<void> {
    const { log, node, signal } = this.#context;
    const spool = await this.#openSpool();
    if (spool.backlog === 0) return;
    signal.addEventListener('abort', () => this.#end.abort());
    if (signal.aborted) this.#end.abort();
    this.#work = this.#run(true);
    await this.#work;
    if (spool.waiting === 0) log.notice(`The node ${node} has sent the records of its earlier run.`);
  }

  /** Keeps a record with values of a group. The data must not be changed afterwards. */
  push(data: Uint8Array, of?: MessageOrigin): void {
    this.#shown.made(data, of);
    if (this.#batches?.push(data) === true) this.#wake();
  }

  /** What `deliver` returns: undefined, or a promise that is pending while the disk is behind. */
  get drained(): Promise<void> | undefined {
    return this.#spool?.drained;
  }

  /** Sends what the store still takes within a second, and stores the rest. */
  async stop(): Promise<void> {
    this.#closing = true;
    this.#wake();
    const timer = setTimeout(() => this.#end.abort(), this.#isConnected ? stopTimeout : 0);
    await this.#work;
    clearTimeout(timer);
    this.#end.abort();
    await this.#store.disconnect?.();
    await this.#spool?.close();
  }

  async #openSpool(): Promise<Spool> {
    const { clock, settings } = this.#context;
    const spool = await openSpool(this.#context, () => this.#wake());
    const limits = { size: settings['batch-size'] * 1000, age: settings['batch-age'] };
    this.#batches = new Batches(spool, clock, limits);
    this.#spool = spool;
    return spool;
  }

  async #run(untilEmpty: boolean): Promise<void> {
    const batches = this.#batches!;
    const spool = this.#spool!;
    const { signal } = this.#end;
    let isPrepared = false;
    while (!signal.aborted) {
      this.#measure();
      try {
        if (!isPrepared && this.#store.connect !== undefined)
          await this.#timed((at) => this.#store.connect!(at));
        if (!isPrepared && this.#store.connect !== undefined) this.#connected(spool);
        isPrepared = true;
      } catch (error) {
        await this.#failed(error);
        if (this.#closing) return;
        continue;
      }
      const isLast = this.#closing || untilEmpty;
      const isDue = isLast || batches.isDue;
      const batch = isDue ? batches.take() : undefined;
      if (batch === undefined) {
        if (isLast && spool.waiting + spool.inFlight === 0) return;
        // A batch that is due and cannot be taken is being read from the disk.
        await this.#wait(isDue ? undefined : batches.dueIn);
        continue;
      }
      this.#oldest = batch.time;
      if (await this.#send(batch)) {
        this.#connected(spool);
        batches.acknowledge(batch);
        this.#oldest = undefined;
      } else {
        isPrepared = false;
        if (this.#closing) return;
      }
    }
  }

  /** Whether the batch is done: the store has it, or will never take it. */
  async #send(batch: Batch): Promise<boolean> {
    const context = this.#context;
    if (this.#shown.areWanted)
      for (const { data } of batch.records) this.#shown.sending(data, this.#store.shown(data));
    try {
      const losses = await this.#timed((signal) => this.#store.send(batch, signal));
      context.count('send_bytes', batch.bytes);
      context.count('send_msgs_total', batch.records.length);
      for (const { data } of batch.records) this.#shown.settled(data);
      for (const loss of losses ?? []) this.#lose(loss);
      return true;
    } catch (error) {
      this.#shown.lost(sentenceOf(error));
      if (error instanceof Refusal) {
        this.#lose({ count: batch.records.length, reason: error.message });
        return true;
      }
      await this.#failed(error);
      return false;
    }
  }

  /** Calls with a signal that aborts at the deadline and when the run ends. */
  async #timed<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { settings, clock } = this.#context;
    if (this.#attempt.signal.aborted && !this.#end.signal.aborted) this.#attempt = new AbortController();
    const attempt = this.#attempt;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      attempt.abort();
    }, settings.timeout);
    const from = clock.monotonic();
    try {
      const result = await work(attempt.signal);
      this.#context.rtt(Math.round(clock.monotonic() - from));
      return result;
    } catch (error) {
      if (error instanceof Refusal || !isLate) throw error;
      throw new Unavailable(`There was no answer within ${settings.timeout} ms, the setting "timeout".`, {
        step: 'first answer',
        cause: error,
      });
    } finally {
      clearTimeout(timer);
    }
  }

  #connected(spool: Spool): void {
    spool.connected();
    this.#pauses.reset();
    this.#isConnected = true;
    this.#context.link(LinkState.CONNECTED);
    this.#linkLog.connected(this.#store.name);
  }

  /** The store takes nothing: all waits again, and so does this. */
  async #failed(error: unknown): Promise<void> {
    const { clock } = this.#context;
    this.#batches!.release();
    await this.#store.disconnect?.();
    this.#isConnected = false;
    if (this.#end.signal.aborted) return;
    const reason = `${capital(this.#store.name)} takes no records: ${sentenceOf(error)}`;
    const { step, retryAfter } = error instanceof Unavailable ? error : {};
    const report: LinkReport = { reason, ...(step !== undefined && { step }) };
    this.#context.link(LinkState.DISCONNECTED, report);
    this.#linkLog.failed(reason);
    this.#measure(true);
    if (this.#closing) return;
    await this.#rest(clock, this.#pauses.next(retryAfter));
  }

  /** Waits, unless the run ends. */
  async #rest(clock: AppContext['clock'], ms: number): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => {
      if (this.#closing) woken.abort();
    };
    await clock.sleep(ms, AbortSignal.any([woken.signal, this.#end.signal])).catch(() => undefined);
  }

  /** Waits until there may be a batch to take, at most as many milliseconds as are given. */
  async #wait(dueIn: number | undefined): Promise<void> {
    const { clock } = this.#context;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = dueIn === undefined ? undefined : clock.timer(dueIn, resolve);
    await promise;
    timer?.[Symbol.dispose]();
  }

  #lose({ count, reason }: Loss): void {
    const { log, node } = this.#context;
    this.#context.count('send_msg_errors_total', count);
    this.#context.count('dropped_msgs_total', count);
    const lost = Buffer.from(`${count} given up`);
    this.#shown.show('sent', { topic: this.#store.name, data: lost }, capital(reason));
    this.#given.add((others) =>
      log.error(
        `The node ${node} gave up ${count} of what it sends to ${this.#store.name} because ${reason}${others}`,
      ),
    );
  }

  #measure(now = false): void {
    const { clock } = this.#context;
    const spool = this.#spool!;
    const kept = spool.waiting + spool.inFlight;
    // Nothing may come for long: that nothing is left is shown at once.
    const isDone = kept === 0 && this.#shownKept > 0;
    if (!now && !isDone && clock.monotonic() < this.#nextGauges) return;
    this.#nextGauges = clock.monotonic() + gaugeInterval;
    this.#shownKept = kept;
    this.#context.gauge('cached_msgs', kept);
    this.#context.gauge('cache_disk_bytes', spool.bytesOnDisk);
    this.#context.gauge(
      'cache_oldest_ms',
      this.#oldest === undefined ? 0 : Math.max(0, Math.round(clock.now() - this.#oldest)),
    );
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
