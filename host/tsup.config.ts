import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { defineConfig } from 'tsup';
import { library } from '../.dev/tsup.ts';

/** What GET /api/v2/version answers. A source archive without its history has no revision. */
function buildInfo(): { version: string; revision: string; build_date: string } {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  return { version, revision: revision(), build_date: new Date().toISOString().slice(0, 10) };
}

function revision(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '+dirty');
  } catch {
    return 'unknown';
  }
}

export default defineConfig(
  library({ main: 'src/main.ts' }, { define: { TAGWAY_BUILD: JSON.stringify(buildInfo()) } }),
);
