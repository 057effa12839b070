import { execFileSync } from 'node:child_process';
import { defineConfig } from 'tsup';
import { library } from '../.dev/tsup.ts';
import manifest from './package.json' with { type: 'json' };

/** The commit that is built, with `+dirty` when there is more than the commit. */
function revision(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--exclude=*', '--dirty=+dirty'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}

const build = {
  version: manifest.version,
  revision: revision(),
  build_date: new Date().toISOString().slice(0, 10),
};

export default defineConfig(
  library({ main: 'src/main.ts' }, { define: { TAGWAY_BUILD: JSON.stringify(build) } }),
);
