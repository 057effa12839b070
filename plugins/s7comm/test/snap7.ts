import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Command, Seed } from './snap7-process.ts';

/**
 * The server of snap7, from the npm package node-snap7. Its install script does not run here: it wants to fetch a binary, or headers of
 * Node. So its sources are compiled when a test first needs them, against the headers of the Node that runs the test.
 */
const binding = build();

/** Why there is no server; undefined when there is one. */
export const snap7Missing = typeof binding === 'string' ? undefined : binding.missing;

function build(): string | { readonly missing: string } {
  const node = dirname(realpathSync(process.execPath));
  const headers = [`../node_modules/node-${process.platform}-${process.arch}/include/node`, '../include/node']
    .map((folder) => join(node, folder))
    .find((folder) => existsSync(join(folder, 'node.h')));
  if (headers === undefined) return { missing: 'the headers of this Node are not installed' };
  if (spawnSync('g++', ['--version'], { stdio: 'ignore' }).status !== 0)
    return { missing: 'g++ is not installed' };
  const require = createRequire(import.meta.url);
  const sources = dirname(require.resolve('node-snap7/package.json'));
  const nan = dirname(require.resolve('nan/package.json'));
  const { version } = require('node-snap7/package.json') as { version: string };
  const cache = join(import.meta.dirname, '../node_modules/.cache/snap7');
  const result = join(cache, `${version}-${process.version}-${process.arch}.node`);
  if (existsSync(result)) return result;
  mkdirSync(cache, { recursive: true });
  const snap7 = join(sources, 'deps/snap7/src');
  const folders = [join(sources, 'src'), ...['sys', 'core', 'lib'].map((name) => join(snap7, name))];
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.cpp'))
      .map((name) => join(folder, name)),
  );
  const partial = `${result}.${process.pid}`;
  const flags = [
    '-std=c++20',
    '-O1',
    '-w',
    '-fPIC',
    '-shared',
    '-fexceptions',
    '-DNODE_GYP_MODULE_NAME=node_snap7',
  ];
  const includes = [headers, nan, ...folders].map((folder) => `-I${folder}`);
  const compiled = spawnSync('g++', [...flags, ...includes, ...files, '-o', partial, '-lpthread'], {
    encoding: 'utf8',
  });
  if (compiled.status !== 0)
    return { missing: `its sources cannot be compiled: ${compiled.stderr.split('\n')[0] ?? ''}` };
  renameSync(partial, result);
  return result;
}

/** A snap7 server in a process of its own, because it has only one event loop for all servers. */
export class Snap7 implements AsyncDisposable {
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#process = child;
    this.port = port;
  }

  static async start(seed: Omit<Seed, 'binding'>): Promise<Snap7> {
    const child = fork(
      join(import.meta.dirname, 'snap7-process.ts'),
      [JSON.stringify({ ...seed, binding })],
      { execArgv: [] },
    );
    const [answer] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => {
        throw new Error(`The snap7 server ended with code ${String(code)} before it was ready.`);
      }),
    ])) as [{ port: number }];
    return new Snap7(child, answer.port);
  }

  /** What an area of the server holds now. */
  async area(area: string, block = 0): Promise<Buffer> {
    return Buffer.from((await this.#ask({ area, block })) as string, 'hex');
  }

  /** What the server was asked to write in its callback mode, and has not told yet. */
  async written(): Promise<unknown> {
    return this.#ask({ written: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exit = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exit;
  }

  async #ask(command: Command): Promise<unknown> {
    const answer = once(this.#process, 'message');
    this.#process.send(command);
    return (await answer)[0];
  }
}

interface Variable {
  readonly Area: number;
  readonly WordLen: number;
  readonly DBNumber: number;
  readonly Start: number;
  readonly Amount: number;
  readonly Data?: Buffer;
}

/** The client of snap7, as far as tests need it. */
export interface Snap7Client {
  SetParam(id: number, value: number): boolean;
  ConnectTo(host: string, rack: number, slot: number, done: (error: unknown) => void): void;
  ReadMultiVars(
    variables: readonly Variable[],
    done: (error: unknown, results: readonly { readonly Result: number; readonly Data?: Buffer }[]) => void,
  ): void;
  WriteMultiVars(
    variables: readonly Variable[],
    done: (error: unknown, results: readonly { readonly Result: number }[]) => void,
  ): void;
  PDULength(): number;
  Disconnect(): boolean;
}

export function snap7Client(): Snap7Client {
  const { S7Client } = createRequire(import.meta.url)(binding as string) as {
    S7Client: new () => Snap7Client;
  };
  return new S7Client();
}
