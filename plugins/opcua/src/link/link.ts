import { type Context, LinkState } from '@tagway/sdk';
import { AttributeIds, ReadRequest } from 'node-opcua-client';
import type { Settings } from '../settings.ts';
import { explain } from './explain.ts';
import { type Credentials, Session } from './session.ts';

/** Milliseconds. */
const pauses = {
  /** Before the first new attempt; each further one doubles it. */
  first: 500,
  longest: 30_000,
  /** A session that has lived this long makes the next attempt a first one. */
  health: 10_000,
} as const;

/** Server_ServerStatus_State, which every server has. */
const serverState = 'i=2259';

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
  readonly #events: LinkEvents;
  #session: Session | undefined;
  #running: Promise<void> = Promise.resolve();
  #told = '';

  constructor(context: Context<Settings>, credentials: Credentials, events: LinkEvents) {
    this.#context = context;
    this.#credentials = credentials;
    this.#events = events;
  }

  /** Begins; resolves when the first attempt has succeeded or failed. */
  open(): Promise<void> {
    const first = Promise.withResolvers<void>();
    this.#running = this.#run(first.resolve);
    return first.promise;
  }

  /** Resolves when the session is closed; the run's signal has aborted before. */
  close(): Promise<void> {
    this.#session?.end('the node stops');
    return this.#running;
  }

  async #run(tried: () => void): Promise<void> {
    const { signal, clock, log } = this.#context;
    let pause: number = pauses.first;
    while (!signal.aborted) {
      const began = clock.now();
      const session = await this.#connect();
      const life = session && this.#live(session);
      tried();
      if (life) {
        await life;
        if (clock.now() - began >= pauses.health) pause = pauses.first;
      }
      if (signal.aborted) return;
      await clock.sleep(pause * (0.8 + 0.4 * Math.random()), signal).catch(() => undefined);
      pause = Math.min(pause * 2, pauses.longest);
      log.debug('Another attempt to open an OPC UA session begins.');
    }
  }

  async #connect(): Promise<Session | undefined> {
    const context = this.#context;
    const { log, signal, settings } = context;
    context.link(LinkState.CONNECTING);
    try {
      const session = await Session.open(this.#context, this.#credentials);
      if (!signal.aborted) return session;
      await session.close();
    } catch (error) {
      if (signal.aborted) return undefined;
      log.debug('An attempt to open an OPC UA session failed.', { error });
      this.#tell(explain(error, settings, this.#credentials));
    }
    context.link(LinkState.DISCONNECTED);
    return undefined;
  }

  async #live(session: Session): Promise<void> {
    const context = this.#context;
    const { log, settings, signal } = context;
    this.#session = session;
    this.#told = '';
    context.link(LinkState.CONNECTED);
    log.notice(`There is a session with the OPC UA server at ${settings.url}.`);
    const end = new AbortController();
    const watch = this.#watch(session, end.signal);
    this.#events.up(session);
    const reason = await session.ended;
    end.abort();
    this.#session = undefined;
    context.link(LinkState.DISCONNECTED);
    this.#events.down();
    if (!signal.aborted)
      log.warn(`The session with the OPC UA server at ${settings.url} is lost: ${reason}.`);
    await Promise.all([watch, session.close()]);
  }

  /** Counts bytes, and asks a server that has said nothing for a while whether it is there; the session loses itself if not. */
  async #watch(session: Session, end: AbortSignal): Promise<void> {
    const context = this.#context;
    const { clock, settings } = context;
    let [read, written] = [0, 0];
    while (!end.aborted) {
      const isSilent = session.bytesRead === read;
      context.count('recv_bytes', session.bytesRead - read);
      context.count('send_bytes', session.bytesWritten - written);
      [read, written] = [session.bytesRead, session.bytesWritten];
      if (isSilent) await this.#ask(session, end);
      await clock.sleep(Math.min(settings.timeout, 10_000), end).catch(() => undefined);
    }
  }

  async #ask(session: Session, end: AbortSignal): Promise<void> {
    const nodesToRead = [{ nodeId: serverState, attributeId: AttributeIds.Value }];
    const begin = performance.now();
    try {
      await session.send(new ReadRequest({ nodesToRead }), end);
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
