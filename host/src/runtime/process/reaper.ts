import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** The environment variable of every runner, and of what its plugin starts, that names the gateway it belongs to. */
const variable = 'TAGWAY_RUNNER';

/** Milliseconds until a shell is started that could not be. */
const retry = 5000;

const script = fileURLToPath(new URL('./reaper.sh', import.meta.url));

export interface ReaperEvents {
  /** A process that an earlier gateway had left behind was ended. */
  orphan(pid: number): void;
  /** There is no shell: only runners themselves can be ended, and nothing ends them when this process is killed. */
  missing(reason: string): void;
}

/**
 * Ends the runners of a gateway with all that their plugins started, through `reaper.sh`: a process of its own, which outlives a gateway
 * that is killed. Where there is no shell, only the runners themselves are ended.
 */
export class Reaper implements Disposable {
  /** How the mark begins in the environment of all runners on this data folder, and of the runners of this gateway. */
  readonly #ofFolder: string;
  readonly #ofGateway: string;
  readonly #folder: string;
  readonly #events: ReaperEvents;
  /** Marks by process. */
  readonly #runners = new Map<number, string>();
  #shell: ChildProcessByStdio<Writable, Readable, null> | undefined;
  #isClosed = process.platform === 'win32';
  #count = 0;

  /** `folder` is the data folder, which no other gateway uses. */
  constructor(folder: string, events: ReaperEvents) {
    const { dev, ino } = statSync(folder, { bigint: true });
    this.#ofFolder = `${variable}=${dev}-${ino}.`;
    this.#ofGateway = `${this.#ofFolder}${randomBytes(8).toString('hex')}.`;
    this.#folder = folder;
    this.#events = events;
  }

  /** Ends what an earlier gateway left behind. Without it that happens with the first runner. */
  start(): void {
    if (this.#isClosed || this.#shell !== undefined) return;
    // In a process group of its own, so that no signal to the gateway ends it.
    const shell = spawn('/bin/sh', [script, this.#ofFolder, this.#ofGateway], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
      cwd: '/',
      detached: true,
    });
    if (shell.pid === undefined) {
      shell.on('error', (error: NodeJS.ErrnoException) => this.#later(error));
      return;
    }
    this.#shell = shell;
    const begun = performance.now();
    const gone = (reason: string): void => {
      if (this.#shell !== shell) return;
      this.#shell = undefined;
      if (this.#isClosed) return;
      if (performance.now() - begun > 1000) this.start();
      else {
        this.#isClosed = true;
        this.#events.missing(reason);
      }
    };
    shell.on('error', () => undefined);
    shell.on('exit', (code, signal) => gone(`it ended with ${signal ?? String(code)}`));
    shell.stdin.on('error', () => undefined);
    let unfinished = '';
    shell.stdout.setEncoding('latin1').on('data', (text: string) => {
      const lines = (unfinished + text).split('\n');
      unfinished = lines.pop() ?? '';
      for (const line of lines) this.#events.orphan(Number(line));
    });
    shell.unref();
    for (const pid of this.#runners.keys()) this.#send(`+${pid}`);
  }

  /** A mark for a runner, which goes into its environment. */
  mark(): string {
    return `${this.#ofGateway}${++this.#count};`;
  }

  /** The environment variable that carries a mark. The folder is for people who find the process. */
  environment(mark: string): Record<string, string> {
    return { [variable]: `${mark.slice(variable.length + 1)}${this.#folder}` };
  }

  /** A runner with this mark was started as a process that leads its group. */
  began(pid: number, mark: string): void {
    this.start();
    this.#runners.set(pid, mark);
    this.#send(`+${pid}`);
  }

  /** Ends a runner and all that its plugin started. To be called after the runner has ended, too: what it started may be left. */
  end(pid: number): void {
    const mark = this.#runners.get(pid);
    if (mark !== undefined) this.#send(`${pid} ${mark}`);
    if (this.#shell === undefined) killGroup(pid);
  }

  /** The runner has ended. */
  ended(pid: number): void {
    this.end(pid);
    this.#runners.delete(pid);
  }

  /** Ends all runners. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#shell?.stdin.end();
  }

  /** There was no descriptor or process left for the shell, which may change; or there is no shell. */
  #later(error: NodeJS.ErrnoException): void {
    if (error.code === 'ENOENT' || error.code === 'EACCES') {
      this.#isClosed = true;
      this.#events.missing(error.message);
    } else setTimeout(() => this.start(), retry).unref();
  }

  #send(line: string): void {
    this.#shell?.stdin.write(`${line}\n`);
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}
