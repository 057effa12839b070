import { type Context, LinkState } from '@tagway/sdk';
import { AttributeIds, ReadRequest } from 'node-opcua-client';
import type { Settings } from '../settings.ts';
import { explain } from './explain.ts';
import type { Credentials } from './client-options.ts';
import { Session } from './session.ts';
import type { Sizes } from './sizes.ts';
import { newAttempt } from './wire.ts';

/** Milliseconds. */
const pauses = {
  /** Before the second new attempt; each further one doubles it. */
  first: 500,
  longest: 30_000,
  /** A server that answers and loses its session again and again is not asked more often than this. */
  repeated: 1_000,
  /** A session that was lost sooner, for the same reason as the one before, is not spoken of again. */
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
  #told = '';
  /** The latest session was lost again soon, for the same reason as the one before: neither is news. */
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

  /** Resolves when the session is closed, without a word to the server once `signal` aborts. The run's signal has aborted before. */
  close(signal: AbortSignal): Promise<void> {
    this.#stop = signal;
    this.#session?.end('the node stops');
    return this.#running;
  }

  async #run(tried: () => void): Promise<void> {
    const { signal, clock, log } = this.#context;
    let pause: number = pauses.first;
    let opened = -Infinity;
    while (!signal.aborted) {
      const session = await this.#connect();
      const since = clock.monotonic() - opened;
      const life = session && this.#live(session);
      tried();
      if (life) {
        // The server has answered, so the next attempt is a first one, and at once unless this happens all the time.
        opened = clock.monotonic();
        await life;
        pause = pauses.first;
        if (since >= pauses.repeated || this.#sizes.isCareful) continue;
      }
      if (signal.aborted) return;
      await clock.sleep(pause * (0.8 + 0.4 * Math.random()), signal).catch(() => undefined);
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
      this.#tell(reason);
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
    this.#told = '';
    const end = new AbortController();
    const watch = this.#watch(session, end.signal);
    // In this order: the runner reads every group at once when the link is there.
    this.#events.up(session);
    const place = `with the OPC UA server at ${settings.url}`;
    context.link(LinkState.CONNECTED, { reason: `There is a session ${place}.` });
    const opened = clock.monotonic();
    const write = this.#isRepeated ? 'debug' : 'notice';
    log[write](`There is a session ${place}.`);
    const reason = await session.ended;
    end.abort();
    this.#session = undefined;
    this.#events.down();
    const lost = `The session ${place} is lost: ${reason}.`;
    context.link(LinkState.DISCONNECTED, { reason: lost });
    this.#isRepeated = reason === this.#lostFor && clock.monotonic() - opened < pauses.health;
    this.#lostFor = reason;
    if (!signal.aborted) log[this.#isRepeated ? 'debug' : 'warn'](lost);
    await Promise.all([watch, session.close(this.#stop)]);
  }

  /**
   * Counts bytes, and asks a server that has said nothing, or was asked for nothing, for a while whether it is there: in time
   * for the session that it would otherwise forget. The session loses itself if it is not.
   */
  async #watch(session: Session, end: AbortSignal): Promise<void> {
    const context = this.#context;
    const { clock, settings } = context;
    const pause = Math.max(shortestWatch, Math.min(settings.timeout, 10_000, session.timeout / 4));
    let [read, written] = [0, 0];
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

  /** Once per reason: attempts repeat for as long as it takes. */
  #tell(reason: string): void {
    if (reason === this.#told) return;
    this.#told = reason;
    this.#context.log.warn(reason);
  }
}
