import type { PairStatus } from '@tagway/schemas';
import type { EtcdTlsFiles } from '@tagway/testkit/etcd-cluster';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Broker, startBroker } from '../world/brokers.ts';
import type { Client } from '../kit/client.ts';
import { modbusSettings, registerTags } from '../kit/configure.ts';
import { sleep, until } from '../kit/until.ts';
import type { Authority } from '../world/certificates.ts';
import { noClock, sweepClocks } from './clock.ts';
import { memberPlaces, Members, noEtcd } from './members.ts';
import { Network, noNetwork } from './network.ts';
import { certificateOf, PairGateway } from './pair-gateway.ts';
import { now, Referee } from './referee.ts';

/** Why two gateways cannot be tried on this machine, for the title of a suite that is skipped; undefined: they can. */
export const noPair = noNetwork ?? noEtcd;

export interface PairOptions {
  /** False: the gateways may not set up the filter of the kernel. Default: true. */
  readonly hasGate?: boolean;
  /** Their clocks can be stepped. Default: false. */
  readonly hasClock?: boolean;
  /** Of etcd, which wants a certificate by it of each gateway. Without it there is no TLS. */
  readonly authority?: Authority;
  /** For how long the first certificates of the gateways are good. Default: a day. */
  readonly certificateSeconds?: number;
  /** How many times as long as promised things may take: the tests run beside other jobs, and look for what is wrong. Default 1. */
  readonly patience?: number;
}

/** Who is the active gateway, and who the standby. */
export interface Roles {
  readonly active: PairGateway;
  readonly standby: PairGateway;
}

/** Two gateways, three members of etcd, a field device and a broker: a plant that loses something now and then. */
export class Pair {
  readonly network: Network;
  readonly members: Members;
  readonly referee: Referee;
  readonly broker: Broker;
  readonly west: PairGateway;
  readonly east: PairGateway;
  readonly patience: number;
  /** What ends with the pair. */
  #stack = new AsyncDisposableStack();

  private constructor(
    parts: Pick<Pair, 'network' | 'members' | 'referee' | 'broker' | 'west' | 'east' | 'patience'>,
  ) {
    this.network = parts.network;
    this.members = parts.members;
    this.referee = parts.referee;
    this.broker = parts.broker;
    this.west = parts.west;
    this.east = parts.east;
    this.patience = parts.patience;
  }

  /** Starts everything, the gateways with nothing configured; resolves when one of them is active and the other one could be. */
  static async open({
    hasGate = true,
    hasClock = false,
    authority,
    certificateSeconds = 86_400,
    patience = 1,
  }: PairOptions = {}): Promise<Pair> {
    const reason = noPair ?? (hasClock ? noClock : undefined);
    if (reason !== undefined) throw new Error(`Two gateways cannot be tried here: ${reason}.`);
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'tagway-pair-'));
    const remove = (): void => {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      if (hasClock) sweepClocks();
    };
    stack.defer(() => {
      remove();
      process.off('exit', remove);
    });
    const network = stack.adopt(Network.open(), (it) => it.close());
    // After what removes the network, and ends the processes in it.
    process.on('exit', remove);
    const tls = authority && (await certifyAll(authority, network, folder, certificateSeconds));
    const members = stack.use(await Members.start(network, tls));
    const referee = stack.adopt(await Referee.start(network), (it) => it.stop());
    const broker = stack.adopt(await startBroker(undefined, network.address('outside')), (it) => it.stop());
    const secretsKey = join(folder, 'secrets.key');
    await writeFile(secretsKey, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
    const options = {
      network,
      members: members.urls,
      secretsKey,
      folder,
      hasGate,
      hasClock,
      ...(authority !== undefined && { authority: authority.file }),
    };
    const west = stack.adopt(await PairGateway.make('west', options), (it) => it.stop());
    const east = stack.adopt(await PairGateway.make('east', options), (it) => it.stop());
    await west.start();
    await east.start();
    const pair = new Pair({ network, members, referee, broker, west, east, patience });
    await pair.roles();
    for (const { side } of [west, east])
      if (network.isGated(side) !== hasGate)
        throw new Error(`The gateway on ${side} has ${hasGate ? 'no' : 'a'} gate of the kernel.`);
    pair.#stack = stack.move();
    return pair;
  }

  /** How a driver reaches the field device. */
  get deviceSettings(): Record<string, unknown> {
    return modbusSettings(this.referee.port, { host: this.network.address('field') });
  }

  /** What is watched in every trial: a driver that reads the field device every 100 ms. */
  async configure(): Promise<void> {
    const client = await this.client();
    await client.ok('POST', '/node', { name: 'plant', plugin: 'Modbus TCP' });
    await client.ok('POST', '/group', { name: 'watched', node: 'plant', interval: 100 });
    await client.ok('POST', '/tags', { node: 'plant', group: 'watched', tags: registerTags(2) });
    await client.ok('POST', '/node/setting', { node: 'plant', params: this.deviceSettings });
    await this.settled();
  }

  /** Waits until one gateway is active and the other one is ready to take over, and both see the majority of etcd. */
  async roles(within = 60_000): Promise<Roles> {
    let seen: readonly (PairStatus | string)[] = [];
    const look = async (): Promise<Roles | undefined> => {
      seen = await Promise.all(
        [this.west, this.east].map((gateway) => gateway.status().catch((error: unknown) => String(error))),
      );
      const [west, east] = seen;
      if (typeof west !== 'object' || typeof east !== 'object') return undefined;
      const isWhole = [west, east].every(
        ({ reachable, members, handing_over }) =>
          reachable && !handing_over && members.filter(({ ready }) => ready).length === 2,
      );
      if (!isWhole || west.role === east.role) return undefined;
      return west.role === 'active'
        ? { active: this.west, standby: this.east }
        : { active: this.east, standby: this.west };
    };
    try {
      return await until('one gateway is active and the other one is ready', look, { within, every: 200 });
    } catch (cause) {
      const outputs = [this.west, this.east].map(({ side, output }) => `${side}: ${output.slice(-1500)}`);
      throw new Error(`The pair is not whole: ${JSON.stringify(seen)}\n${outputs.join('\n')}`, { cause });
    }
  }

  /** Waits until the pair is whole, and the active gateway polls. */
  async settled(within = 60_000): Promise<Roles> {
    const end = now() + within;
    await this.members.whole();
    for (;;) {
      const roles = await this.roles(Math.max(0, end - now()));
      const from = now();
      // What says that it is active may have been killed just now.
      await sleep(300);
      const isPolling = await this.referee.hears(roles.active.side, from);
      const { role } = await roles.active.status().catch(() => ({ role: 'gone' }));
      if (isPolling && role === 'active') return roles;
      if (now() > end) throw new Error(`${roles.active.side} is active and polls nothing.`);
    }
  }

  /** A client of the active gateway. */
  async client(): Promise<Client> {
    const { active } = await this.roles();
    return active.client();
  }

  /** The active gateway hands over to the other one. */
  async switch(reason = 'the trial asked for it'): Promise<void> {
    const { active } = await this.roles();
    const client = await active.client();
    await client.ok('POST', '/pair/switch', { reason });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** Stores a certificate for all members of etcd, and one for each gateway; gives the files of the members. */
async function certifyAll(
  authority: Authority,
  network: Network,
  folder: string,
  seconds: number,
): Promise<EtcdTlsFiles> {
  const day = 86_400;
  const store = async (
    files: { cert: string; key: string },
    made: { cert: string; key: string },
  ): Promise<void> => {
    await writeFile(files.cert, made.cert);
    await writeFile(files.key, made.key);
  };
  for (const side of ['west', 'east'] as const)
    await store(certificateOf(folder, side), authority.issue(side, [], seconds));
  const files = { cert: join(folder, 'etcd.pem'), key: join(folder, 'etcd.key') };
  const addresses = memberPlaces.map((place) => network.address(place));
  await store(files, authority.issue('etcd', addresses, day));
  const ca = await readFile(authority.file, 'utf8');
  return { ...files, authority: authority.file, client: { ca, ...authority.issue('test', [], day) } };
}
