import { Hub } from './hub.ts';
import type { HubMessage, TabMessage } from './messages.ts';

/** Milliseconds. */
const times = {
  /** For a leader to answer who has just come, and as much again by chance: of many tabs that open together one is first. */
  answer: 300,
  /** Between two questions whether the leader is there. A leader that nobody sees is slow at timers, not at answers. */
  ask: 2000,
  /** Without an answer after which another one leads, and up to so much more by chance. */
  patience: 6000,
  chance: 4000,
  /** Without a question after which a tab counts as gone; a tab that nobody sees asks once a minute. */
  absence: 180_000,
} as const;

type Word =
  | { readonly word: 'ask'; readonly from: string }
  /** From the leader. `knows` is whom it has heard of. */
  | { readonly word: 'lead'; readonly from: string; readonly knows: readonly string[] }
  /** The leader goes; `next` leads from now on. */
  | { readonly word: 'leave'; readonly from: string; readonly next: string }
  | { readonly word: 'up'; readonly from: string; readonly message: TabMessage }
  | { readonly word: 'down'; readonly to: string; readonly message: HubMessage };

interface Follower {
  readonly port: MessagePort;
  askedAt: number;
}

/**
 * One hub for all tabs of a browser that has no shared workers: one of the tabs has it and leads. When it goes or falls silent,
 * another takes over.
 */
export class TabChannel {
  readonly #me = crypto.getRandomValues(new Uint32Array(2)).join('-');
  readonly #channel: BroadcastChannel;
  readonly #page: MessagePort;
  readonly #followers = new Map<string, Follower>();
  #hub: Hub | undefined;
  #leader = '';
  #answeredAt = Date.now();
  readonly #patience = times.patience + times.chance * Math.random();
  /** The last of each kind, for whoever leads next. */
  readonly #said = new Map<TabMessage['kind'], TabMessage>();

  /** Takes the end of a tab's channel to which a hub would listen. */
  constructor(base: string, page: MessagePort) {
    this.#channel = new BroadcastChannel(`tagway ${base}`);
    this.#page = page;
    page.onmessage = ({ data }: MessageEvent<TabMessage>) => this.#up(data);
    this.#channel.onmessage = ({ data }: MessageEvent<Word>) => this.#hear(data);
    this.#say({ word: 'ask', from: this.#me });
    setTimeout(
      () => {
        if (this.#leader === '') this.#lead();
      },
      times.answer * (1 + Math.random()),
    );
    setInterval(() => this.#look(), times.ask);
  }

  #say(word: Word): void {
    this.#channel.postMessage(word);
  }

  #up(message: TabMessage): void {
    if (message.kind === 'bye') {
      const next = [...this.#followers.keys()].find((key) => key !== this.#me) ?? '';
      if (this.#hub !== undefined) this.#say({ word: 'leave', from: this.#me, next });
    } else {
      this.#said.set(message.kind, message);
    }
    if (this.#hub !== undefined) this.#followers.get(this.#me)?.port.postMessage(message);
    else this.#say({ word: 'up', from: this.#me, message });
  }

  #look(): void {
    const now = Date.now();
    if (this.#hub === undefined) {
      if (now - this.#answeredAt > this.#patience) this.#lead();
      else this.#say({ word: 'ask', from: this.#me });
      return;
    }
    for (const [key, { port, askedAt }] of this.#followers) {
      if (key === this.#me || now - askedAt < times.absence) continue;
      port.postMessage({ kind: 'bye' } satisfies TabMessage);
      this.#followers.delete(key);
    }
  }

  #hear(word: Word): void {
    if (word.word === 'down') {
      if (word.to === this.#me && this.#hub === undefined) this.#page.postMessage(word.message);
    } else if (word.word === 'lead') {
      this.#hearLeader(word.from, word.knows);
    } else if (word.word === 'leave') {
      if (word.next === this.#me && this.#hub === undefined) this.#lead();
    } else if (this.#hub !== undefined) {
      const { port } = this.#follower(word.from);
      if (word.word === 'up') port.postMessage(word.message);
      else this.#announce();
    }
  }

  #hearLeader(from: string, knows: readonly string[]): void {
    if (this.#hub !== undefined) {
      if (from > this.#me) return this.#announce();
      for (const { port } of this.#followers.values()) {
        port.postMessage({ kind: 'bye' } satisfies TabMessage);
      }
      this.#followers.clear();
      this.#hub = undefined;
    }
    const isKnown = this.#leader === from && knows.includes(this.#me);
    this.#leader = from;
    this.#answeredAt = Date.now();
    if (isKnown) return;
    for (const message of this.#said.values()) this.#say({ word: 'up', from: this.#me, message });
  }

  #lead(): void {
    this.#leader = this.#me;
    this.#hub = new Hub();
    const { port } = this.#follower(this.#me);
    for (const message of this.#said.values()) port.postMessage(message);
    this.#announce();
  }

  #announce(): void {
    this.#say({ word: 'lead', from: this.#me, knows: [...this.#followers.keys()] });
  }

  #follower(key: string): Follower {
    const known = this.#followers.get(key);
    if (known !== undefined) {
      known.askedAt = Date.now();
      return known;
    }
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }: MessageEvent<HubMessage>) => {
      if (key === this.#me) this.#page.postMessage(data);
      else this.#say({ word: 'down', to: key, message: data });
    };
    this.#hub?.add(port2);
    const follower = { port: port1, askedAt: Date.now() };
    this.#followers.set(key, follower);
    return follower;
  }
}
