import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  type Stats,
} from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { ToRunner } from '@tagway/sdk/internal';

/** A folder that its group may pass through, and one that it may read. */
const passable = 0o710;
const readable = 0o750;

/** What a runner must reach: `entry` is the module that it begins with. */
export interface Reach {
  readonly data: string;
  readonly entry: string;
}

/**
 * The user of the system that runners become before they load a plugin, where the gateway is root. Such a user can read the libraries and
 * writes into the folders of nodes; keys, the database, the log and the audit stay closed to it.
 */
export class RunnerUser {
  readonly uid: number;
  /** The first one is that of the user itself, others are such as that of serial lines. */
  readonly groups: readonly number[];
  readonly #gid: number;
  readonly #libraries: string;

  private constructor(uid: number, groups: readonly [number, ...number[]], data: string) {
    this.uid = uid;
    this.#gid = groups[0];
    this.groups = groups;
    this.#libraries = join(data, 'libraries');
  }

  /** Opens the way through the data folder. Throws a sentence when runners cannot be this user. */
  static of(name: string, { data, entry }: Reach): RunnerUser {
    if (process.getuid?.() !== 0)
      throw new Error(
        `The option "runner-user" needs a gateway that root runs: no other user may start processes as "${name}". Leave the option out, or run the gateway as root.`,
      );
    const [, , uid = '0', gid = '0'] = rowsOf('/etc/passwd').find(([user]) => user === name) ?? [];
    if (Number(uid) === 0 || Number(gid) === 0)
      throw new Error(
        `The option "runner-user" names "${name}", which is root or no user of this machine. Make one with "useradd --system --shell /usr/sbin/nologin ${name}", or name another one.`,
      );
    const further = rowsOf('/etc/group').filter(([, , , members]) => members?.split(',').includes(name));
    const groups = further.map(([, , id]) => Number(id));
    const user = new RunnerUser(Number(uid), [Number(gid), ...groups], data);
    for (const folder of [data, user.#libraries, join(data, 'nodes')]) {
      mkdirSync(folder, { recursive: true });
      user.#share(folder, lstatSync(folder), passable);
    }
    const test = 'test -r "$1" && test -x "$2" && cd "$3"';
    const { status } = spawnSync(
      '/bin/sh',
      ['-c', test, 'sh', entry, process.execPath, join(data, 'nodes')],
      {
        uid: user.uid,
        gid: user.#gid,
        stdio: 'ignore',
      },
    );
    if (status !== 0)
      throw new Error(
        `The user "${name}" of the option "runner-user" cannot reach ${entry}, ${process.execPath} or ${data}, so no plugin could start. Install Node.js and Tagway, and keep the data, where all users may pass through the folders above.`,
      );
    return user;
  }

  /** The environment variable by which a runner knows whom it is to become. */
  get environment(): Record<string, string> {
    return { TAGWAY_BECOME: [this.uid, ...this.groups].join(' ') };
  }

  /** Gives the user what a message to a runner names: the library of a plugin to read, the folder of a node to own. */
  admit(message: ToRunner): void {
    if (message.op === 'load') this.#admitLibrary(message.main);
    if (message.op !== 'request') return;
    const { request } = message;
    if (request.op === 'start') this.#admitFolder(request.dataDir);
  }

  /** A plugin that comes with the gateway is for all to read. */
  #admitLibrary(main: string): void {
    const [library = '..'] = relative(this.#libraries, main).split(sep);
    if (library !== '..') this.#read(join(this.#libraries, library));
  }

  #read(path: string): void {
    const state = lstatSync(path);
    if (state.isSymbolicLink()) return;
    this.#share(path, state, state.isDirectory() || (state.mode & 0o100) !== 0 ? readable : 0o640);
    if (state.isDirectory()) for (const name of readdirSync(path)) this.#read(join(path, name));
  }

  /** Gives the group of the user the rights that it has in `wanted`, unless everybody has them. */
  #share(path: string, { uid, gid, mode }: Stats, wanted: number): void {
    const bits = wanted & 0o070;
    const isForAll = (mode & (bits >> 3)) === bits >> 3;
    if (isForAll || (gid === this.#gid && (mode & bits) === bits)) return;
    chownSync(path, uid, this.#gid);
    chmodSync(path, (mode & 0o707) | bits);
  }

  #admitFolder(folder: string): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#own(folder);
  }

  /**
   * What is inside first, and nothing in what the user owns already: until a folder is handed over the user cannot change what is in it, so
   * that no link there leads to files that are not its own.
   */
  #own(path: string): void {
    const state = lstatSync(path);
    if (state.uid === this.uid) return;
    if (state.isDirectory()) for (const name of readdirSync(path)) this.#own(join(path, name));
    lchownSync(path, this.uid, this.#gid);
  }
}

/** The rows of a file of accounts, by their fields. */
function rowsOf(file: string): string[][] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
}
