import { fork } from 'node:child_process';
import { statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type FromRunner, inlineRunner, type ToRunner } from '@tagway/sdk/internal';

/** A line to one runner. It ends once, with `gone`. */
export interface Channel {
  /** Undefined for a runner in this process. */
  readonly pid: number | undefined;
  /** Calls `done` when the message has left this process, or cannot any more. */
  send(message: ToRunner, done?: () => void): void;
  /** Ends the runner at once, whatever it is doing. */
  kill(): void;
}

export interface ChannelEvents {
  message(message: FromRunner): void;
  /** A line that the plugin wrote on its standard output or error. */
  output(line: string): void;
  /** The runner is no more; `reason` completes the sentence "The runner …". */
  gone(reason: string): void;
}

/** `debugPort`: where a debugger may attach to the runner, on this machine alone. */
export type OpenChannel = (plugin: string, events: ChannelEvents, debugPort?: number) => Channel;

/** The environment variables that a runner inherits; everything else stays with the host. */
const inherited = ['PATH', 'TZ', 'LANG', 'LC_ALL', 'TMPDIR', 'NODE_EXTRA_CA_CERTS'] as const;

/** Runs each runner in a process of its own, with a heap of at most `memoryMegabytes`. */
export function forkedRunners(memoryMegabytes: number): OpenChannel {
  const entry = fileURLToPath(import.meta.resolve('@tagway/sdk/internal/process'));
  const env = Object.fromEntries(
    inherited.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  return (plugin, events, debugPort) => {
    const child = fork(entry, [plugin], {
      serialization: 'advanced',
      env,
      execArgv: [
        ...[`--max-old-space-size=${memoryMegabytes}`, '--max-semi-space-size=2'],
        ...(debugPort === undefined ? [] : [`--inspect=127.0.0.1:${debugPort}`]),
      ],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let open = true;
    const close = (reason: string): void => {
      if (!open) return;
      open = false;
      events.gone(reason);
    };
    child.on('message', (message) => {
      if (open) events.message(message as FromRunner);
    });
    child.on('exit', (code, signal) =>
      close(signal ? `was ended by ${signal}` : `ended with exit code ${code ?? 'unknown'}`),
    );
    child.on('error', (error) => {
      child.kill('SIGKILL');
      close(`failed: ${error.message}`);
    });
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => events.output(line.slice(0, 1000)));
    }
    return {
      pid: child.pid,
      send(message, done) {
        if (open && child.connected) child.send(message, () => done?.());
        else done?.();
      },
      kill: () => void child.kill('SIGKILL'),
    };
  };
}

/**
 * Runs every runner in this process: for tiny devices that trust their plugins. Nothing protects the host from them, and what was
 * once imported stays in memory.
 */
export const inlineRunners: OpenChannel = (_plugin, events) => {
  const runner = inlineRunner((message) => events.message(message));
  return {
    pid: undefined,
    send(message, done) {
      runner.send(message.op === 'load' ? { ...message, revision: revisionOf(message.main) } : message);
      done?.();
    },
    kill() {
      void runner[Symbol.asyncDispose]().then(() => events.gone('was ended'));
    },
  };
};

/** A text for a module file that changes when the file is replaced, so that the new version is imported and not the one in memory. */
function revisionOf(main: string): string {
  return String(statSync(main, { throwIfNoEntry: false })?.mtimeMs ?? 0);
}
