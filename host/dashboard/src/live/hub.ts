import type { StatesReply } from '@tagway/schemas';
import { parseExact } from '../api/exact-json.ts';
import { tokenCodes } from '../api/token-codes.ts';
import { EventText, type StreamEvent } from './event-text.ts';
import type { Connection, Demand, HubMessage, Reading, TabMessage } from './messages.ts';

/** Milliseconds without an event after which the stream counts as dead: two beats of the gateway and a little. */
const silence = 12_000;

/** Milliseconds to the next attempt, longer from one to the next up to the last. It never ends. */
const pauses = [500, 1000, 2000, 4000, 8000, 10_000];

/** Milliseconds between two questions while the stream does not get through. */
const pollPeriod = 2000;

/** How often the stream opens without a single event before the hub asks instead. */
const mutesBeforePolling = 2;

/** Milliseconds after which the stream is tried once more while the hub asks. */
const pollingSpell = 60_000;

/**
 * One connection to the gateway for all tabs of a browser: it holds six connections to a host, and a stream keeps one.
 * Every tab has a port; what any of them wants is asked for once, and all are told.
 */
export class Hub {
  readonly #ports = new Map<MessagePort, readonly Demand[]>();
  #base = '';
  #token: string | undefined;
  #stream: string | undefined;
  #attempt = new AbortController();
  #isRunning = false;
  #connection: Connection = { state: 'connecting', since: Date.now() };
  #mutes = 0;

  add(port: MessagePort): void {
    this.#ports.set(port, []);
    port.onmessage = ({ data }: MessageEvent<TabMessage>) => this.#hear(port, data);
    port.postMessage({ kind: 'connection', connection: this.#connection } satisfies HubMessage);
  }

  #hear(port: MessagePort, message: TabMessage): void {
    if (message.kind === 'bye') {
      this.#ports.delete(port);
      this.#change();
    } else if (message.kind === 'demand') {
      this.#ports.set(port, message.demands);
      this.#change();
    } else {
      this.#base = message.base;
      // A tab that has just come knows nothing yet: the stream begins anew and tells all there is.
      this.#token = message.token;
      this.#attempt.abort();
      void this.#run();
    }
  }

  #tell(message: HubMessage): void {
    for (const port of this.#ports.keys()) port.postMessage(message);
  }

  #be(state: Connection['state'], since = Date.now()): void {
    if (this.#connection.state === state) return;
    this.#connection = { state, since };
    this.#tell({ kind: 'connection', connection: this.#connection });
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    let failures = 0;
    while (this.#token !== undefined && this.#ports.size > 0) {
      this.#attempt = new AbortController();
      const { signal } = this.#attempt;
      const heard = await (this.#mutes >= mutesBeforePolling ? this.#poll(signal) : this.#listen(signal));
      failures = heard ? 0 : failures + 1;
      if (!signal.aborted) await sleep(pauses[Math.min(failures, pauses.length - 1)] ?? 0, signal);
    }
    this.#isRunning = false;
  }

  /** Resolves when a stream has ended, true when anything came through it. */
  async #listen(signal: AbortSignal): Promise<boolean> {
    const stop = new AbortController();
    let last = Date.now();
    let heard = false;
    const watch = setInterval(() => {
      if (Date.now() - last > silence) stop.abort();
    }, 1000);
    try {
      const response = await this.#send('POST', 'live/events', AbortSignal.any([signal, stop.signal]), {
        states: true,
        values: this.#demands(),
      });
      const body = response?.body;
      if (!body) return false;
      const text = new EventText();
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        last = Date.now();
        for (const event of text.add(value)) {
          heard = true;
          this.#mutes = 0;
          this.#be('live');
          this.#take(event);
        }
      }
    } catch {
      // Cut, unreachable or silent for too long: all the same to whoever looks at old values.
    } finally {
      clearInterval(watch);
      this.#stream = undefined;
      if (stop.signal.aborted && !heard) this.#mutes += 1;
      if (!signal.aborted) this.#be('lost', heard ? last : undefined);
    }
    return heard;
  }

  /** Asks for a while what the stream would tell, where something between here and the gateway holds streams back. */
  async #poll(signal: AbortSignal): Promise<boolean> {
    const end = Date.now() + pollingSpell;
    while (Date.now() < end && !signal.aborted && this.#ports.size > 0) {
      try {
        const reply = await this.#ask<StatesReply>('GET', 'api/v2/node/state', signal);
        if (reply === undefined) return false;
        this.#tell({ kind: 'states', full: true, states: reply.states, gone: [] });
        for (const { node, group, tags } of this.#demands()) {
          const read = await this.#ask<{ tags: Reading[]; timestamp: number }>(
            'POST',
            'api/v2/read',
            signal,
            {
              node,
              group,
            },
          );
          if (read === undefined) continue;
          const wanted = tags && new Set(tags);
          const seen = wanted === undefined ? read.tags : read.tags.filter(({ name }) => wanted.has(name));
          this.#tell({ kind: 'values', full: true, node, group, time: read.timestamp, tags: seen });
        }
        this.#be('polling');
      } catch {
        if (!signal.aborted) this.#be('lost');
        return false;
      }
      await sleep(pollPeriod, signal);
    }
    this.#mutes = mutesBeforePolling - 1;
    return true;
  }

  async #ask<Reply>(
    method: string,
    path: string,
    signal: AbortSignal,
    body?: object,
  ): Promise<Reply | undefined> {
    const response = await this.#send(method, path, signal, body);
    return response && (parseExact(await response.text()) as Reply);
  }

  async #send(
    method: string,
    path: string,
    signal: AbortSignal,
    body?: object,
  ): Promise<Response | undefined> {
    const token = this.#token;
    if (token === undefined) return undefined;
    const response = await fetch(new URL(path, this.#base), {
      method,
      signal,
      cache: 'no-store',
      headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (response.ok) return response;
    const { error } = (await response.json()) as { error?: unknown };
    if (tokenCodes.has(error)) {
      if (this.#token === token) this.#token = undefined;
      this.#tell({ kind: 'refused', token });
    }
    return undefined;
  }

  #take({ event, data }: StreamEvent): void {
    const told = parseExact(data) as Record<string, unknown>;
    if (event === 'hello') this.#stream = String(told['stream']);
    else if (event === 'states')
      this.#tell({ kind: 'states', full: false, gone: [], ...told } as unknown as HubMessage);
    else if (event === 'values')
      this.#tell({ kind: 'values', full: false, ...told } as unknown as HubMessage);
    else if (event === 'group') this.#tell({ kind: 'group', ...told } as unknown as HubMessage);
  }

  /** What all tabs want, each group once. */
  #demands(): Demand[] {
    const groups = new Map<string, { node: string; group: string; tags: Set<string> | undefined }>();
    for (const { node, group, tags } of [...this.#ports.values()].flat()) {
      const key = `${node}\n${group}`;
      const known = groups.get(key);
      if (known === undefined) groups.set(key, { node, group, tags: tags && new Set(tags) });
      else if (tags === undefined) known.tags = undefined;
      else for (const tag of tags) known.tags?.add(tag);
    }
    return [...groups.values()].map(({ node, group, tags }) => ({
      node,
      group,
      ...(tags && { tags: [...tags] }),
    }));
  }

  /** Tells the stream what is wanted now. One that cannot be changed is opened anew. */
  #change(): void {
    if (this.#ports.size === 0) this.#attempt.abort();
    const stream = this.#stream;
    if (stream === undefined) return;
    const { signal } = this.#attempt;
    this.#send('PUT', 'live/events', signal, { stream, values: this.#demands() })
      .then((response) => {
        if (response === undefined) this.#attempt.abort();
      })
      .catch(() => this.#attempt.abort());
  }
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
