// The tables in the READMEs of our own plugins and of the templates, from their manifests and settings. With --check nothing is written,
// and one that is stale is a failure.
import { existsSync, readdirSync } from 'node:fs';
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
