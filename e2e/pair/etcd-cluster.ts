import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '../child.ts';
import { until } from '../until.ts';
import type { Network } from './network.ts';

/** The machines that a member of etcd runs on: those of the two gateways, and a small third one. */
export const members = ['west', 'east', 'witness'] as const;
export type Member = (typeof members)[number];

/** Why there is no etcd here; undefined: there is. */
export const noEtcd =
  spawnSync('etcd', ['--version'], { stdio: 'ignore' }).status === 0 ? undefined : 'etcd is not installed';

interface Status {
  readonly leader?: string;
  readonly header: { readonly member_id: string };
}

/** Three members of etcd, each on a machine of its own. */
export class EtcdCluster {
  readonly #network: Network;
  readonly #folder: string;
  readonly #children = new Map<Member, Child>();

  private constructor(network: Network, folder: string) {
    this.#network = network;
    this.#folder = folder;
  }

  static async start(network: Network): Promise<EtcdCluster> {
    const cluster = new EtcdCluster(network, await mkdtemp(join(tmpdir(), 'tagway-etcd-')));
    try {
      await Promise.all(members.map((member) => cluster.startMember(member)));
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** Where clients reach a member. */
  url(member: Member): string {
    return `http://${this.#network.address(member)}:2379`;
  }

  get urls(): readonly string[] {
    return members.map((member) => this.url(member));
  }

  /** Starts a member with what it had when it ended; ready when it is in touch with the majority. */
  async startMember(member: Member): Promise<void> {
    const peer = (one: Member): string => `http://${this.#network.address(one)}:2380`;
    const [command, ...args] = this.#network.on(member);
    const options = {
      name: member,
      'data-dir': join(this.#folder, member),
      'listen-client-urls': this.url(member),
      'advertise-client-urls': this.url(member),
      'listen-peer-urls': peer(member),
      'initial-advertise-peer-urls': peer(member),
      'initial-cluster': members.map((one) => `${one}=${peer(one)}`).join(','),
      'initial-cluster-state': 'new',
      // A member that was cut off does not depose the leader when it is back.
      'pre-vote': 'true',
    };
    const flags = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    const child = await Child.start(command, [...args, 'etcd', ...flags], {
      ready: /ready to serve client requests/,
      within: 30_000,
    });
    this.#children.set(member, child);
  }

  /** SIGKILL to a member. */
  async kill(member: Member): Promise<void> {
    const child = this.#child(member);
    this.#children.delete(member);
    await child.stop('SIGKILL');
  }

  signal(member: Member, signal: NodeJS.Signals): void {
    this.#child(member).signal(signal);
  }

  isRunning(member: Member): boolean {
    return this.#children.has(member);
  }

  /** The leader, as a member says that has one. */
  leader(): Promise<Member> {
    return until('etcd has a leader', async () => {
      const all = await Promise.all(members.map((member) => this.#status(member).catch(() => undefined)));
      const ids = all.map((status) => status?.header.member_id);
      const leader = all.find((status) => status?.leader !== undefined && status.leader !== '0')?.leader;
      return members[ids.indexOf(leader)];
    });
  }

  /** Waits until all members answer and agree on the leader. */
  async whole(within = 30_000): Promise<void> {
    await until(
      'all members of etcd agree on a leader',
      async () => {
        const all = await Promise.all(members.map((member) => this.#status(member)));
        return all[0]?.leader !== undefined && new Set(all.map(({ leader }) => leader)).size === 1;
      },
      { within },
    );
  }

  /** The text under a key, as the majority has it; undefined: there is none. */
  async get(key: string): Promise<string | undefined> {
    const body = JSON.stringify({ key: Buffer.from(key).toString('base64') });
    const { kvs } = await this.#anywhere<{ kvs?: { value: string }[] }>('/v3/kv/range', body);
    return kvs?.[0] === undefined ? undefined : Buffer.from(kvs[0].value, 'base64').toString();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#children.keys()].map((member) => this.kill(member)));
    await rm(this.#folder, { recursive: true, force: true });
  }

  #child(member: Member): Child {
    const child = this.#children.get(member);
    if (child === undefined) throw new Error(`The member of etcd on ${member} does not run.`);
    return child;
  }

  #status(member: Member): Promise<Status> {
    return this.#post(member, '/v3/maintenance/status', '{}');
  }

  #anywhere<Body>(path: string, body: string): Promise<Body> {
    return Promise.any(members.map((member) => this.#post<Body>(member, path, body)));
  }

  async #post<Body>(member: Member, path: string, body: string): Promise<Body> {
    const signal = AbortSignal.timeout(2000);
    const reply = await fetch(new URL(path, this.url(member)), { method: 'POST', body, signal });
    if (!reply.ok) throw new Error(`etcd on ${member} answered ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as Body;
  }
}
