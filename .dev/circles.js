// The lint rule that keeps files from importing each other in a circle, imports of types included. The plugin that is known for such a
// rule leaves imports of types out, and two files that need each other's types are one idea in two places all the same.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const statement =
  /(?:^|[\s;}])(?:import|export)\s(?:[^'";]*?\sfrom\s*)?'(\.[^']+)'|\bimport\(\s*'(\.[^']+)'\s*\)/g;

/** The files that a file imports by a relative path; read once in a run. */
const imports = new Map();

function importsOf(file) {
  let found = imports.get(file);
  if (found === undefined) {
    const source = existsSync(file) ? readFileSync(file, 'utf8') : '';
    found = [...source.matchAll(statement)].map(([, by, later]) => join(dirname(file), by ?? later));
    imports.set(file, found);
  }
  return found;
}

/** The shortest way from a file to another one by imports. */
function wayTo(target, from) {
  const cameFrom = new Map([[from, undefined]]);
  for (const file of cameFrom.keys()) {
    if (file === target) {
      const way = [];
      for (let at = file; at !== undefined; at = cameFrom.get(at)) way.unshift(at);
      return way;
    }
    for (const next of importsOf(file)) if (!cameFrom.has(next)) cameFrom.set(next, file);
  }
  return undefined;
}

/** What a lint rule returns that looks at everything that imports a module. */
export const onImports = (visit) => ({
  ImportDeclaration: visit,
  ImportExpression: visit,
  ExportNamedDeclaration: visit,
  ExportAllDeclaration: visit,
});

function create(context) {
  const file = context.filename;
  const visit = ({ source }) => {
    if (typeof source?.value !== 'string' || !source.value.startsWith('.')) return;
    const way = wayTo(file, join(dirname(file), source.value));
    if (way === undefined) return;
    const names = way.map((each) => relative(dirname(file), each));
    context.report({ node: source, message: `This import closes a circle: ${names.join(' imports ')}.` });
  };
  return onImports(visit);
}

export default { meta: { type: 'problem', schema: [] }, create };
