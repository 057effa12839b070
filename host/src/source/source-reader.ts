import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Answer, Asked, Looked, PatchQuestion, Question } from './messages.ts';
import { noMemory, SourceError } from './source-error.ts';

/** Megabytes of the heap of the process. */
const heapMegabytes = 512;
/** Milliseconds for a look, with all that is fetched for it. */
const deadline = 300_000;
/** What it inherits of the environment; everything else stays with the gateway. */
const inherited = [
  ...(['PATH', 'TZ', 'TMPDIR', 'NODE_EXTRA_CA_CERTS'] as const),
  ...(['https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY'] as const),
];
/** Kilobytes of private memory, where the system takes such a limit: what a source unpacks to is no heap. */
const memory = 1536 << 10;
const script = 'ulimit -d "$1" 2>/dev/null; shift; exec "$@"';
const shell = '/bin/sh';

/** Looks at a source in a process of its own, which ends with the look. Rejects with `SourceError`. */
export function readSource(question: Question, signal: AbortSignal): Promise<Looked> {
  return ask({ look: question }, signal, inherited);
}

/** Makes a patch in such a process. Rejects with `SourceError`. */
export function makePatch(question: PatchQuestion, signal: AbortSignal): Promise<string> {
  // Nothing is fetched and no other program is started, so it may know what files refer to.
  const secrets = Object.keys(process.env).filter((name) => name.startsWith('TAGWAY_SECRET_'));
  return ask({ patch: question }, signal, [...inherited, ...secrets]);
}

function ask<T>(question: Asked, signal: AbortSignal, variables: readonly string[]): Promise<T> {
  const isSource = import.meta.url.endsWith('.ts');
  const here = dirname(fileURLToPath(import.meta.url));
  const entry = join(here, `source-process.${isSource ? 'ts' : 'js'}`);
  const flags = [`--max-old-space-size=${heapMegabytes}`, ...(isSource ? ['--conditions=source'] : [])];
  return new Promise((resolve, reject) => {
    const own = [process.execPath, ...flags, entry];
    const [command = '', ...args] = existsSync(shell)
      ? [shell, '-c', script, 'sh', String(memory), ...own]
      : own;
    const child = spawn(command, args, {
      env: Object.fromEntries(
        variables.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
      ),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      cwd: '/',
      // With what it starts it is ended as a whole.
      detached: true,
    });
    let isLate = false;
    const end = (): void => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    };
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, deadline);
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    };
    signal.addEventListener('abort', end);
    child.once('message', (said) => {
      const answer = said as Answer<T>;
      if ('done' in answer) resolve(answer.done);
      else {
        const { problem, commit, isSoon = false } = answer;
        reject(new SourceError(problem, { isSoon, ...(commit !== undefined && { commit }) }));
      }
    });
    child.once('error', (cause) => {
      over();
      reject(
        new SourceError(`The process that reads the source cannot be started: ${cause.message}.`, { cause }),
      );
    });
    child.once('exit', (code, killed) => {
      over();
      end();
      // The system or V8 ends what has no memory left, in several ways.
      const isMemory = killed !== null || code === 134;
      reject(
        new SourceError(
          isLate
            ? `The source was not read within ${deadline / 1000} seconds.`
            : isMemory
              ? noMemory
              : 'The process that reads the source has ended before it was done.',
        ),
      );
    });
    child.send(question, (error) => {
      if (error !== null) reject(new SourceError('The process that reads the source cannot be asked.'));
    });
  });
}
