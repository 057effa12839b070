import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { probe } from './resources.ts';

/** Arguments for a runner process that reports which resources it holds. */
export const withProbe = (): string[] => ['--import', pathToFileURL(probe).href];

/** Arguments for a runner process that may write nowhere but in the nodes' data folders. */
export function confined(folder: string): string[] {
  const allowed = ['fs-read=*', `fs-write=${join(folder, '*')}`, 'addons', 'child-process', 'worker', 'net'];
  return [
    '--permission',
    '--disable-warning=SecurityWarning',
    ...allowed
      .map((permission) => `--allow-${permission}`)
      .filter((flag) => process.allowedNodeEnvironmentFlags.has(flag.replace(/=.*/, ''))),
  ];
}
