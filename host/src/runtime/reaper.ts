import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';

/** The variable in the environment of every runner, and of what its plugin starts, that tells whose it is. */
const variable = 'TAGWAY_RUNNER';

/**
 * What the shell does. First of all, and beside the rest, because a look at all processes may take long on a busy machine, it ends what
 * an earlier gateway left behind: what carries the mark of the data folder and not the one of this gateway. Meanwhile it ends processes
 * of runners as it is told, a line `process mark` each, and those of all runners as soon as nobody writes any more, which is when the
 * gateway has ended, however it did. A line that begins with "+" tells of a new runner.
 *
 * A runner leads a process group. What its plugin starts is found below it, in its group, or by its environment, wherever it has
 * moved; it is looked for until nothing is found, because it may go on starting more. SIGKILL ends what spins or was stopped, too.
 */
const script = `
exec 2>/dev/null
trap '' HUP INT QUIT TERM
below() {
  found=
  while [ $# -gt 0 ]; do
    found="$found $*"
    next=
    for parent; do
      for list in /proc/"$parent"/task/*/children; do
        children=
        read -r children < "$list"
        next="$next $children"
      done
    done
    set -- $next
  done
}
marked() {
  passes=0
  again=yes
  while [ -n "$again" ] && [ $passes -lt 50 ]; do
    passes=$((passes + 1))
    again=
    for file in $(grep -lsF "$1" /proc/[0-9]*/environ); do
      [ -n "$2" ] && grep -qsF "$2" "$file" && continue
      process=\${file#/proc/}
      process=\${process%/environ}
      kill -9 "$process" || continue
      again=yes
      [ -n "$2" ] && [ $passes = 1 ] && echo "$process"
    done
  done
}
finish() {
  below $1
  for leader in $1; do kill -9 "-$leader"; done
  kill -9 $found
  marked "$2"
}
held=' '
marked "$1" "$2" &
while read -r runner mark; do
  case $runner in
    +*) held="$held\${runner#+} " ;;
    *)
      case $held in *" $runner "*) held="\${held%%" $runner "*} \${held#*" $runner "}" ;; esac
      finish "$runner" "$mark"
      ;;
  esac
done
finish "$held" "$2"
`;

export interface ReaperEvents {
  /** A process that an earlier gateway had left behind was ended. */
  orphan(pid: number): void;
  /** There is no shell: only runners themselves can be ended, and nothing ends them when this process is killed. */
  missing(reason: string): void;
}

/**
 * Ends the runners of a gateway with all that their plugins started. It is a shell of its own, so that it outlives a gateway that is
 * killed. Where there is no shell, runners are ended alone.
 */
export class Reaper implements Disposable {
  /** What the environment of all runners on this data folder begins with, and of those of this gateway. */
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
    // In a process group of its own, as no signal that is meant for the gateway may end it.
    const shell = spawn('/bin/sh', ['-c', script, 'tagway reaper', this.#ofFolder, this.#ofGateway], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
      cwd: '/',
      detached: true,
    });
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
    shell.on('error', (error) => gone(error.message));
    shell.on('exit', (code, signal) => gone(`it ended with ${signal ?? String(code)}`));
    shell.stdin.on('error', () => undefined);
    let unfinished = '';
    shell.stdout.setEncoding('latin1').on('data', (text: string) => {
      const lines = (unfinished + text).split('\n');
      unfinished = lines.pop() ?? '';
      for (const line of lines) this.#events.orphan(Number(line));
    });
    shell.unref();
    for (const pid of this.#runners.keys()) this.#tell(`+${pid}`);
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
    this.#tell(`+${pid}`);
  }

  /** Ends a runner, or what is left of it, and all that its plugin started. To be called once it has ended, too. */
  end(pid: number): void {
    const mark = this.#runners.get(pid);
    if (mark !== undefined) this.#tell(`${pid} ${mark}`);
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

  #tell(line: string): void {
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
