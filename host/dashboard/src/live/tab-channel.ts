import { Hub } from './hub.ts';
import type { HubMessage, TabMessage } from './messages.ts';

/** Milliseconds. */
const times = {
  /** Wait of a new tab for a leader's answer, plus a random part of the same length: of many tabs opened together one leads first. */
  firstAnswer: 300,
  /** Between two questions to the leader. The timers of a tab in the background are slow, but it answers at once. */
  askInterval: 2000,
  /** Without an answer of the leader before a tab takes over, plus a random part. */
  leaderTimeout: 6000,
  leaderTimeoutSpread: 4000,
  /** Without a question before a tab counts as closed; a tab in the background asks once a minute. */
  followerTimeout: 180_000,
} as const;

type ChannelMessage =
  | { readonly word: 'ask'; readonly from: string }
  /** From the leader. `knows` are the tabs that it serves. */
  | { readonly word: 'lead'; readonly from: string; readonly knows: readonly string[] }
  /** The leader is closed; `next` leads from now on. */
  | { readonly word: 'leave'; readonly from: string; readonly next: string }
  | { readonly word: 'up'; readonly from: string; readonly message: TabMessage }
  | { readonly word: 'down'; readonly to: string; readonly message: HubMessage };

interface Follower {
  readonly port: MessagePort;
  askedAt: number;
}

/**
 * One hub for all tabs of a browser without shared workers. The leader, one of the tabs, runs the hub. When it is closed or does not
 * answer, another tab takes over.
 */
export class TabChannel {
  readonly #id = crypto.getRandomValues(new Uint32Array(2)).join('-');
  readonly #channel: BroadcastChannel;
  readonly #page: MessagePort;
  readonly #followers = new Map<string, Follower>();
  #hub: Hub | undefined;
  #leader = '';
  #answeredAt = Date.now();
  readonly #leaderTimeout = times.leaderTimeout + times.leaderTimeoutSpread * Math.random();
  /** The last message of each kind, to send to the next leader. */
  readonly #lastMessages = new Map<TabMessage['kind'], TabMessage>();

  /** Takes the hub's end of a page's message channel. */
  constructor(base: string, page: MessagePort) {
    this.#channel = new BroadcastChannel(`tagway ${base}`);
    this.#page = page;
    page.onmessage = ({ data }: MessageEvent<TabMessage>) => this.#fromPage(data);
    this.#channel.onmessage = ({ data }: MessageEvent<ChannelMessage>) => this.#onMessage(data);
    this.#post({ word: 'ask', from: this.#id });
    setTimeout(
      () => {
        if (this.#leader === '') this.#lead();
      },
      times.firstAnswer * (1 + Math.random()),
    );
    setInterval(() => this.#check(), times.askInterval);
  }

  #post(message: ChannelMessage): void {
    this.#channel.postMessage(message);
  }

  #fromPage(message: TabMessage): void {
    if (message.kind === 'bye') {
      const next = [...this.#followers.keys()].find((key) => key !== this.#id) ?? '';
      if (this.#hub !== undefined) this.#post({ word: 'leave', from: this.#id, next });
    } else {
      this.#lastMessages.set(message.kind, message);
    }
    if (this.#hub !== undefined) this.#followers.get(this.#id)?.port.postMessage(message);
    else this.#post({ word: 'up', from: this.#id, message });
  }

  #check(): void {
    const now = Date.now();
    if (this.#hub === undefined) {
      if (now - this.#answeredAt > this.#leaderTimeout) this.#lead();
      else this.#post({ word: 'ask', from: this.#id });
      return;
    }
    for (const [key, { port, askedAt }] of this.#followers) {
      if (key === this.#id || now - askedAt < times.followerTimeout) continue;
      port.postMessage({ kind: 'bye' } satisfies TabMessage);
      this.#followers.delete(key);
    }
  }

  #onMessage(message: ChannelMessage): void {
    if (message.word === 'down') {
      if (message.to === this.#id && this.#hub === undefined) this.#page.postMessage(message.message);
    } else if (message.word === 'lead') {
      this.#onLeader(message.from, message.knows);
    } else if (message.word === 'leave') {
      if (message.next === this.#id && this.#hub === undefined) this.#lead();
    } else if (this.#hub !== undefined) {
      const { port } = this.#follower(message.from);
      if (message.word === 'up') port.postMessage(message.message);
      else this.#announce();
    }
  }

  #onLeader(from: string, knows: readonly string[]): void {
    if (this.#hub !== undefined) {
      if (from > this.#id) return this.#announce();
      for (const { port } of this.#followers.values()) {
        port.postMessage({ kind: 'bye' } satisfies TabMessage);
      }
      this.#followers.clear();
      this.#hub = undefined;
    }
    const isKnown = this.#leader === from && knows.includes(this.#id);
    this.#leader = from;
    this.#answeredAt = Date.now();
    if (isKnown) return;
    for (const message of this.#lastMessages.values()) this.#post({ word: 'up', from: this.#id, message });
  }

  #lead(): void {
    this.#leader = this.#id;
    this.#hub = new Hub();
    const { port } = this.#follower(this.#id);
    for (const message of this.#lastMessages.values()) port.postMessage(message);
    this.#announce();
  }

  #announce(): void {
    this.#post({ word: 'lead', from: this.#id, knows: [...this.#followers.keys()] });
  }

  #follower(key: string): Follower {
    const known = this.#followers.get(key);
    if (known !== undefined) {
      known.askedAt = Date.now();
      return known;
    }
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }: MessageEvent<HubMessage>) => {
      if (key === this.#id) this.#page.postMessage(data);
      else this.#post({ word: 'down', to: key, message: data });
    };
    this.#hub?.add(port2);
    const follower = { port: port1, askedAt: Date.now() };
    this.#followers.set(key, follower);
    return follower;
  }
}
