import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { inlineRunner, mostMessageBytes, type ToRunner, Wire } from '@tagway/sdk/internal';
import { runnerFlags } from '../../core/system/v8-flags.ts';
import { lowPortRight } from '../../core/system/low-ports.ts';
import { isObject } from '../../core/system/shapes.ts';
import { systemReason } from '../../core/system/system-error.ts';
import { limited, prepareLimit, saysNoMemory } from './data-limit.ts';
import { withLowPorts } from './low-ports.ts';
import { allowed, watchMemory } from './memory-watch.ts';
import { OutputLines } from './output-lines.ts';
import type { Reaper } from './reaper.ts';
import type { RunnerUser } from './runner-user.ts';

/** The connection to one runner. It ends once, with `gone`. */
export interface Channel {
  /** Undefined for a runner in this process. */
  readonly pid: number | undefined;
  /** Calls `done` when the message has left this process, or cannot any more. */
  send(message: ToRunner, done?: () => void): void;
  /** Ends the runner at once, whatever it is doing. `gone` gets `reason` if it is given. */
  kill(reason?: string): void;
}

export interface ChannelEvents {
  /** What the runner sent. Nothing is known of its shape. */
  message(message: unknown): void;
  /** A line that the plugin wrote on its standard output or error. */
  output(line: string): void;
  /** The runner is no more; `reason` completes the sentence "The runner …". */
  gone(reason: string): void;
}

/** What a runner is for. */
export type RunnerKind = 'driver' | 'app';

export interface ChannelOptions {
  /** Where a debugger may attach to the runner, on this machine alone. */
  readonly debugPort?: number | undefined;
  /** The plugin takes connections: it may have ports below 1024 where the gateway may. */
  readonly listens?: boolean;
}

export type OpenChannel = (
  plugin: string,
  kind: RunnerKind,
  events: ChannelEvents,
  options?: ChannelOptions,
) => Channel;

/** Who ends the runners of drivers when a gateway of a pair loses its lease. */
export interface RunnerWatch {
  /** Until when drivers may send anything to devices. */
  readonly deadlineFile: string;
  /** A runner was started. */
  runner(pid: number, kind: RunnerKind): void;
  /** It has ended. */
  gone(pid: number): void;
}

/** The environment variables that a runner inherits; everything else stays with the host. */
const inherited = ['PATH', 'TZ', 'LANG', 'LC_ALL', 'TMPDIR', 'NODE_EXTRA_CA_CERTS'] as const;

/** Milliseconds: the last messages of a process and the event of its exit come in either order, at most this long after one another. */
const exitDelay = 500;

/** The module that a runner begins with. */
export const runnerEntry = (): string => fileURLToPath(import.meta.resolve('@tagway/sdk/internal/process'));

export interface RunnerOptions {
  readonly reaper: Reaper;
  /** Of the heap of each runner. */
  readonly memoryMegabytes: number;
  /** Whom they become. Absent: they stay the gateway's own user. */
  readonly user?: RunnerUser | undefined;
  /** In a pair of gateways. */
  readonly watch?: RunnerWatch | undefined;
}

/** Runs each runner in a process of its own. */
export function forkedRunners({ memoryMegabytes, reaper, user, watch }: RunnerOptions): OpenChannel {
  const entry = runnerEntry();
  prepareLimit();
  const env = Object.fromEntries(
    inherited.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  const right = lowPortRight();
  return (plugin, kind, events, { debugPort, listens = false } = {}) => {
    const isGated = watch !== undefined && kind === 'driver';
    const mark = reaper.mark();
    const inspect = debugPort === undefined ? [] : [`--inspect=127.0.0.1:${debugPort}`];
    const flags = [`--max-old-space-size=${memoryMegabytes}`, ...runnerFlags, ...inspect];
    const {
      command: [command, ...args],
      becomes,
    } = withLowPorts(limited([process.execPath, ...flags, entry, plugin], memoryMegabytes), {
      listens,
      user,
      right,
    });
    const child = spawn(command, args, {
      env: {
        ...env,
        ...reaper.environment(mark),
        ...(!becomes && user?.environment),
        ...(isGated && { TAGWAY_DEADLINE_FILE: watch.deadlineFile }),
      },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      // Leads a process group, with which it is ended.
      detached: process.platform !== 'win32',
    });
    const { pid } = child;
    if (pid === undefined) {
      child.on('error', (error) => events.gone(`could not be started: ${whyNotStarted(error)}`));
      return { pid, send: (_message, done) => done?.(), kill: () => undefined };
    }
    reaper.began(pid, mark);
    watch?.runner(pid, kind);
    const stream = child.stdio[3] as Duplex;
    let open = true;
    let verdict: string | undefined;
    let hadNoMemory = false;
    const close = (reason: string): void => {
      if (!open) return;
      open = false;
      stream.destroy();
      events.gone(verdict ?? reason);
    };
    const kill = (reason?: string): void => {
      verdict ??= reason;
      reaper.end(pid);
      setTimeout(() => child.kill('SIGKILL'), 2 * exitDelay).unref();
    };
    const wire = new Wire(
      stream,
      {
        message: (message) => {
          if (!open || verdict !== undefined) return;
          if (isObject(message) && message['op'] === 'log')
            hadNoMemory ||= saysNoMemory(String(message['message']));
          events.message(message);
        },
        protocolError: (reason) => kill(reason),
      },
      mostMessageBytes,
    );
    stream.on('error', () => undefined);
    stream.on('close', () => {
      setTimeout(() => {
        if (child.exitCode === null && child.signalCode === null)
          kill('closed its line to the gateway without ending');
      }, exitDelay).unref();
    });
    const endWatch = watchMemory(pid, memoryMegabytes, kill);
    child.on('exit', (code, signal) => {
      endWatch();
      reaper.ended(pid);
      watch?.gone(pid);
      const end = signal ? `was ended by ${signal}` : `ended with exit code ${code ?? 'unknown'}`;
      const reason = (): string =>
        hadNoMemory ? `had no memory left and ${end}; ${allowed(memoryMegabytes)}` : end;
      // Its last messages are delivered before `gone`.
      if (stream.closed) close(reason());
      else {
        stream.once('close', () => close(reason()));
        setTimeout(() => close(reason()), exitDelay).unref();
      }
    });
    child.on('error', (error) => {
      kill();
      close(`failed: ${error.message}`);
    });
    for (const output of [child.stdout, child.stderr]) {
      const lines = new OutputLines((line) => {
        hadNoMemory ||= saysNoMemory(line);
        events.output(line);
      });
      output?.on('data', (chunk: Buffer) => lines.push(chunk));
      output?.on('end', () => lines.end());
      output?.on('error', () => undefined);
    }
    return {
      pid,
      send(message, done) {
        if (!open) {
          done?.();
          return;
        }
        try {
          user?.admit(message);
        } catch (error) {
          kill(`was ended, because its user could not be given a folder: ${systemReason(error)}`);
        }
        wire.send(message, done);
      },
      kill,
    };
  };
}

function whyNotStarted(error: Error): string {
  const isFull = 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
  if (!isFull) return error.message;
  return 'the gateway has as many files and connections open as it may; close some, or raise the limit (ulimit -n, LimitNOFILE)';
}

/**
 * Runs every runner in this process: for tiny devices that trust their plugins. Nothing protects the host from them, and what was
 * once imported stays in memory.
 */
export const inlineRunners: OpenChannel = (_plugin, _kind, events) => {
  const runner = inlineRunner((message) => events.message(message));
  return {
    pid: undefined,
    send(message, done) {
      runner.send(message.op === 'load' ? { ...message, revision: revisionOf(message.main) } : message);
      done?.();
    },
    kill(reason = 'was ended') {
      void runner[Symbol.asyncDispose]().then(() => events.gone(reason));
    },
  };
};

/** A text for a module file that changes when the file is replaced, so that the new version is imported and not the one in memory. */
function revisionOf(main: string): string {
  return String(statSync(main, { throwIfNoEntry: false })?.mtimeMs ?? 0);
}
