import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const mount = '/sys/fs/cgroup';

const dropped = ['setpriv', '--ambient-caps', '-net_admin'];

/**
 * What the kernel drops of the runners of drivers once the lease was not renewed, whatever state they are in: nftables matches the
 * control group (v2) of the sender's socket, and lets through what a set with a timeout names. Nobody has to be awake for the gate to
 * shut. It needs CAP_NET_ADMIN, nftables with `socket cgroupv2` (Linux 5.13), and a control group that this process may divide.
 */
export class KernelGate implements Disposable {
  /** Words before a command that may not move the gate: the host, and with it all plugins. Nothing keeps root from that. */
  readonly withoutIt: readonly string[] = process.getuid?.() === 0 ? [] : dropped;
  readonly #table: string;
  readonly #group: string;
  readonly #tell: (sentence: string) => void;
  #isUnderWay = false;
  /** To be shut as soon as what is under way has been done. */
  #isToShut = false;
  #hasFailed = false;

  private constructor(table: string, group: string, tell: (sentence: string) => void) {
    this.#table = table;
    this.#group = group;
    this.#tell = tell;
  }

  /** The gate of the gateway with this data folder, shut. Throws a sentence when that is not possible here. */
  static make(data: string, tell: (sentence: string) => void): KernelGate {
    if (process.getuid?.() !== 0 && spawnSync('setpriv', ['--version']).status !== 0)
      throw new Error(
        'The program setpriv, with which plugins are kept from moving the gate, is not installed.',
      );
    const { table, parent, group } = placesOf(data);
    if (!existsSync(join(parent, 'cgroup.procs')))
      throw new Error('This machine has no control groups of version 2.');
    try {
      mkdirSync(group, { recursive: true });
    } catch (cause) {
      throw new Error(`No control group can be made in ${parent}: ${String(cause)}.`, { cause });
    }
    const gate = new KernelGate(table, group, tell);
    const level = relative(rootOf(), group).split('/').length;
    const { status, stderr, error } = spawnSync('nft', ['-f', '-'], {
      encoding: 'utf8',
      // One of this name may be left over: it is replaced as a whole.
      input: `
        add table ${gate.#table}
        delete table ${gate.#table}
        table ${gate.#table} {
          set live { type inet_proto; flags timeout; }
          chain out {
            type filter hook output priority 0; policy accept;
            socket cgroupv2 level ${level} "${relative(mount, group)}" meta l4proto { tcp, udp } meta l4proto != @live counter drop
          }
        }`,
    });
    if (status === 0) return gate;
    rmdirSync(group);
    throw new Error(`nftables cannot be set up: ${error?.message ?? stderr.trim()}.`);
  }

  /** Removes the gate of an agent that is gone, as far as this process may. */
  static remove(data: string): void {
    const { table, group } = placesOf(data);
    remove(table, group);
  }

  /** What this process sends passes the gate from here on. To be called before it has made a socket. */
  add(pid: number): void {
    try {
      writeFileSync(join(this.#group, 'cgroup.procs'), String(pid));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') this.#failed(String(error));
    }
  }

  /** Opens the gate for so many milliseconds from now, however long it was open yet. */
  open(milliseconds: number): void {
    // The one before it has come to a stop; without another the gate shuts.
    if (this.#isUnderWay) return;
    const add = `add element ${this.#table} live`;
    // To add an element that is there leaves its timeout as it is.
    const lines = ['tcp', 'udp'].map(
      (protocol) =>
        `${add} { ${protocol} timeout 1s }\ndelete element ${this.#table} live { ${protocol} }\n` +
        `${add} { ${protocol} timeout ${Math.max(1, Math.floor(milliseconds))}ms }\n`,
    );
    this.#run(lines.join(''));
  }

  shut(): void {
    this.#isToShut = this.#isUnderWay;
    if (!this.#isUnderWay) this.#run(`flush set ${this.#table} live\n`);
  }

  /** Removes the gate. No runner may live any more. */
  [Symbol.dispose](): void {
    remove(this.#table, this.#group);
  }

  #run(input: string): void {
    this.#isUnderWay = true;
    const child = spawn('nft', ['-f', '-'], { stdio: ['pipe', 'ignore', 'ignore'] });
    const ended = (): void => {
      this.#isUnderWay = false;
      if (this.#isToShut) this.shut();
    };
    child.on('error', ({ message }) => {
      ended();
      this.#failed(message);
    });
    child.on('exit', (code) => {
      ended();
      if (code === 0) this.#hasFailed = false;
      else this.#failed(`nft ended with exit code ${code ?? 'unknown'}`);
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  }

  /** Once, until it works again. */
  #failed(reason: string): void {
    if (!this.#hasFailed) this.#tell(`The gate in the kernel cannot be moved: ${reason}. It stays shut.`);
    this.#hasFailed = true;
  }
}

const rootOf = (): string => (existsSync(join(mount, 'cgroup.controllers')) ? mount : join(mount, 'unified'));

/** `parent`: the group of this process. */
function placesOf(data: string): { readonly table: string; readonly parent: string; readonly group: string } {
  const id = createHash('sha256').update(data).digest('hex').slice(0, 12);
  const own = /^0::(\/.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1] ?? '/';
  const parent = join(rootOf(), own);
  return { table: `inet tagway_${id}`, parent, group: join(parent, `tagway-drivers-${id}`) };
}

function remove(table: string, group: string): void {
  spawnSync('nft', ['delete', 'table', ...table.split(' ')], { stdio: 'ignore' });
  try {
    rmdirSync(group);
  } catch {
    // It is not there, or a runner is about to end in it. The next start takes it over.
  }
}
