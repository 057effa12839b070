import { existsSync } from 'node:fs';
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from './until.ts';

const root = '/sys/fs/cgroup';
/** Version 2 has one tree for all controllers, version 1 one for each. */
const isUnified = existsSync(join(root, 'cgroup.controllers'));
/** Microseconds. */
const period = 100_000;

export interface ControlGroupLimits {
  /** Share of one core, for example 0.2. */
  readonly cores: number;
  /** Bytes. */
  readonly memory: number;
}

/** A control group of Linux with less CPU time and memory than the machine has. It takes root. */
export class ControlGroup {
  readonly #folders: readonly string[];

  private constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  static async make(name: string, { cores, memory }: ControlGroupLimits): Promise<ControlGroup> {
    const quota = Math.round(cores * period);
    const files: readonly (readonly [controller: string, file: string, value: string])[] = isUnified
      ? [
          ['', 'cpu.max', `${quota} ${period}`],
          ['', 'memory.max', String(memory)],
        ]
      : [
          ['cpu', 'cpu.cfs_period_us', String(period)],
          ['cpu', 'cpu.cfs_quota_us', String(quota)],
          ['memory', 'memory.limit_in_bytes', String(memory)],
        ];
    if (isUnified) await writeFile(join(root, 'cgroup.subtree_control'), '+cpu +memory');
    const folders = new Set(files.map(([controller]) => join(root, controller, name)));
    for (const folder of folders) await mkdir(folder, { recursive: true });
    for (const [controller, file, value] of files) await writeFile(join(root, controller, name, file), value);
    return new ControlGroup([...folders]);
  }

  /** Runs `start`, whose new processes and their children belong to the group for good; this process is in it only meanwhile. */
  async around<T>(start: () => Promise<T>): Promise<T> {
    const enter = (folders: readonly string[]): Promise<unknown> =>
      Promise.all(folders.map((folder) => writeFile(join(folder, 'cgroup.procs'), String(process.pid))));
    await enter(this.#folders);
    try {
      return await start();
    } finally {
      await enter(this.#folders.map((folder) => join(folder, '..')));
    }
  }

  /** Bytes that the group had at most, pages of files that it was the first to read included. */
  async peakMemory(): Promise<number> {
    const file = isUnified ? 'memory.peak' : 'memory.max_usage_in_bytes';
    return Number(await readFile(join(this.#folders.at(-1)!, file), 'utf8'));
  }

  /** Once no process of it lives any more. */
  async remove(): Promise<void> {
    for (const folder of this.#folders) {
      const isGone = (): Promise<boolean> =>
        rmdir(folder).then(
          () => true,
          () => false,
        );
      await until('the control group is empty', isGone);
    }
  }
}
