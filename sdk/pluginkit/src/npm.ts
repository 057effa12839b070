import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Failure } from './failure.ts';

/** How npm ended, and what it wrote. */
interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs npm in a folder, with its questions and its output for the user, and fails with `failure` when it does. */
export async function npm(folder: string, args: readonly string[], failure: string): Promise<void> {
  const { code } = await ended(folder, args, 'inherit');
  if (code !== 0) throw new Failure(failure);
}

/**
 * Runs npm in a folder, with a cache of its own there, since npm takes from its cache what the registry may have replaced. Returns what it
 * wrote, which is JSON. What npm says of an error is in the failure.
 */
export async function npmJson(folder: string, args: readonly string[], failure: string): Promise<unknown> {
  // npm also repeats what is damaged, and by itself after a minute for the last time.
  const repeats = ['--fetch-retries=2', '--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=2000'];
  const own = ['--json', '--cache', join(folder, 'cache'), '--update-notifier=false', ...repeats];
  const { code, output, errors } = await ended(folder, [...args, ...own], 'pipe');
  if (code !== 0) throw new Failure(`${failure} ${reasonIn(output, errors)}`.trim());
  try {
    return JSON.parse(output);
  } catch {
    throw new Failure(failure);
  }
}

async function ended(folder: string, args: readonly string[], stdio: 'inherit' | 'pipe'): Promise<Ended> {
  const child = spawn('npm', args, {
    cwd: folder,
    stdio: stdio === 'pipe' ? ['ignore', 'pipe', 'pipe'] : stdio,
  });
  let output = '';
  let errors = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output, errors };
  } catch (cause) {
    throw new Failure('There is no npm on the path, which speaks to the registry.', { cause });
  }
}

/** With --json npm writes an error as JSON; without, as lines that begin with "npm error". */
function reasonIn(output: string, errors: string): string {
  try {
    const { error } = JSON.parse(output) as {
      readonly error?: { readonly summary?: string; readonly code?: string };
    };
    if (error?.code === 'EINTEGRITY') return 'It is not the archive whose SHA-512 the registry has.';
    if (error !== undefined) return `npm: ${error.summary ?? error.code ?? ''}`.trim();
  } catch {
    // It ended before it wrote any.
  }
  const lines = errors.split('\n').filter((line) => line.startsWith('npm error'));
  return lines
    .slice(0, 3)
    .map((line) => line.slice('npm error '.length))
    .join(' ');
}
