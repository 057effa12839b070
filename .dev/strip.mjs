// Takes the types out of every TypeScript source of the repository, and keeps the results where the processes of the tests look for them:
// in Node's compile cache, which NODE_COMPILE_CACHE names. Otherwise each process would load the compiler that does it for the one file
// that no process before has kept: a new test file, or what a process began with that was killed, which keeps nothing. That costs a
// runner two thirds of its CPU time; all files together take one second here. Runs with --expose-internals: Node has no other way to
// strip a file under its name, under which the result is found again, without running it.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './workspace.mjs';

const { stripTypeScriptModuleTypes } = createRequire(import.meta.url)('internal/modules/typescript');

const isSource = (name) => name.endsWith('.ts') && !name.endsWith('.d.ts');

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return isSource(entry.name) ? [path] : [];
    const isOurs = !entry.name.startsWith('.') && !['node_modules', 'dist'].includes(entry.name);
    return entry.isDirectory() && isOurs ? sources(path) : [];
  });
}

for (const file of sources(root)) {
  try {
    stripTypeScriptModuleTypes(readFileSync(file, 'utf8'), pathToFileURL(file).href);
  } catch {
    // What cannot be stripped fails where it is used, which says why.
  }
}
