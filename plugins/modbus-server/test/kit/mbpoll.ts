import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What mbpoll prints. Rejects when it does not succeed. */
export async function mbpoll(args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('mbpoll', [...args], { timeout: 20_000 });
  return stdout;
}
