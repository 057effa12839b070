import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join, relative } from 'node:path';
import { until } from '../kit/until.ts';

/** The machines of the plant, each a network namespace: the two gateways', the witness', and that of the field device. */
export const places = ['west', 'east', 'witness', 'field'] as const;
export type Place = (typeof places)[number];

/** The last number of each machine's address; the tests themselves, and the broker, have number 1. */
const hosts: Readonly<Record<Place | 'outside', number>> = {
  outside: 1,
  west: 11,
  east: 12,
  witness: 13,
  field: 21,
};

/** What is lost on the way, seen from the machine that it is about. */
export type Direction = 'in' | 'out' | 'both';

const run = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

const succeeds = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** Names begin with the process that they belong to, by which those of a process that was killed can be found. */
const prefix = 'tgw';
const namespacesOf = (pid: number | string): string[] => {
  const names = succeeds('ip', 'netns') ? readdirIfThere('/run/netns') : [];
  return names.filter((name) => name.startsWith(`${prefix}${pid}-`));
};

function readdirIfThere(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Why this machine cannot have such a network; undefined: it can. */
export const noNetwork = ((): string | undefined => {
  if (process.platform !== 'linux') return 'network namespaces are a matter of Linux';
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  for (const [command, ...args] of [
    ['ip', '-V'],
    ['nft', '--version'],
    ['nsenter', '--version'],
  ] as const) {
    if (!succeeds(command, ...args)) return `${command} is not installed`;
  }
  const trial = `${prefix}${process.pid}-trial`;
  const isPossible = succeeds('ip', 'netns', 'add', trial);
  const filters =
    isPossible && succeeds('ip', 'netns', 'exec', trial, 'nft', 'add', 'table', 'inet', 'trial');
  if (isPossible) run('ip', 'netns', 'del', trial);
  if (!isPossible) return 'this machine allows no network namespaces';
  return filters ? undefined : 'nft may not filter here';
})();

/** Why the kernel cannot have its gate here, beside what network namespaces need; undefined: it can. */
export const noGate = ((): string | undefined => {
  if (noNetwork !== undefined) return noNetwork;
  const mount = '/sys/fs/cgroup';
  const root = existsSync(join(mount, 'cgroup.controllers')) ? mount : join(mount, 'unified');
  const trial = `${prefix}${process.pid}-gate`;
  const group = join(root, trial);
  try {
    mkdirSync(group);
  } catch {
    return 'there are no control groups of version 2 to divide';
  }
  const rule = `socket cgroupv2 level 1 "${relative(mount, group)}" drop`;
  const isPossible =
    succeeds('ip', 'netns', 'add', trial) &&
    succeeds(
      // Not `ip netns exec`, which hides the control groups.
      ...(['nsenter', `--net=/run/netns/${trial}`, 'nft'] as const),
      `add table inet t; add chain inet t out { type filter hook output priority 0; }; add rule inet t out ${rule}`,
    );
  succeeds('ip', 'netns', 'del', trial);
  rmdirSync(group);
  return isPossible ? undefined : 'nft cannot tell sockets by their control group';
})();

let opened = 0;

/**
 * Machines that one bridge connects, in namespaces of this process alone: what is lost between them is decided with `cut` and `heal`. All is
 * removed with `close`, when this process ends, or, after a SIGKILL of it, by the next one that opens such a network.
 */
export class Network {
  readonly #name: string;
  readonly #subnet: string;
  readonly #bridge: string;
  readonly #remove = (): void => this.#removeAll();

  private constructor(name: string, subnet: string) {
    this.#name = name;
    this.#subnet = subnet;
    this.#bridge = name.replace('-', 'b');
  }

  static open(): Network {
    sweep();
    const taken = Object.values(networkInterfaces()).flatMap((rows) =>
      (rows ?? []).map(({ address }) => address),
    );
    let subnet: string;
    do {
      const second = 200 + Math.floor(Math.random() * 50);
      const third = Math.floor(Math.random() * 250);
      subnet = `10.${second}.${third}`;
    } while (taken.some((address) => address.startsWith(`${subnet}.`)));
    const network = new Network(`${prefix}${process.pid}-${opened++}`, subnet);
    process.on('exit', network.#remove);
    try {
      network.#make();
    } catch (error) {
      network.#removeAll();
      throw error;
    }
    return network;
  }

  /** The address of a machine, or of the tests as the machines see them. */
  address(place: Place | 'outside'): string {
    return `${this.#subnet}.${hosts[place]}`;
  }

  /** Whose address it is. */
  placeOf(address: string): Place | undefined {
    return places.find((place) => this.address(place) === address);
  }

  /** What runs a command on a machine: to be put before it. Its process is the one that is started. */
  on(place: Place): [command: string, ...args: string[]] {
    return ['nsenter', `--net=/run/netns/${this.#namespace(place)}`];
  }

  /** Loses all packets between a machine and others. */
  cut(place: Place, others: readonly Place[], direction: Direction = 'both'): void {
    const addresses = `{ ${others.map((other) => this.address(other)).join(', ')} }`;
    const rules = [
      ...(direction === 'out' ? [] : [`add rule inet cut in ip saddr ${addresses} drop`]),
      ...(direction === 'in' ? [] : [`add rule inet cut out ip daddr ${addresses} drop`]),
    ];
    this.#nft(place, rules);
  }

  /** Loses what a machine sends to these ports, wherever they are. */
  cutPorts(place: Place, ports: readonly number[]): void {
    this.#nft(place, [`add rule inet cut out tcp dport { ${ports.join(', ')} } drop`]);
  }

  /** Nothing is lost any more between this machine and others. */
  heal(place: Place): void {
    this.#nft(place, ['flush chain inet cut in', 'flush chain inet cut out']);
    this.link(place, true);
  }

  /** Pulls the plug of a machine, or puts it in. */
  link(place: Place, isUp: boolean): void {
    run('ip', 'link', 'set', this.#port(place), isUp ? 'up' : 'down');
  }

  /** Whether a gateway on this machine has set up a filter of its own. */
  isGated(place: Place): boolean {
    const [command, ...args] = this.on(place);
    return run(command, ...args, 'nft', 'list', 'tables').includes('tagway_');
  }

  /** The processes of a machine. */
  processes(place: Place): number[] {
    return run('ip', 'netns', 'pids', this.#namespace(place)).split('\n').filter(Boolean).map(Number);
  }

  /** Removes all; fails when a process is still there, which it ends. */
  async close(): Promise<void> {
    try {
      await until('no process is left on a machine of the plant', () =>
        places.every((place) => this.processes(place).length === 0),
      );
    } finally {
      this.#removeAll();
      process.off('exit', this.#remove);
    }
  }

  #namespace(place: Place): string {
    return `${this.#name}-${place}`;
  }

  /** The bridge's end of a machine's cable. */
  #port(place: Place): string {
    return `${this.#bridge}${hosts[place]}`;
  }

  #nft(place: Place, lines: readonly string[]): void {
    const [command, ...args] = this.on(place);
    execFileSync(command, [...args, 'nft', '-f', '-'], { input: `${lines.join('\n')}\n`, stdio: 'pipe' });
  }

  #make(): void {
    run('ip', 'link', 'add', this.#bridge, 'type', 'bridge');
    run('ip', 'addr', 'add', `${this.address('outside')}/24`, 'dev', this.#bridge);
    run('ip', 'link', 'set', this.#bridge, 'up');
    for (const place of places) {
      const namespace = this.#namespace(place);
      const port = this.#port(place);
      run('ip', 'netns', 'add', namespace);
      run('ip', 'link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
      run('ip', 'link', 'set', port, 'master', this.#bridge, 'up');
      run('ip', '-n', namespace, 'addr', 'add', `${this.address(place)}/24`, 'dev', 'eth0');
      run('ip', '-n', namespace, 'link', 'set', 'eth0', 'up');
      run('ip', '-n', namespace, 'link', 'set', 'lo', 'up');
      this.#nft(place, [
        'add table inet cut',
        'add chain inet cut in { type filter hook input priority 0; policy accept; }',
        'add chain inet cut out { type filter hook output priority 0; policy accept; }',
      ]);
    }
  }

  #removeAll(): void {
    remove(namespacesOf(this.#name.slice(prefix.length)), this.#bridge);
  }
}

/** Removes namespaces, what runs in them, and the bridge; the cables go with them. */
function remove(namespaces: readonly string[], bridge: string): void {
  for (const namespace of namespaces) {
    const { stdout } = spawnSync('ip', ['netns', 'pids', namespace], { encoding: 'utf8' });
    for (const pid of (stdout || '').split('\n').filter(Boolean).map(Number)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
    spawnSync('ip', ['netns', 'del', namespace]);
  }
  if (readdirIfThere('/sys/class/net').includes(bridge)) spawnSync('ip', ['link', 'del', bridge]);
}

/** Removes what processes left behind that were killed themselves. */
function sweep(): void {
  for (const bridge of readdirIfThere('/sys/class/net')) {
    const { pid = '', number = '' } = /^tgw(?<pid>\d+)b(?<number>\d)$/.exec(bridge)?.groups ?? {};
    if (pid === '' || readdirIfThere(`/proc/${pid}`).length > 0) continue;
    remove(namespacesOf(`${pid}-${number}`), bridge);
  }
}
