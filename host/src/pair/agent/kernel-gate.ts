import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const mount = '/sys/fs/cgroup';

const dropped = ['setpriv', '--ambient-caps', '-net_admin'];

/**
 * Has the kernel drop what runners of drivers send once the lease was not renewed, also when they were stopped before: nftables matches
 * the control group (v2) of the sender's socket, and lets pass the protocols in a set whose elements time out. No process has to run for
 * the gate to shut. It needs CAP_NET_ADMIN, nftables with `socket cgroupv2` (Linux 5.13), and a control group that this process may divide.
 */
export class KernelGate implements Disposable {
  /** A command that starts another one without the right to move the gate: the host, and with it all plugins. Root always has the right. */
  readonly withoutIt: readonly string[] = process.getuid?.() === 0 ? [] : dropped;
  readonly #table: string;
  readonly #group: string;
  readonly #report: (sentence: string) => void;
  #isUnderWay = false;
  /** It shuts as soon as the command that is under way has ended. */
  #isToShut = false;
  #hasFailed = false;

  private constructor(table: string, group: string, report: (sentence: string) => void) {
    this.#table = table;
    this.#group = group;
    this.#report = report;
  }

  /** The gate of the gateway with this data folder, shut. Throws a sentence when that is not possible here. */
  static make(data: string, report: (sentence: string) => void): KernelGate {
    if (process.getuid?.() !== 0 && spawnSync('setpriv', ['--version']).status !== 0)
      throw new Error(
        'The program setpriv, with which plugins are kept from moving the gate, is not installed.',
      );
    const { table, parent, group } = namesOf(data);
    if (!existsSync(join(parent, 'cgroup.procs')))
      throw new Error('This machine has no control groups of version 2.');
    try {
      mkdirSync(group, { recursive: true });
    } catch (cause) {
      throw new Error(`No control group can be made in ${parent}: ${String(cause)}.`, { cause });
    }
    const gate = new KernelGate(table, group, report);
    const level = relative(rootOf(), group).split('/').length;
    const { status, stderr, error } = spawnSync('nft', ['-f', '-'], {
      encoding: 'utf8',
      // A table of this name from an earlier run is replaced.
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

  /** Removes the gate of an agent that is gone, as far as this process has the right to. */
  static remove(data: string): void {
    const { table, group } = namesOf(data);
    remove(table, group);
  }

  /** The gate applies to this process from here on. To be called before the process opens a socket. */
  add(pid: number): void {
    try {
      writeFileSync(join(this.#group, 'cgroup.procs'), String(pid));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') this.#failed(String(error));
    }
  }

  /** Opens the gate for `milliseconds` from now, in place of the time before. */
  open(milliseconds: number): void {
    // The command before it is still under way; unless it ends, the gate shuts.
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

  /** Reports a failure once, until a command succeeds again. */
  #failed(reason: string): void {
    if (!this.#hasFailed) this.#report(`The gate in the kernel cannot be moved: ${reason}. It stays shut.`);
    this.#hasFailed = true;
  }
}

const rootOf = (): string => (existsSync(join(mount, 'cgroup.controllers')) ? mount : join(mount, 'unified'));

/** `parent`: the group of this process. */
function namesOf(data: string): { readonly table: string; readonly parent: string; readonly group: string } {
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
