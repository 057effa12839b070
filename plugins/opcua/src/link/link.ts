import { type Context, LinkState } from '@tagway/sdk';
import { AttributeIds, ReadRequest } from 'node-opcua-client';
import type { Settings } from '../settings.ts';
import { explain } from './explain.ts';
import type { Credentials } from './client-options.ts';
import { Session, sessionPace } from './session.ts';
import type { Sizes } from './sizes.ts';
import { newAttempt } from './wire.ts';

/** Milliseconds. */
const pauses = {
  /** Before the second new attempt; each further one doubles it. */
  first: 500,
  longest: 30_000,
  /** A session that was lost sooner, for the same reason as the one before, is logged at level debug. */
  health: 60_000,
} as const;

/** Server_ServerStatus_State, which every server has. */
const serverState = 'i=2259';

/** The shortest time between two questions whether the server is there, in milliseconds. */
const shortestWatch = 200;

export interface LinkEvents {
  /** A session is open. Nothing of the session before is left on the server. */
  up(session: Session): void;
  /** The session is lost; another follows. */
  down(): void;
}

/** Keeps one session with the server open, and opens another when it is lost. The driver makes one for its whole run. */
export class Link {
  readonly #context: Context<Settings>;
  readonly #credentials: Credentials;
  readonly #sizes: Sizes;
  readonly #events: LinkEvents;
  #session: Session | undefined;
  #running: Promise<void> = Promise.resolve();
  #logged = '';
  /** The latest session was lost again soon, for the same reason as the one before. */
  #isRepeated = false;
  #lostFor = '';
  #stop: AbortSignal | undefined;

  constructor(context: Context<Settings>, credentials: Credentials, sizes: Sizes, events: LinkEvents) {
    this.#context = context;
    this.#credentials = credentials;
    this.#sizes = sizes;
    this.#events = events;
  }

  /** Begins; resolves when the first attempt has succeeded or failed. */
  open(): Promise<void> {
    const first = Promise.withResolvers<void>();
    this.#running = this.#run(first.resolve);
    return first.promise;
  }

  /** Resolves when the session is closed; the server is not asked any more once `signal` aborts. The run's signal has aborted before. */
  close(signal: AbortSignal): Promise<void> {
    this.#stop = signal;
    this.#session?.end('the node stops');
    return this.#running;
  }

  /** Ends the session, if there is one, so that another is opened. `why` is the end of a sentence. */
  renew(why: string): void {
    this.#session?.end(why);
  }

  async #run(tried: () => void): Promise<void> {
    const { signal, clock, log } = this.#context;
    let pause: number = pauses.first;
    /** When a session may be opened again. A lost one is followed at once by one session; those after it come slower. */
    let earliest = -Infinity;
    while (!signal.aborted) {
      const session = await this.#connect();
      const life = session && this.#live(session);
      tried();
      if (life) {
        // The server has answered, so the pauses begin anew.
        earliest = Math.max(earliest + sessionPace, clock.monotonic());
        await life;
        pause = pauses.first;
      }
      const wait = life ? earliest - clock.monotonic() : pause * (0.8 + 0.4 * Math.random());
      if (signal.aborted) return;
      if (wait > 0) await clock.sleep(wait, signal).catch(() => undefined);
      if (!life) pause = Math.min(pause * 2, pauses.longest);
      log.debug('Another attempt to open an OPC UA session begins.');
    }
  }

  async #connect(): Promise<Session | undefined> {
    const context = this.#context;
    const { log, signal, settings } = context;
    const attempt = newAttempt();
    context.link(LinkState.CONNECTING, { step: 'connect' });
    try {
      const session = await Session.open(context, this.#credentials, this.#sizes, attempt);
      if (!signal.aborted) return session;
      await session.close(this.#stop);
    } catch (error) {
      if (signal.aborted) return undefined;
      log.debug('An attempt to open an OPC UA session failed.', { error });
      const reason = explain(error, attempt, settings, this.#credentials);
      this.#logOnce(reason);
      context.link(LinkState.DISCONNECTED, { reason, step: attempt.step });
      return undefined;
    }
    context.link(LinkState.DISCONNECTED);
    return undefined;
  }

  async #live(session: Session): Promise<void> {
    const context = this.#context;
    const { clock, log, settings, signal } = context;
    this.#session = session;
    this.#logged = '';
    const end = new AbortController();
    const watch = this.#watch(session, end.signal);
    // In this order: the runner reads every group at once when the link is there.
    this.#events.up(session);
    const peer = `with the OPC UA server at ${settings.url}`;
    context.link(LinkState.CONNECTED, { reason: `There is a session ${peer}.` });
    const opened = clock.monotonic();
    const write = this.#isRepeated ? 'debug' : 'notice';
    log[write](`There is a session ${peer}.`);
    const reason = await session.ended;
    end.abort();
    this.#session = undefined;
    this.#events.down();
    const lost = `The session ${peer} is lost: ${reason}.`;
    context.link(LinkState.DISCONNECTED, { reason: lost });
    this.#isRepeated = reason === this.#lostFor && clock.monotonic() - opened < pauses.health;
    this.#lostFor = reason;
    if (!signal.aborted) log[this.#isRepeated ? 'debug' : 'warn'](lost);
    await Promise.all([watch, session.close(this.#stop)]);
  }

  /**
   * Counts bytes. A server that has sent nothing for a while is asked whether it is there; a session without requests is used before
   * the server forgets it. A question without an answer ends the session.
   */
  async #watch(session: Session, end: AbortSignal): Promise<void> {
    const context = this.#context;
    const { clock, settings } = context;
    const pause = Math.max(shortestWatch, Math.min(settings.timeout, 10_000, session.timeout / 4));
    let read = 0;
    let written = 0;
    while (!end.aborted) {
      const isSilent = session.bytesRead === read;
      const isForgotten = clock.monotonic() - session.lastSent >= Math.min(session.timeout / 2, 60_000);
      context.count('recv_bytes', session.bytesRead - read);
      context.count('send_bytes', session.bytesWritten - written);
      [read, written] = [session.bytesRead, session.bytesWritten];
      if (isSilent || isForgotten) await this.#ask(session, end);
      await clock.sleep(pause, end).catch(() => undefined);
    }
  }

  async #ask(session: Session, end: AbortSignal): Promise<void> {
    const nodesToRead = [{ nodeId: serverState, attributeId: AttributeIds.Value }];
    const begin = performance.now();
    try {
      await session.send(new ReadRequest({ nodesToRead }), { signal: end, role: 'probe' });
      this.#context.rtt(performance.now() - begin);
    } catch {
      // A server that stays silent loses the session in `send`; any other answer, even a refusal, shows that it is there.
    }
  }

  /** Logs a reason once: attempts repeat for as long as it takes. */
  #logOnce(reason: string): void {
    if (reason === this.#logged) return;
    this.#logged = reason;
    this.#context.log.warn(reason);
  }
}
