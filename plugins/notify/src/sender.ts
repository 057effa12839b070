import type { AppContext, LinkStep } from '@tagway/sdk';
import { LimitedLog, Pauses, Refusal, Unavailable } from '@tagway/store';
import type { Kept } from './kept.ts';
import type { Delivery } from './mail.ts';
import type { Message, Outbox } from './outbox.ts';

/** Why a server takes no messages. */
export interface Problem {
  readonly reason: string;
  readonly step: LinkStep | undefined;
}

export interface SenderParts {
  readonly context: Pick<AppContext, 'clock' | 'count' | 'log' | 'signal'>;
  readonly kept: Kept;
  readonly outbox: Outbox;
  /** Whether a message goes this way. */
  isOwn(message: Message): boolean;
  send(message: Message, signal: AbortSignal): Promise<Delivery>;
  /** Whether the server would take messages, without sending it any. */
  readonly test?: (signal: AbortSignal) => Promise<void>;
  /** The server takes messages; or why it does not. */
  readonly state: (problem?: Problem) => void;
  /** A message is off, so that the next one of its target may be made. */
  done(): void;
}

/** Milliseconds between two attempts for receivers that the server does not take now, and after which they are given up. */
const restPause = 60_000;
const restAge = 2 * 86_400_000;

/** Sends the messages of one way, one after the other, until the server has taken or refused them. */
export class Sender {
  readonly #with: SenderParts;
  readonly #pauses = new Pauses();
  readonly #refusals: LimitedLog;
  /** When a message may be tried again, by the monotonic clock. */
  readonly #notBefore = new Map<string, number>();
  #wake: () => void = () => undefined;

  constructor(parts: SenderParts) {
    this.#with = parts;
    this.#refusals = new LimitedLog(parts.context.clock);
  }

  /** There may be something to send. */
  wake(): void {
    this.#wake();
  }

  /** Resolves when the node ends. */
  async run(): Promise<void> {
    const { context } = this.#with;
    context.signal.addEventListener('abort', () => this.#wake());
    await this.#test();
    while (!context.signal.aborted) {
      const message = this.#next();
      if (message === undefined) await this.#sleep(restPause / 4);
      else await this.#try(message);
    }
  }

  /** People see at once whether messages can be sent; when there is one, that shows it. */
  async #test(): Promise<void> {
    const { context, state, test } = this.#with;
    while (test !== undefined && !context.signal.aborted && this.#next() === undefined) {
      try {
        await test(context.signal);
        state();
        this.#pauses.reset();
        return;
      } catch (error) {
        if (context.signal.aborted) return;
        state({ reason: error instanceof Error ? error.message : String(error), step: undefined });
        await this.#sleep(this.#pauses.next());
      }
    }
  }

  #next(): Message | undefined {
    const { outbox, context } = this.#with;
    const now = context.clock.monotonic();
    return outbox
      .all()
      .find((message) => this.#with.isOwn(message) && (this.#notBefore.get(message.id) ?? 0) <= now);
  }

  async #try(message: Message): Promise<void> {
    const { context, kept } = this.#with;
    try {
      // What is sent is stored before, so that it is the same when it has to be sent again.
      await kept.flush();
      const delivery = await this.#with.send(message, context.signal);
      this.#with.state();
      this.#pauses.reset();
      this.#settle(message, delivery);
      await kept.flush();
    } catch (error) {
      if (context.signal.aborted) return;
      if (error instanceof Refusal) {
        this.#giveUp(message, Math.max(1, message.to.length), error.message);
        return;
      }
      context.count('send_msg_errors_total', 1);
      const reason = error instanceof Error ? error.message : String(error);
      const { step, retryAfter } = error instanceof Unavailable ? error : {};
      this.#with.state({ reason, step });
      await this.#sleep(this.#pauses.next(retryAfter), true);
    }
  }

  #settle(message: Message, { taken, refused, later, reason = '' }: Delivery): void {
    const { context, outbox } = this.#with;
    if (taken > 0 && message.isRest === undefined) context.count('send_msgs_total', 1);
    if (refused.length > 0) {
      context.count('refused_receivers_total', refused.length);
      this.#refusals.add((others) =>
        context.log.warn(
          `The mail server does not take the receiver ${refused.join(', ')}: ${reason}${others} Check "rules".`,
        ),
      );
    }
    const isOld = context.clock.now() - message.time > restAge;
    if (later.length > 0 && !isOld) {
      if (taken > 0 || refused.length > 0) outbox.put({ ...message, to: later, isRest: true });
      this.#notBefore.set(message.id, context.clock.monotonic() + restPause);
      context.count('send_msg_errors_total', 1);
    } else if (later.length > 0) this.#giveUp(message, later.length, reason);
    else this.#remove(message);
  }

  #giveUp(message: Message, receivers: number, reason: string): void {
    const { context } = this.#with;
    context.count('refused_receivers_total', receivers);
    this.#refusals.add((others) =>
      context.log.error(`A message is given up because ${reason.replace(/[.]?$/, '.')}${others}`),
    );
    this.#remove(message);
  }

  #remove(message: Message): void {
    this.#notBefore.delete(message.id);
    this.#with.outbox.delete(message);
    this.#with.done();
  }

  /** `isFirm`: a wake does not end it, only the end of the node. */
  async #sleep(ms: number, isFirm = false): Promise<void> {
    const { clock, signal } = this.#with.context;
    const end = new AbortController();
    if (!isFirm) this.#wake = () => end.abort();
    await clock.sleep(ms, AbortSignal.any([signal, end.signal])).catch(() => undefined);
  }
}
