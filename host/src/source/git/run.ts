import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { gitLimits } from './limits.ts';

/** How a program ended. */
export interface Ran {
  /** Undefined: it could not be started. */
  readonly code: number | undefined;
  /** It was ended because it took too long, or said too much. */
  readonly isOver: boolean;
  /** It was ended because a file of it became too large. */
  readonly isTooLarge: boolean;
  readonly out: Buffer;
  /** The end of what it wrote about errors. */
  readonly errors: string;
}

export interface RunOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly input?: Buffer;
  readonly folder?: string;
}

const shell = '/bin/sh';
/** Blocks of 512 bytes of a file, and kilobytes of memory, where the system takes such limits. */
const script = 'ulimit -f "$1" 2>/dev/null; ulimit -v "$2" 2>/dev/null; shift 2; exec "$@"';
const memory = 1 << 20;
const mostOutput = 64 << 20;
const mostErrors = 4000;

/** Runs a program to its end, with limits of its time, of its output, of its files and of its memory. */
export function run(program: string, args: readonly string[], options: RunOptions): Promise<Ran> {
  const limits = [String(gitLimits.bytes / 512), String(memory)];
  const isLimited = existsSync(shell);
  const command = isLimited ? shell : program;
  const rest = isLimited ? ['-c', script, 'sh', ...limits, program, ...args] : args;
  return new Promise((resolve) => {
    const child = spawn(command, rest, {
      env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', ...options.env },
      cwd: options.folder ?? '/',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const pieces: Buffer[] = [];
    let size = 0;
    let errors = '';
    let isOver = false;
    const end = (): void => {
      isOver = true;
      child.kill('SIGKILL');
    };
    const timer = setTimeout(end, gitLimits.within);
    child.stdout.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > mostOutput) end();
      else pieces.push(piece);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-mostErrors);
    });
    // It may end without reading its input.
    child.stdin.on('error', () => undefined).end(options.input);
    child.once('error', () => {
      clearTimeout(timer);
      resolve({ code: undefined, isOver, isTooLarge: false, out: Buffer.alloc(0), errors });
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      const isTooLarge = signal === 'SIGXFSZ' || /File size limit|File too large/i.test(errors);
      // The shell says 127 for what is not there.
      const isMissing = code === 127;
      resolve({
        code: isMissing ? undefined : (code ?? -1),
        isOver,
        isTooLarge,
        out: Buffer.concat(pieces),
        errors,
      });
    });
  });
}
