import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { defineConfig } from 'tsup';
import { beside, instead, program } from '../.dev/tsup.ts';

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

/** What koa's helpers know of media types: 0.4 MB as they come, of which koa itself names these, by json, bin, html and text. */
const mimeTypes = {
  'application/json': { charset: 'UTF-8', compressible: true, extensions: ['json', 'map'] },
  'application/octet-stream': { extensions: ['bin'] },
  'text/html': { charset: 'UTF-8', compressible: true, extensions: ['html'] },
  'text/plain': { charset: 'UTF-8', compressible: true, extensions: ['txt', 'text'] },
};

/** The process that asks registries, in one file of its own, so that it shares nothing with what the gateway loads. */
const registryProcess = 'registry-process';
/** The process that reads the sources of configurations: the same. */
const sourceProcess = 'source-process';

export default defineConfig([
  program(
    { main: 'src/main.ts' },
    {
      define: { TAGWAY_BUILD: JSON.stringify(buildInfo()) },
      minifyWhitespace: true,
      // Both are built side by side, into one folder.
      clean: [`!${registryProcess}.js*`, `!${sourceProcess}.js*`],
      esbuildPlugins: [
        beside('src/runtime/process/reaper.sh'),
        instead({
          'mime-db': `module.exports = ${JSON.stringify(mimeTypes)};`,
          // The schema of schemas, by ajv's name for it: no Ajv of ours checks a schema with it.
          './refs/json-schema-2020-12': 'exports.default = () => undefined;',
        }),
      ],
    },
  ),
  program(
    { [registryProcess]: `src/directory/${registryProcess}.ts` },
    {
      splitting: false,
      clean: false,
      minifyWhitespace: true,
      // The client of tuf-js, which is not asked: registries and their keys are fetched by the gateway's own rules.
      esbuildPlugins: [instead({ 'make-fetch-happen': 'module.exports = undefined;' })],
    },
  ),
  program(
    { [sourceProcess]: `src/source/${sourceProcess}.ts` },
    { splitting: false, clean: false, minifyWhitespace: true },
  ),
]);
