// The tables in the READMEs of our own plugins and of the templates, from their manifests and settings, and the source files that pages of the
// documentation show whole. With --check nothing is written, and one that is stale is a failure.
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { docs } from '../sdk/pluginkit/src/docs.ts';
import { inRoot } from './workspace.mjs';

const isCheck = process.argv.includes('--check');
for (const parent of ['plugins', 'sdk/pluginkit/templates']) {
  for (const name of readdirSync(inRoot(parent))) {
    const folder = inRoot(parent, name);
    if (!existsSync(inRoot(parent, name, 'plugin.json'))) continue;
    try {
      docs(folder, isCheck);
    } catch (error) {
      console.error(`${parent}/${name}: ${error.message}`);
      process.exitCode = 1;
    }
  }
}

/** `<!-- file: path -->` before a block says which file the block shows. */
const shown = /(<!-- file: (\S+) -->\n\n```\w+\n)[^]*?^```$/gm;

for (const page of globSync('docs/**/*.md', { cwd: inRoot() })) {
  const text = readFileSync(inRoot(page), 'utf8');
  const fresh = text.replace(shown, (_, head, file) => `${head}${readFileSync(inRoot(file), 'utf8')}\`\`\``);
  if (fresh === text) continue;
  if (isCheck) {
    console.error(
      `${page} shows a file as it was. Run: node_modules/.bin/node --conditions=source .dev/readme-tables.mjs`,
    );
    process.exitCode = 1;
  } else writeFileSync(inRoot(page), fresh);
}
