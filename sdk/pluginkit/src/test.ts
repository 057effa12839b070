import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { bundleVariable } from './library.ts';

/** Runs the tests of a built plugin with mocha, against its bundle, with more in its environment. Returns the exit code. */
export async function test(
  folder: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<number> {
  const mocha = dirname(createRequire(import.meta.url).resolve('mocha/package.json'));
  const files = args.some((arg) => !arg.startsWith('-')) ? [] : ['test/**/*.test.ts'];
  const child = spawn(process.execPath, [join(mocha, 'bin', 'mocha.js'), ...files, ...args], {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, [bundleVariable]: '1', ...more },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
