import type { StatesReply } from '@tagway/schemas';
import { ask, pause, Refusal, request, type Access } from './gateway-access.ts';
import type { Connection, Demand, HubMessage, Reading } from './messages.ts';
import { listen } from './stream.ts';

/** Milliseconds. */
const times = {
  /** Between two questions while the stream does not get through. */
  poll: 2000,
  /** Between two questions while nothing does; it never ends, so that the return is seen within two seconds. */
  probe: 600,
  /** For one question to be answered. Several may be under way: what was sent into an outage often hangs. */
  answer: 3000,
  /** For the first question after the stream fell silent, before the connection counts as lost. */
  doubt: 2500,
  /** That a stream lives at least. One that ends earlier, while the gateway answers, is cut by something in between. */
  shortest: 3000,
  /** Before the stream is tried again while the page asks, longer from one to the next up to the last. */
  trials: [5000, 10_000, 20_000, 40_000, 60_000],
} as const;

/** Beats in time after which a stream is trusted again. */
const goodBeats = 2;

/** What the link tells, and whom it asks what is wanted. */
export interface LinkUser {
  readonly tell: (message: HubMessage) => void;
  readonly demands: () => readonly Demand[];
}

/**
 * The one way to the gateway: a stream; questions again and again where something in between holds streams back; and while nothing
 * gets through, knocking until it does.
 */
export class Link {
  readonly #user: LinkUser;
  #access: Access | undefined;
  #stream: string | undefined;
  #attempt = new AbortController();
  #isRunning = false;
  /** Whether streams are held back somewhere, while questions are answered. */
  #isMute = false;
  #connection: Connection = { state: 'connecting', since: Date.now() };
  #heardAt = Date.now();
  #hurry: (() => void) | undefined;

  constructor(user: LinkUser) {
    this.#user = user;
  }

  get connection(): Connection {
    return this.#connection;
  }

  /** Connects, or goes on where it is already connected as the same; undefined: ends. */
  use(access: Access | undefined): void {
    if (access?.token === this.#access?.token && access?.base === this.#access?.base) return;
    this.#access = access;
    this.#isMute = false;
    this.#attempt.abort();
    void this.#run();
  }

  /** To be called when others are wanted. A stream that cannot be changed is opened anew. */
  changed(): void {
    this.#hurry?.();
    const [access, stream, { signal }] = [this.#access, this.#stream, this.#attempt];
    if (access === undefined || stream === undefined) return;
    const reopen = (): void => {
      if (this.#stream === stream) this.#attempt.abort();
    };
    request(access, ['PUT', 'live/events'], signal, { stream, values: this.#user.demands() }).catch(reopen);
  }

  #be(state: Connection['state'], since = Date.now()): void {
    if (this.#connection.state === state) return;
    this.#connection = { state, since };
    this.#user.tell({ kind: 'connection', connection: this.#connection });
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (let access = this.#access; access !== undefined; access = this.#access) {
      const { signal } = (this.#attempt = new AbortController());
      try {
        await (this.#isMute ? this.#poll(access, signal) : this.#follow(access, signal));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (this.#access === access) this.#access = undefined;
        this.#user.tell({ kind: 'refused', token: access.token });
      } finally {
        this.#attempt.abort();
      }
    }
    this.#isRunning = false;
  }

  /** Listens as long as the stream goes on, then waits until the gateway answers again. */
  async #follow(access: Access, signal: AbortSignal): Promise<void> {
    const from = Date.now();
    const wants = { states: true, values: this.#user.demands() };
    const end = await listen(access, wants, signal, (event, data) => {
      this.#heardAt = Date.now();
      if (event === 'hello') {
        this.#stream = String(data['stream']);
        // What was wanted since the stream was asked for.
        if (JSON.stringify(wants.values) !== JSON.stringify(this.#user.demands())) this.changed();
      }
      if (event !== 'end') this.#be('live');
      if (event === 'states')
        this.#user.tell({ kind: 'states', full: false, gone: [], ...data } as unknown as HubMessage);
      else if (event === 'values')
        this.#user.tell({ kind: 'values', full: false, ...data } as unknown as HubMessage);
      else if (event === 'group') this.#user.tell({ kind: 'group', ...data } as unknown as HubMessage);
    }).finally(() => (this.#stream = undefined));
    if (signal.aborted) return;
    const wasThere = await this.#regain(access, signal);
    // Everything but the stream gets through.
    if (wasThere && (end === 'silent' || Date.now() - from < times.shortest)) this.#isMute = true;
  }

  /** Knocks until the gateway answers. True when it did at once. */
  async #regain(access: Access, signal: AbortSignal): Promise<boolean> {
    const over = new AbortController();
    const end = (): void => over.abort();
    signal.addEventListener('abort', end);
    let isAtOnce = true;
    let refusal: Refusal | undefined;
    const lose = (): void => {
      if (over.signal.aborted) return;
      isAtOnce = false;
      this.#be('lost', this.#heardAt);
    };
    const doubt = setTimeout(lose, times.doubt);
    const knock = async (): Promise<void> => {
      try {
        await withLimit(over.signal, (limited) => ask(access, ['GET', 'api/v2/node/state'], limited));
      } catch (error) {
        if (!(error instanceof Refusal)) return lose();
        if (error.isOfToken) refusal = error;
      }
      over.abort();
    };
    while (!over.signal.aborted) {
      void knock();
      await pause(times.probe, over.signal);
    }
    clearTimeout(doubt);
    signal.removeEventListener('abort', end);
    if (refusal !== undefined) throw refusal;
    return isAtOnce;
  }

  /** Asks what the stream would tell, until a stream gets through again or nothing does. */
  async #poll(access: Access, signal: AbortSignal): Promise<void> {
    const spell = new AbortController();
    const end = (): void => spell.abort();
    signal.addEventListener('abort', end);
    void this.#tryStreams(access, spell.signal).then(end);
    try {
      while (!spell.signal.aborted) {
        await withLimit(spell.signal, (limited) => this.#askAll(access, limited));
        this.#be('polling');
        this.#heardAt = Date.now();
        const next = new AbortController();
        this.#hurry = () => next.abort();
        spell.signal.addEventListener('abort', this.#hurry);
        await pause(times.poll, next.signal);
      }
    } catch (error) {
      if (error instanceof Refusal) throw error;
      if (!signal.aborted && this.#isMute) await this.#regain(access, signal);
    } finally {
      this.#hurry = undefined;
      spell.abort();
      signal.removeEventListener('abort', end);
    }
  }

  /** Resolves once a stream has kept its beat, or the signal is aborted. What it would tell is not asked for: it might be old. */
  async #tryStreams(access: Access, signal: AbortSignal): Promise<void> {
    for (let turn = 0; !signal.aborted; turn += 1) {
      await pause(times.trials[Math.min(turn, times.trials.length - 1)] ?? 0, signal);
      if (signal.aborted) return;
      const trial = new AbortController();
      const end = (): void => trial.abort();
      signal.addEventListener('abort', end);
      let beats = 0;
      await listen(access, { states: false, values: [] }, trial.signal, (event) => {
        if (event === 'beat' && (beats += 1) === goodBeats) end();
      }).catch(() => undefined);
      signal.removeEventListener('abort', end);
      if (beats < goodBeats) continue;
      this.#isMute = false;
      return;
    }
  }

  async #askAll(access: Access, signal: AbortSignal): Promise<void> {
    const { states } = await ask<StatesReply>(access, ['GET', 'api/v2/node/state'], signal);
    this.#user.tell({ kind: 'states', full: true, states, gone: [] });
    for (const demand of this.#user.demands()) this.#user.tell(await valuesOf(access, demand, signal));
  }
}

interface Read {
  readonly tags: readonly Reading[];
  readonly timestamp: number;
}

/** The values of a group, or why there are none. */
async function valuesOf(access: Access, demand: Demand, signal: AbortSignal): Promise<HubMessage> {
  const { node, group, tags } = demand;
  try {
    const read = await ask<Read>(access, ['POST', 'api/v2/read'], signal, { node, group });
    const wanted = tags && new Set(tags);
    const seen = wanted === undefined ? read.tags : read.tags.filter(({ name }) => wanted.has(name));
    return { kind: 'values', full: true, node, group, time: read.timestamp, tags: seen };
  } catch (error) {
    if (!(error instanceof Refusal) || error.isOfToken) throw error;
    return { kind: 'group', node, group, error: error.code, message: error.message };
  }
}

/** Does something that ends with the signal, and after a time that questions may take. */
async function withLimit<Result>(
  signal: AbortSignal,
  work: (limited: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limited = new AbortController();
  const end = (): void => limited.abort();
  const timer = setTimeout(end, times.answer);
  signal.addEventListener('abort', end);
  try {
    return await work(limited.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}
