import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import type { Client, Reply } from '../kit/client.ts';
import { sleep, until } from '../kit/until.ts';
import type { Pick } from './faults.ts';
import { type Outcome, quantile } from './judge.ts';
import { type MemberPlace, memberPlaces } from './members.ts';
import type { Pair } from './pair.ts';
import type { PairGateway } from './pair-gateway.ts';
import { now } from './referee.ts';
import { overlappingIn } from './tenures.ts';

/** Milliseconds within which 99 of 100 changes are known to the standby. */
const appliedWithin = 2000;

const node = 'ledger';
const perGroup = 200;

/** A change that was acknowledged: a tag of that name was added. */
interface Change {
  readonly name: string;
  readonly group: string;
  /** The gateway that acknowledged it. */
  readonly from: string;
  /** When it was acknowledged, in milliseconds of `now`. */
  readonly at: number;
}

interface TagsReply {
  readonly tags: readonly { readonly name: string }[];
}

export interface ChangesOptions {
  /** How many changes have to be acknowledged. */
  readonly count: number;
  /** How many kills there are at least meanwhile. */
  readonly kills: number;
  readonly pick: Pick;
}

/**
 * Sends changes to both gateways all the time, while members of etcd and gateways are killed, one at a time. Every acknowledged change has
 * to be there in the end, at both; a gateway that has lost the lease must not acknowledge another one.
 */
export class ChangesTrial {
  readonly #pair: Pair;
  readonly #options: ChangesOptions;
  readonly #changes: Change[] = [];
  /** Acknowledged changes that the other gateway has not shown yet, by name. */
  readonly #pending = new Map<string, Change>();
  /** Milliseconds from the acknowledgement until the other gateway showed the change. */
  readonly #delays: number[] = [];
  #number = 0;
  #refused = 0;
  #unknown = 0;
  /** Changes whose other gateway was gone, or had just begun anew, before it showed them. */
  #unseen = 0;
  readonly #kills = new Map<string, number>();
  /** Clients with tokens that were good a moment ago. */
  readonly #clients = new Map<PairGateway, Client>();
  #isOver = false;

  constructor(pair: Pair, options: ChangesOptions) {
    this.#pair = pair;
    this.#options = options;
  }

  async run(): Promise<Outcome> {
    const { count, kills } = this.#options;
    const client = await this.#pair.client();
    await client.ok('POST', '/node', { name: node, plugin: 'Modbus TCP' });
    for (let index = 0; index <= count / perGroup; index += 1)
      await client.ok('POST', '/group', { node, name: `group ${index}`, interval: 1000 });
    const gateways = [this.#pair.west, this.#pair.east];
    const work = gateways.flatMap((gateway) => [this.#write(gateway), this.#watch(gateway)]);
    let broken: string[] = [];
    try {
      let killed = 0;
      while (killed < kills || this.#changes.length < count) {
        await sleep(500 + this.#options.pick(2500));
        await this.#kill();
        killed += 1;
      }
      await this.#pair.settled(90_000);
    } catch (error) {
      broken = [String(error)];
    } finally {
      this.#isOver = true;
      await Promise.all(work);
    }
    return this.#judge(broken);
  }

  /** Asks one gateway for changes until all is over. */
  async #write(gateway: PairGateway): Promise<void> {
    while (!this.#isOver) {
      const number = this.#number++;
      const name = `tag ${number}`;
      const group = `group ${Math.floor(number / perGroup) % Math.ceil(this.#options.count / perGroup)}`;
      const tag = { name, address: '1!400001', attribute: Attribute.READ, type: DataType.INT16 };
      const reply = await this.#ask(gateway, { node, group, tags: [tag] });
      const at = now();
      if (reply?.status === 200) {
        const change = { name, group, from: gateway.side, at };
        this.#changes.push(change);
        this.#pending.set(name, change);
        continue;
      }
      if (reply?.body.error === ErrorCode.STANDBY) this.#refused += 1;
      else this.#unknown += 1;
      await sleep(100);
    }
  }

  async #ask(gateway: PairGateway, body: Readonly<Record<string, unknown>>): Promise<Reply | undefined> {
    try {
      const client = await this.#client(gateway);
      const reply = await client.call('POST', '/tags', body, { within: 5000 });
      if (reply.status === 401 || reply.status === 403) this.#clients.delete(gateway);
      return reply;
    } catch {
      return undefined; // It is gone or does not answer: it is unknown whether the change was made.
    }
  }

  /**
   * Looks at a gateway for what the other one has acknowledged. One that was gone has begun anew: what it takes over then is counted by
   * itself, until it has shown everything once.
   */
  async #watch(gateway: PairGateway): Promise<void> {
    let isFollowing = false;
    while (!this.#isOver) {
      const awaited = [...this.#pending.values()].filter(({ from }) => from !== gateway.side);
      let missing = 0;
      for (const group of new Set(awaited.map((change) => change.group))) {
        const names = await this.#names(gateway, group).catch(() => undefined);
        const seen = now();
        if (names === undefined) isFollowing = false;
        for (const { name, at, ...change } of awaited) {
          if (change.group !== group) continue;
          if (names?.has(name) === false) {
            missing += 1;
            continue;
          }
          if (isFollowing) this.#delays.push(seen - at);
          else this.#unseen += 1;
          this.#pending.delete(name);
        }
        if (names === undefined) missing += 1;
      }
      isFollowing ||= missing === 0;
      await sleep(50);
    }
  }

  async #names(gateway: PairGateway, group: string): Promise<Set<string>> {
    const client = await this.#client(gateway);
    const reply = await client.call<TagsReply>('GET', '/tags', { node, group }, { within: 5000 });
    if (reply.status !== 200) {
      this.#clients.delete(gateway);
      throw new Error(`${gateway.side} answered ${reply.text.slice(0, 200)}`);
    }
    return new Set(reply.body.tags.map(({ name }) => name));
  }

  /** A client of a gateway, for as long as the gateway knows its token: that ends with the gateway's process. */
  async #client(gateway: PairGateway): Promise<Client> {
    const known = this.#clients.get(gateway);
    if (known !== undefined) return known;
    const client = await gateway.client();
    this.#clients.set(gateway, client);
    return client;
  }

  /** Kills one member of etcd, or one gateway or its host, and waits until all is well again. */
  async #kill(): Promise<void> {
    const { pick } = this.#options;
    const pair = this.#pair;
    const roles = await pair.settled(90_000);
    const choice = pick(4);
    const gateway = pick(3) === 0 ? roles.standby : roles.active;
    const what = ['member of etcd', 'leader of etcd', 'host', 'gateway'][choice] as string;
    this.#kills.set(what, (this.#kills.get(what) ?? 0) + 1);
    if (choice < 2) {
      const place = choice === 0 ? (memberPlaces[pick(3)] as MemberPlace) : await pair.members.leader();
      await pair.members.kill(place);
      await sleep(1000 + pick(3000));
      pair.members.begin(place);
    } else {
      const { host = 0 } = await gateway.parts();
      const pids = choice === 2 ? [host] : await gateway.everything();
      for (const pid of pids) process.kill(pid, 'SIGKILL');
    }
  }

  async #judge(broken: string[]): Promise<Outcome> {
    const groups = new Set(this.#changes.map(({ group }) => group));
    for (const gateway of [this.#pair.west, this.#pair.east]) {
      const there = async (): Promise<readonly string[]> => {
        const found = await Promise.all([...groups].map((group) => this.#names(gateway, group)));
        const names = new Set(found.flatMap((one) => [...one]));
        return this.#changes.map(({ name }) => name).filter((name) => !names.has(name));
      };
      const isWhole = async (): Promise<boolean> => (await there()).length === 0;
      await until(`${gateway.side} has all changes`, isWhole, { within: 5000, every: 500 }).catch(
        () => undefined,
      );
      const lost = await there().catch((error: unknown) => [String(error)]);
      if (lost.length > 0)
        broken.push(
          `${lost.length} acknowledged changes are missing at ${gateway.side}: ${lost.slice(0, 5).join(', ')}`,
        );
    }
    const sorted = this.#changes.toSorted((one, other) => one.at - other.at);
    const foreign = overlappingIn(sorted);
    if (foreign > 0) broken.push(`${foreign} changes were acknowledged by a gateway that had lost the lease`);
    const p99 = quantile(this.#delays, 0.99);
    if (!(p99 <= appliedWithin * this.#pair.patience))
      broken.push(`the standby had 99 of 100 changes after ${p99.toFixed(0)} ms only`);
    const kills = [...this.#kills].map(([what, count]) => `${what} ${count}`).join(', ');
    return {
      lines: [
        `Changes: ${this.#changes.length} acknowledged, ${this.#refused} refused by the standby, ${this.#unknown} without an answer; ` +
          `killed: ${kills}`,
        `Changes: at the standby after ${quantile(this.#delays, 0.5).toFixed(0)} ms (p50), ${p99.toFixed(0)} ms (p99), ` +
          `${Math.max(...this.#delays).toFixed(0)} ms (longest) of ${this.#delays.length}; ${this.#unseen} came while it was gone or had just begun anew`,
      ],
      broken,
    };
  }
}
