import type { Log } from '@tagway/sdk';
import type { PairMember } from '../core/pair.ts';
import { type Etcd, prefixEnd, Refused } from './etcd.ts';
import { Unreachable } from './ports.ts';

/** A gateway of the pair as it says of itself in etcd, for as long as it is there. */
export interface Member extends PairMember {
  /** Number of the last entry of the configuration log that it has taken over. */
  readonly applied: number;
}

export interface MembersOptions {
  readonly etcd: Etcd;
  /** The pair's name in etcd. */
  readonly pairId: string;
  /** How this gateway is at this moment. Its name and URL stay as they are. */
  readonly own: () => Member;
  readonly log: Pick<Log, 'warn'>;
}

const times = {
  /** Seconds after which a gateway that says nothing is not there any more. */
  life: 5,
  /** Milliseconds between two words of a gateway. */
  beat: 500,
} as const;

/** Says in etcd that this gateway is there, and knows which others are: keys under `/tagway/<pair>/member/`, each with a lease. */
export class Members {
  readonly #options: MembersOptions;
  readonly #folder: string;
  #others: readonly Member[] = [];
  /** When they were read, by a clock that never jumps. */
  #readAt = -Infinity;
  #lease: string | undefined;
  /** What etcd has of this gateway under its lease. */
  #told = '';
  /** Since when another gateway of the same name is there. */
  #namesakeSince: number | undefined;
  #hasWarned = false;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: MembersOptions) {
    this.#options = options;
    this.#folder = `/tagway/${options.pairId}/member/`;
  }

  get own(): Member {
    return this.#options.own();
  }

  /** The other gateways of the pair that are there; none while etcd has not answered for as long as one that is gone stays in it. */
  get others(): readonly Member[] {
    return performance.now() - this.#readAt > 1000 * times.life ? [] : this.#others;
  }

  /** Resolves when the first word was said, or could not be. */
  start(): Promise<void> {
    return (this.#beating = this.#beat());
  }

  /** This gateway is not there any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#beating;
    // Without an answer the lease ends by itself.
    if (this.#lease !== undefined) await this.#options.etcd.revoke(this.#lease).catch(passOver);
  }

  async #beat(): Promise<void> {
    try {
      await this.#look();
      await this.#tell();
    } catch (error) {
      passOver(error);
    }
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void (this.#beating = this.#beat()), times.beat);
  }

  async #tell(): Promise<void> {
    const { etcd } = this.#options;
    const { own } = this;
    if (this.#lease !== undefined && !(await etcd.keepAlive(this.#lease))) this.#lease = undefined;
    if (this.#lease === undefined) {
      this.#told = '';
      this.#lease = await etcd.grant(times.life);
    }
    const value = JSON.stringify(own);
    if (value === this.#told || this.#namesakeSince !== undefined) return;
    await etcd.txn({
      compare: [],
      success: [{ put: this.#folder + encodeURIComponent(own.name), value, lease: this.#lease }],
    });
    this.#told = value;
  }

  async #look(): Promise<void> {
    const { etcd } = this.#options;
    const { own } = this;
    const { kvs } = await etcd.range({ key: this.#folder, end: prefixEnd(this.#folder) });
    const members = kvs.flatMap(({ value }) => memberOf(value.toString()) ?? []);
    this.#others = members.filter(({ name }) => name !== own.name);
    this.#readAt = performance.now();
    this.#seeNamesake(members.find(({ name, url }) => name === own.name && url !== own.url));
  }

  /** Of two gateways with one name, the second lets the first be seen. It may be this one itself, from before it got another address. */
  #seeNamesake(member: Member | undefined): void {
    this.#namesakeSince = member === undefined ? undefined : (this.#namesakeSince ?? performance.now());
    if (member === undefined || this.#namesakeSince === undefined || this.#hasWarned) return;
    if (performance.now() - this.#namesakeSince < 1000 * (times.life + 1)) return;
    this.#hasWarned = true;
    this.#options.log.warn(
      `Two gateways of the pair are called "${member.name}": this one, and the one at ${member.url}. Start each with a --name of its own.`,
    );
  }
}

/** Whoever is there is told again with the next beat. */
function passOver(error: unknown): void {
  if (!(error instanceof Unreachable) && !(error instanceof Refused)) throw error;
}

/** Undefined where something else stands than a gateway writes. */
function memberOf(text: string): Member | undefined {
  try {
    const { name, url, ready, version, applied } = JSON.parse(text) as Record<string, unknown>;
    if (typeof name !== 'string' || typeof url !== 'string') return undefined;
    return { name, url, ready: ready === true, version: String(version), applied: Number(applied) };
  } catch {
    return undefined;
  }
}
