import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { mkdtemp, open, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of a few megabytes in memory, which a test can fill without harm to the machine. Needs root. */
export class SmallDisk {
  readonly folder: string;
  readonly #covered: string[] = [];

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Whether this process may mount one. */
  static readonly isPossible = ((): boolean => {
    const folder = mkdtempSync(join(tmpdir(), 'tagway-disk-'));
    const isMounted = mount(folder, 1);
    if (isMounted) spawnSync('umount', [folder]);
    rmdirSync(folder);
    return isMounted;
  })();

  static async make(megabytes: number): Promise<SmallDisk> {
    const folder = await mkdtemp(join(tmpdir(), 'tagway-disk-'));
    if (!mount(folder, megabytes)) throw new Error('The small disk cannot be mounted.');
    return new SmallDisk(folder);
  }

  /** Takes every byte that is free. */
  async fill(): Promise<void> {
    const file = await open(join(this.folder, 'filler'), 'a');
    try {
      for (let size = 1 << 20; size >= 1;) {
        const { bytesWritten } = await file.write(Buffer.alloc(size, 1)).catch((error: unknown) => {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          return { bytesWritten: 0 };
        });
        if (bytesWritten < size) size = Math.floor(size / 2);
      }
    } finally {
      await file.close();
    }
  }

  /** Gives back what `fill` took. */
  async free(): Promise<void> {
    await rm(join(this.folder, 'filler'), { force: true });
  }

  /** Has the system refuse whatever is opened for writing from now on, or take it again. */
  protect(isReadOnly: boolean): void {
    // A second mount, because the first cannot become read-only while a gateway has files open there.
    if (isReadOnly) run('mount', '--bind', this.folder, this.folder);
    if (isReadOnly) run('mount', '-o', 'remount,ro,bind', this.folder);
    else run('umount', this.folder);
  }

  /** Has it in the place of a folder until it is disposed of. */
  cover(folder: string): void {
    run('mount', '--bind', this.folder, folder);
    this.#covered.push(folder);
  }

  async dispose(): Promise<void> {
    for (const folder of this.#covered) run('umount', '-l', folder);
    // Once for each mount.
    while (spawnSync('umount', ['-l', this.folder]).status === 0);
    await rmdir(this.folder);
  }
}

function run(...[command = '', ...args]: string[]): void {
  const { status, stderr } = spawnSync(command, args);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr.toString()}`);
}

function mount(folder: string, megabytes: number): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tagway', folder]).status === 0;
}
