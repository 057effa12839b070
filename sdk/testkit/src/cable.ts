import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './until.ts';

export const hasSocat = spawnSync('socat', ['-V'], { stdio: 'ignore' }).status === 0;

/** A simulated cable with a serial port at its near end. `unplug` removes the port's path, as pulling out a USB adapter does. */
export class SerialCable implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tagway-line-'));
  readonly #far: string;
  #process: ChildProcess | undefined;

  private constructor(far: string) {
    this.#far = far;
  }

  /** The far end is another serial port, or what listens at a TCP port of this machine. */
  static async open(far: 'port' | number): Promise<SerialCable> {
    const cable = new SerialCable(typeof far === 'number' ? `TCP:127.0.0.1:${far},nodelay` : '');
    await cable.plug();
    return cable;
  }

  get near(): string {
    return join(this.#folder, 'near');
  }

  /** Path of the far end, if that is a serial port. */
  get far(): string {
    return join(this.#folder, 'far');
  }

  async plug(): Promise<void> {
    const port = (path: string): string => `PTY,rawer,link=${path}`;
    this.#process = spawn('socat', [port(this.near), this.#far || port(this.far)], { stdio: 'inherit' });
    await until(
      'the port is there',
      () => existsSync(this.near) && (this.#far !== '' || existsSync(this.far)),
    );
  }

  async unplug(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    for (const path of [this.near, this.far]) rmSync(path, { force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.unplug();
    rmSync(this.#folder, { recursive: true });
  }
}

/** A test that needs a serial port. */
export function itWithSerialPort(title: string, work: () => Promise<void>): void {
  if (hasSocat) it(title, work);
  else it.skip(`${title} (skipped: socat is not installed)`);
}
