import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@tagway/testkit';

export const hasSocat = spawnSync('socat', ['-V'], { stdio: 'ignore' }).status === 0;

/** A pair of serial ports, the far one of which ends where a simulator listens. Pulling it out makes the near port vanish. */
export class Cable implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tagway-meters-'));
  readonly #port: number;
  #processes: ChildProcess[] = [];

  private constructor(port: number) {
    this.#port = port;
  }

  static async plug(port: number): Promise<Cable> {
    const cable = new Cable(port);
    await cable.plugIn();
    return cable;
  }

  get near(): string {
    return join(this.#folder, 'near');
  }

  get #far(): string {
    return join(this.#folder, 'far');
  }

  async plugIn(): Promise<void> {
    const end = (path: string): string => `PTY,rawer,link=${path}`;
    this.#start(end(this.near), end(this.#far));
    await until('the ports are there', () => existsSync(this.near) && existsSync(this.#far));
    this.#start(`${this.#far},rawer`, `TCP:127.0.0.1:${this.#port},nodelay`);
  }

  async pullOut(): Promise<void> {
    const processes = this.#processes.splice(0);
    for (const child of processes) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
    for (const path of [this.near, this.#far]) rmSync(path, { force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pullOut();
    rmSync(this.#folder, { recursive: true });
  }

  #start(from: string, to: string): void {
    this.#processes.push(spawn('socat', [from, to], { stdio: 'ignore' }));
  }
}
