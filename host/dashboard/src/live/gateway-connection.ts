import type { StatesReply } from '@tagway/schemas';
import { ask, pause, GatewayError, request, type Access } from './gateway-access.ts';
import type { Connection, Demand, HubMessage, TagValue } from './messages.ts';
import { listen } from './stream.ts';

/** Milliseconds. */
const times = {
  /** Between two requests while the stream is blocked. */
  pollInterval: 2000,
  /** Between two requests while the gateway does not answer; a gateway that is back is noticed within two seconds. */
  probeInterval: 600,
  /** For a reply to one request. Several may be in flight: a request that is sent during an outage often hangs. */
  answerTimeout: 3000,
  /** After a stream has ended, without a reply, before the connection counts as lost. */
  lostAfter: 2500,
  /** Shortest stream. One that ends earlier, while the gateway answers, is cut by a proxy in between. */
  shortestStream: 3000,
  /** Before each new attempt to open a stream while the hub polls; the last one repeats. */
  streamRetries: [5000, 10_000, 20_000, 40_000, 60_000],
} as const;

/** A stream is used again after this number of beats. */
const beatsNeeded = 2;

/** Who uses the connection: it receives messages and knows the demands. */
export interface ConnectionUser {
  readonly receive: (message: HubMessage) => void;
  readonly demands: () => readonly Demand[];
}

/**
 * The connection of all tabs to the gateway. It reads a stream of events. While a proxy in between blocks streams, it polls. While the
 * gateway does not answer, it probes until it does.
 */
export class GatewayConnection {
  readonly #user: ConnectionUser;
  #access: Access | undefined;
  #stream: string | undefined;
  #attempt = new AbortController();
  #isRunning = false;
  /** Whether streams are blocked while requests are answered. */
  #isStreamBlocked = false;
  #connection: Connection = { state: 'connecting', since: Date.now() };
  #receivedAt = Date.now();
  /** How far the gateway's clock is ahead of this computer's; undefined while that is not known. */
  #ahead: number | undefined;
  #pollNow: (() => void) | undefined;

  constructor(user: ConnectionUser) {
    this.#user = user;
  }

  get connection(): Connection {
    return this.#connection;
  }

  /** Connects with an address and a token; nothing happens when they are the same as before. Undefined disconnects. */
  use(access: Access | undefined): void {
    if (access?.token === this.#access?.token && access?.base === this.#access?.base) return;
    this.#access = access;
    this.#ahead = undefined;
    this.#isStreamBlocked = false;
    this.#attempt.abort();
    void this.#run();
  }

  /** Call it when the demands change. A stream that refuses the new demands is opened again. */
  demandsChanged(): void {
    this.#pollNow?.();
    const access = this.#access;
    const stream = this.#stream;
    const { signal } = this.#attempt;
    if (access === undefined || stream === undefined) return;
    const reopen = (): void => {
      if (this.#stream === stream) this.#attempt.abort();
    };
    request(access, ['PUT', 'live/events'], signal, { stream, values: this.#user.demands() }).catch(reopen);
  }

  #setState(state: Connection['state'], since = Date.now()): void {
    if (this.#connection.state === state) return;
    this.#connection = { state, since };
    this.#user.receive({ kind: 'connection', connection: this.#connection });
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (let access = this.#access; access !== undefined; access = this.#access) {
      const { signal } = (this.#attempt = new AbortController());
      try {
        await (this.#isStreamBlocked ? this.#poll(access, signal) : this.#readStream(access, signal));
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        if (this.#access === access) this.#access = undefined;
        this.#user.receive({ kind: 'refused', token: access.token });
      } finally {
        this.#attempt.abort();
      }
    }
    this.#isRunning = false;
  }

  /** Reads a stream until it ends, then waits until the gateway answers. */
  async #readStream(access: Access, signal: AbortSignal): Promise<void> {
    const from = Date.now();
    const wants = { states: true, values: this.#user.demands() };
    const end = await listen(access, wants, signal, ({ event, data }) => {
      this.#receivedAt = Date.now();
      if (event === 'hello') {
        this.#stream = data.stream;
        // The demands may have changed since the stream was requested.
        if (JSON.stringify(wants.values) !== JSON.stringify(this.#user.demands())) this.demandsChanged();
      }
      if (event === 'hello' || event === 'beat') this.#ahead = data.time - Date.now();
      if (event !== 'end') this.#setState('live');
      if (event === 'states') this.#user.receive({ kind: 'states', full: false, gone: [], ...data });
      else if (event === 'values')
        this.#user.receive({ kind: 'values', full: false, ...this.#clock(), ...data });
      else if (event === 'group') this.#user.receive({ kind: 'group', ...data });
    }).finally(() => (this.#stream = undefined));
    if (signal.aborted) return;
    const answeredAtOnce = await this.#probe(access, signal);
    // The gateway answers requests, so something in between blocks the stream.
    if (answeredAtOnce && (end === 'silent' || Date.now() - from < times.shortestStream))
      this.#isStreamBlocked = true;
  }

  #clock(): { readonly ahead?: number } {
    return this.#ahead === undefined ? {} : { ahead: this.#ahead };
  }

  /** Sends probes until the gateway answers. True when it answers at once. */
  async #probe(access: Access, signal: AbortSignal): Promise<boolean> {
    const done = new AbortController();
    const end = (): void => done.abort();
    signal.addEventListener('abort', end);
    let answeredAtOnce = true;
    let tokenError: GatewayError | undefined;
    const setLost = (): void => {
      if (done.signal.aborted) return;
      answeredAtOnce = false;
      this.#setState('lost', this.#receivedAt);
    };
    const lostTimer = setTimeout(setLost, times.lostAfter);
    const send = async (): Promise<void> => {
      try {
        await withTimeout(done.signal, (limited) => ask(access, ['GET', 'api/v2/node/state'], limited));
      } catch (error) {
        if (!(error instanceof GatewayError)) return setLost();
        if (error.isTokenError) tokenError = error;
      }
      done.abort();
    };
    while (!done.signal.aborted) {
      void send();
      await pause(times.probeInterval, done.signal);
    }
    clearTimeout(lostTimer);
    signal.removeEventListener('abort', end);
    if (tokenError !== undefined) throw tokenError;
    return answeredAtOnce;
  }

  /** Polls what the stream would send, until a stream works again or the gateway does not answer. */
  async #poll(access: Access, signal: AbortSignal): Promise<void> {
    const polling = new AbortController();
    const end = (): void => polling.abort();
    signal.addEventListener('abort', end);
    void this.#testStreams(access, polling.signal).then(end);
    try {
      while (!polling.signal.aborted) {
        await withTimeout(polling.signal, (limited) => this.#pollOnce(access, limited));
        this.#setState('polling');
        this.#receivedAt = Date.now();
        const next = new AbortController();
        this.#pollNow = () => next.abort();
        polling.signal.addEventListener('abort', this.#pollNow);
        await pause(times.pollInterval, next.signal);
      }
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      if (!signal.aborted && this.#isStreamBlocked) await this.#probe(access, signal);
    } finally {
      this.#pollNow = undefined;
      polling.abort();
      signal.removeEventListener('abort', end);
    }
  }

  /** Resolves when a test stream has sent its beats, or the signal is aborted. It requests no values: they might arrive late. */
  async #testStreams(access: Access, signal: AbortSignal): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      await pause(times.streamRetries[Math.min(attempt, times.streamRetries.length - 1)] ?? 0, signal);
      if (signal.aborted) return;
      const stop = new AbortController();
      const end = (): void => stop.abort();
      signal.addEventListener('abort', end);
      let beats = 0;
      await listen(access, { states: false, values: [] }, stop.signal, ({ event }) => {
        if (event === 'beat' && (beats += 1) === beatsNeeded) end();
      }).catch(() => undefined);
      signal.removeEventListener('abort', end);
      if (beats < beatsNeeded) continue;
      this.#isStreamBlocked = false;
      return;
    }
  }

  async #pollOnce(access: Access, signal: AbortSignal): Promise<void> {
    const { states } = await ask<StatesReply>(access, ['GET', 'api/v2/node/state'], signal);
    this.#user.receive({ kind: 'states', full: true, states, gone: [] });
    for (const demand of this.#user.demands()) {
      const message = await valuesOf(access, demand, signal);
      this.#user.receive(message.kind === 'values' ? { ...message, ...this.#clock() } : message);
    }
  }
}

interface ReadReply {
  readonly tags: readonly TagValue[];
  readonly timestamp: number;
}

/** The values of a group, or why there are none. */
async function valuesOf(access: Access, demand: Demand, signal: AbortSignal): Promise<HubMessage> {
  const { node, group, tags } = demand;
  try {
    const read = await ask<ReadReply>(access, ['POST', 'api/v2/read'], signal, {
      node,
      group,
      meta: true,
    });
    const wanted = tags && new Set(tags);
    const seen = wanted === undefined ? read.tags : read.tags.filter(({ name }) => wanted.has(name));
    return { kind: 'values', full: true, node, group, time: read.timestamp, tags: seen };
  } catch (error) {
    if (!(error instanceof GatewayError) || error.isTokenError) throw error;
    return { kind: 'group', node, group, error: error.code, message: error.message };
  }
}

/** Runs work with a signal that is aborted by the other signal, or after the timeout of a request. */
async function withTimeout<Result>(
  signal: AbortSignal,
  work: (limited: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limited = new AbortController();
  const end = (): void => limited.abort();
  const timer = setTimeout(end, times.answerTimeout);
  signal.addEventListener('abort', end);
  try {
    return await work(limited.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}
