import type { Log } from '@tagway/sdk';
import type { PairMember } from '../core/ports/pair.ts';
import { type Etcd, prefixEnd, Refused } from './etcd/etcd.ts';
import { encodeName } from './etcd/names.ts';
import { Unreachable } from './ports.ts';

/** A gateway of the pair as it registers itself in etcd, for as long as it runs. */
export interface Member extends PairMember {
  /** Number of the last entry of the configuration log that it has taken over. */
  readonly applied: number;
}

export interface MembersOptions {
  readonly etcd: Etcd;
  /** The pair's name in etcd. */
  readonly pairId: string;
  /** This gateway at this moment. Its name and URL do not change. */
  readonly own: () => Member;
  readonly log: Pick<Log, 'warn'>;
  /** Called when the names or the URLs of the others have changed. */
  readonly changed?: () => void;
}

const times = {
  /** Seconds after which a gateway that renews nothing counts as gone. */
  life: 5,
  /** Milliseconds between two renewals. */
  beat: 500,
} as const;

/** Registers this gateway in etcd, and knows which others are registered: keys under `/tagway/<pair>/member/`, each with a lease. */
export class Members {
  readonly #options: MembersOptions;
  readonly #folder: string;
  #others: readonly Member[] = [];
  /** When they were read, by a clock that never jumps. */
  #readAt = -Infinity;
  #lease: string | undefined;
  /** What etcd has of this gateway under its lease. */
  #registered = '';
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

  /** The other gateways of the pair that run; empty when etcd has not answered for the life of a registration. */
  get others(): readonly Member[] {
    return performance.now() - this.#readAt > 1000 * times.life ? [] : this.#others;
  }

  /** Resolves after the first attempt to register. */
  start(): Promise<void> {
    return (this.#beating = this.#beat());
  }

  /** Removes the registration. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#beating;
    // Without an answer the lease ends by itself.
    if (this.#lease !== undefined) await this.#options.etcd.revoke(this.#lease).catch(ignoreNoAnswer);
  }

  async #beat(): Promise<void> {
    try {
      await this.#look();
      await this.#register();
    } catch (error) {
      ignoreNoAnswer(error);
    }
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void (this.#beating = this.#beat()), times.beat);
  }

  async #register(): Promise<void> {
    const { etcd } = this.#options;
    const { own } = this;
    if (this.#lease !== undefined && !(await etcd.keepAlive(this.#lease))) this.#lease = undefined;
    if (this.#lease === undefined) {
      this.#registered = '';
      this.#lease = await etcd.grant(times.life);
    }
    const value = JSON.stringify(own);
    if (value === this.#registered || this.#namesakeSince !== undefined) return;
    await etcd.txn({
      compare: [],
      success: [{ put: this.#folder + encodeName(own.name), value, lease: this.#lease }],
    });
    this.#registered = value;
  }

  async #look(): Promise<void> {
    const { etcd } = this.#options;
    const { own } = this;
    const { kvs } = await etcd.range({ key: this.#folder, end: prefixEnd(this.#folder) });
    const members = kvs.flatMap(({ value }) => memberOf(value.toString()) ?? []);
    // It was deleted, and not with its lease: by hand, or with all that etcd had of the pair.
    if (!members.some(({ name }) => name === own.name)) this.#registered = '';
    const before = placesOf(this.#others);
    this.#others = members.filter(({ name }) => name !== own.name);
    this.#readAt = performance.now();
    if (placesOf(this.#others) !== before) this.#options.changed?.();
    this.#seeNamesake(members.find(({ name, url }) => name === own.name && url !== own.url));
  }

  /** Of two gateways with one name the first stays registered. A namesake may be this gateway itself, from before it got another address. */
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

const placesOf = (members: readonly Member[]): string =>
  JSON.stringify(members.map(({ name, url }) => [name, url]));

/** The next beat tries again. */
function ignoreNoAnswer(error: unknown): void {
  if (!(error instanceof Unreachable) && !(error instanceof Refused)) throw error;
}

/** Undefined for a text that no gateway has written. */
function memberOf(text: string): Member | undefined {
  try {
    const { name, url, ready, version, applied } = JSON.parse(text) as Record<string, unknown>;
    if (typeof name !== 'string' || typeof url !== 'string') return undefined;
    return { name, url, ready: ready === true, version: String(version), applied: Number(applied) };
  } catch {
    return undefined;
  }
}
