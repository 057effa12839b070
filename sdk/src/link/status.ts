import { LinkState } from '@tagway/schemas';
import type { Context, LinkReport } from '../context.ts';
import type { Failure } from './failure.ts';

type StatusContext = Pick<Context, 'clock' | 'link' | 'log'>;

interface StatusOptions {
  readonly part?: string;
  readonly grace?: number;
}

/** How often a link may come up within `countTime`, in milliseconds; beyond that the log has one line with the number per `countTime`. */
const mostUps = 10;
const countTime = 3_600_000;

/** Most kinds of failures that are remembered as logged. */
const mostLogged = 32;

/**
 * The state of a link as operators see it. After a connection without any answer, a new one alone proves nothing: the link is shown
 * as connected only when the device answers. A kind of failure is logged once until the device has answered.
 */
export class LinkStatus {
  readonly #context: StatusContext;
  readonly #part: string | undefined;
  readonly #grace: number;
  #state: LinkState | undefined;
  #reported: string | undefined;
  #peer = '';
  /** The present connection is not trusted before something is answered. */
  #doubted = false;
  #asked = false;
  #proven = false;
  /** Kinds of failures that were logged since the last answer. */
  readonly #logged = new Set<string>();
  #graceTimer: Disposable | undefined;
  /** How often the link came up since this monotonic time. */
  #ups = 0;
  #countedFrom = -Infinity;

  constructor(context: StatusContext, { part, grace = 0 }: StatusOptions) {
    this.#context = context;
    this.#part = part;
    this.#grace = grace;
  }

  /** Whether the present connection has carried an answer. */
  get proven(): boolean {
    return this.#proven;
  }

  connecting(): void {
    this.#report(LinkState.CONNECTING, { step: 'connect' });
  }

  /** There is a connection, and its handshake is done. `trusted`: this alone proves that the device is there. */
  opened(peer: string, trusted: boolean): void {
    this.#peer = peer;
    this.#asked = this.#proven = false;
    if (trusted && !this.#doubted) this.#connected();
  }

  /** Something was asked. */
  asked(): void {
    this.#asked = true;
  }

  /** The device answered. Returns whether it is the first answer on this connection. */
  answered(): boolean {
    if (this.#proven) return false;
    this.#proven = true;
    this.#doubted = false;
    this.#connected();
    this.#logged.clear();
    return true;
  }

  /** The connection stayed silent: the next one is not trusted until the device answers. */
  doubt(): void {
    this.#doubted = true;
  }

  /** A connection is gone or an attempt failed. One that served may be back within the grace time, before it is reported. */
  closed(failure: Failure): void {
    if (this.#asked && !this.#proven) this.#doubted = true;
    const served = this.#proven && !this.#doubted;
    this.#asked = this.#proven = false;
    if (served && this.#grace > 0 && this.#state === LinkState.CONNECTED) {
      this.#graceTimer ??= this.#context.clock.timer(this.#grace, () => this.#disconnected(failure));
      return;
    }
    if (this.#graceTimer === undefined) this.#disconnected(failure);
  }

  /** The link is closed for good. */
  end(): void {
    this.#endGrace();
    if (this.#state !== undefined) this.#report(LinkState.DISCONNECTED, {});
  }

  #connected(): void {
    this.#endGrace();
    if (this.#state === LinkState.CONNECTED) return;
    this.#countUp();
    const write = this.#isFlapping ? 'debug' : 'notice';
    this.#context.log[write](`Connected to ${this.#peer}.`);
    this.#report(LinkState.CONNECTED, {});
  }

  #disconnected(failure: Failure): void {
    this.#endGrace();
    this.#logFailure(failure);
    const { reason, step } = failure;
    this.#report(LinkState.DISCONNECTED, {
      reason: `The link to the device is down: ${reason}.`,
      ...(step && { step }),
    });
  }

  #logFailure({ kind, reason, step }: Failure): void {
    const { log } = this.#context;
    const text = `The link to the device is down: ${reason}.`;
    if (kind === 'waiting') return log.info(text);
    const isNew = !this.#logged.has(`${kind} ${step}`) && this.#logged.size < mostLogged;
    this.#logged.add(`${kind} ${step}`);
    if (isNew && !this.#isFlapping) log.warn(text);
    else log.debug(text);
  }

  get #isFlapping(): boolean {
    return this.#ups > mostUps;
  }

  /** A link that comes and goes all day is logged once an hour. */
  #countUp(): void {
    const { clock, log } = this.#context;
    const now = clock.monotonic();
    if (now - this.#countedFrom >= countTime) {
      if (this.#isFlapping)
        log.warn(`The link to the device came and went ${this.#ups} times since it was last told how often.`);
      this.#countedFrom = now;
      this.#ups = 0;
    }
    if (++this.#ups !== mostUps + 1) return;
    log.warn(
      `The link to the device comes and goes: ${this.#ups} times within an hour. From here on that is told once an hour.`,
    );
  }

  #endGrace(): void {
    this.#graceTimer?.[Symbol.dispose]();
    this.#graceTimer = undefined;
  }

  #report(state: LinkState, report: LinkReport): void {
    const reported = `${state} ${report.step} ${report.reason}`;
    if (reported === this.#reported) return;
    this.#reported = reported;
    this.#state = state;
    this.#context.link(state, this.#part === undefined ? report : { ...report, part: this.#part });
  }
}
