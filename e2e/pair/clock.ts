import { existsSync, readdirSync, rmSync } from 'node:fs';
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const library = [
  ...['x86_64-linux-gnu', 'aarch64-linux-gnu', 'arm-linux-gnueabihf'].map((triple) => `/usr/lib/${triple}`),
  '/usr/lib',
]
  .map((folder) => join(folder, 'faketime/libfaketimeMT.so.1'))
  .find((path) => existsSync(path));

/** Why the clocks of processes cannot be set here; undefined: they can. */
export const noClock = library === undefined ? 'libfaketime is not installed' : undefined;

/**
 * The wall clock of a gateway's machine, which can be stepped while it runs; its monotonic clock goes on. Runners inherit next to nothing of
 * the gateway's environment, so that a script takes the place of Node in their command, and sets the clock for them as well.
 */
export class Clock {
  readonly #folder: string;
  /** What the gateway's process has to have in its environment. */
  readonly env: Readonly<Record<string, string>>;

  private constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.env = env;
  }

  /** `folder` is made, and is the clock's own. */
  static async make(folder: string): Promise<Clock> {
    if (library === undefined) throw new Error(`${noClock}.`);
    await mkdir(folder);
    const faked = {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: join(folder, 'offset'),
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
      FAKETIME_CACHE_DURATION: '1',
      // Times of files are what the system says.
      NO_FAKE_STAT: '1',
    };
    const node = join(folder, 'node');
    const exports = Object.entries(faked).map(([name, value]) => `export ${name}='${value}'\n`);
    await writeFile(node, `#!/bin/sh\n${exports.join('')}exec '${process.execPath}' "$@"\n`);
    await chmod(node, 0o755);
    const preset = join(folder, 'preset.mjs');
    await writeFile(preset, `process.execPath = ${JSON.stringify(node)};\n`);
    const clock = new Clock(folder, { ...faked, NODE_OPTIONS: `--import=${pathToFileURL(preset).href}` });
    await clock.step(0);
    return clock;
  }

  /** Sets the clock so many seconds before or behind that of this machine; the processes see it within a second. */
  async step(seconds: number): Promise<void> {
    const path = join(this.#folder, 'offset');
    await writeFile(`${path}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    await rename(`${path}.new`, path);
  }
}

/** Removes what libfaketime leaves in shared memory of each process that was killed. */
export function sweepClocks(): void {
  const folder = '/dev/shm';
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const { pid } = /^(?:sem\.)?faketime_(?:shm|sem)_(?<pid>\d+)$/.exec(name)?.groups ?? {};
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(folder, name), { force: true });
  }
}
