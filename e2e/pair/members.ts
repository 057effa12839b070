import { EtcdCluster, type EtcdTlsFiles, hasEtcd } from '@tagway/testkit/etcd-cluster';
import { until } from '../kit/until.ts';
import type { Network } from './network.ts';

/** The machines that a member of etcd runs on: those of the two gateways, and a small third one. */
export const memberPlaces = ['west', 'east', 'witness'] as const;
export type MemberPlace = (typeof memberPlaces)[number];

/** Why there is no etcd here; undefined: there is. */
export const noEtcd = hasEtcd ? undefined : 'etcd is not installed';

const indexOf = (place: MemberPlace): number => memberPlaces.indexOf(place);

/** The members of etcd on the machines of the plant. */
export class Members {
  readonly #cluster: EtcdCluster;

  private constructor(cluster: EtcdCluster) {
    this.#cluster = cluster;
  }

  static async start(network: Network, tls?: EtcdTlsFiles): Promise<Members> {
    const places = memberPlaces.map((place) => ({
      address: network.address(place),
      command: network.on(place),
    }));
    return new Members(await EtcdCluster.start(3, tls, places));
  }

  /** Where clients reach the members. */
  get urls(): readonly string[] {
    return this.#cluster.endpoints;
  }

  /** The ports at which clients reach them. */
  get ports(): readonly number[] {
    return this.urls.map((url) => Number(new URL(url).port));
  }

  async leader(): Promise<MemberPlace> {
    const index = await until('etcd has a leader', () => this.#cluster.leader());
    return memberPlaces[index] as MemberPlace;
  }

  kill(place: MemberPlace): Promise<void> {
    return this.#cluster.kill(indexOf(place));
  }

  /** Starts a member that was killed, with what it had. */
  begin(place: MemberPlace): void {
    this.#cluster.begin(indexOf(place));
  }

  /** The member hangs, or goes on. */
  signal(place: MemberPlace, signal: 'SIGSTOP' | 'SIGCONT'): void {
    if (signal === 'SIGSTOP') this.#cluster.stop(indexOf(place));
    else this.#cluster.continue(indexOf(place));
  }

  /** Asks one member over its JSON gateway; `token` is that of a user of etcd. Rejects when it refuses. */
  async ask(path: string, body: object, token?: string): Promise<Readonly<Record<string, unknown>>> {
    const options = { within: 5000, ...(token !== undefined && { token }) };
    return (await this.#cluster.ask(0, path, body, options)) as Readonly<Record<string, unknown>>;
  }

  async has(name: string): Promise<boolean> {
    const reply = await this.ask('kv/range', { key: Buffer.from(name).toString('base64'), keys_only: true });
    return 'kvs' in reply;
  }

  /** Deletes all keys that begin with this. */
  async wipe(prefix: string): Promise<void> {
    const [key, end] = [prefix, `${prefix}\xff`].map((text) =>
      Buffer.from(text, 'latin1').toString('base64'),
    );
    await this.ask('kv/deleterange', { key, range_end: end });
  }

  /** Waits until all members answer and agree on who leads them. */
  async whole(): Promise<void> {
    await until(
      'all members of etcd agree on their leader',
      async () => {
        const asked = this.urls.map((_, index) => this.#cluster.ask(index, 'maintenance/status', {}));
        const leaders = (await Promise.all(asked)).map((status) => (status as { leader?: string }).leader);
        return leaders[0] !== undefined && new Set(leaders).size === 1;
      },
      { within: 30_000, every: 200 },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cluster[Symbol.asyncDispose]();
  }
}
