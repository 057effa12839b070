// The public surface of the published packages as text, one file each: whatever changes it shows up as a diff of that file.
// With --check nothing is written, and a file that is not what the sources give is a failure.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import ts from 'typescript';
import { inRoot, readJson, readPackages, root } from './workspace.mjs';

/**
 * Entries of an `exports` map that authors may use; the runner of the SDK is between the gateway and its own release of
 * it. The surface of the schemas is committed as it is: their JSON files and the types generated from them.
 */
const surfaces = { sdk: ['.', './link', './spool'], 'sdk/serial': ['.'], 'sdk/pluginkit': ['.'] };

const options = {
  ...ts.parseJsonConfigFileContent({ extends: './tsconfig.base.json' }, ts.sys, inRoot('.dev')).options,
  noEmit: false,
  declaration: true,
  emitDeclarationOnly: true,
  removeComments: true,
};

/** Where each surface begins: the package, its folder, the name and the source of the entry. */
const entries = readPackages().flatMap(({ folder, path, name }) => {
  const { exports } = readJson(join(path, 'package.json'));
  return (surfaces[folder] ?? []).map((part) => ({
    path,
    name: join(name, part),
    source: join(path, exports[part].source),
  }));
});
const sources = entries.map(({ source }) => source);

/** A program over the declarations of all sources that the entries reach, which stand where the sources stood. */
function programOfDeclarations() {
  const files = new Map();
  ts.createProgram(sources, options).emit(undefined, (name, text) => files.set(name, text));
  const host = ts.createCompilerHost({ ...options, noEmit: true });
  const { fileExists, getSourceFile, readFile } = host;
  const inMemory = (name) => files.get(name.replace(/(?<!\.d)\.ts$/, '.d.ts'));
  host.fileExists = (name) => inMemory(name) !== undefined || fileExists.call(host, name);
  host.readFile = (name) => inMemory(name) ?? readFile.call(host, name);
  host.getSourceFile = (name, target) => {
    const text = inMemory(name);
    return text === undefined
      ? getSourceFile.call(host, name, target)
      : ts.createSourceFile(name, text, target, true);
  };
  return ts.createProgram(sources, { ...options, noEmit: true }, host);
}

const program = programOfDeclarations();
const checker = program.getTypeChecker();

/** What an entry exports, by name, and what those declarations name of the same package. */
function exportsOf(entry, folder) {
  const resolve = (symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

  const module = checker.getSymbolAtLocation(program.getSourceFile(entry));
  const exported = checker.getExportsOfModule(module).sort((a, b) => (a.name < b.name ? -1 : 1));
  const exportedNames = new Set(exported.map(({ name }) => name));

  const named = new Map();
  const add = (name, symbol) => {
    if (named.has(name)) return;
    const declarations = (symbol.declarations ?? []).map((node) =>
      ts.isVariableDeclaration(node) ? node.parent.parent : node,
    );
    named.set(name, { isExported: exportedNames.has(name), declarations });
    for (const declaration of declarations) visit(declaration);
  };
  const visit = (node) => {
    if (ts.isIdentifier(node)) {
      const symbol = checker.getSymbolAtLocation(node);
      const target = symbol && resolve(symbol);
      const [declaration] = target?.declarations ?? [];
      const isOwn = declaration?.getSourceFile().fileName.startsWith(join(folder, 'src'));
      if (isOwn && ts.isSourceFile(declaration.parent)) add(target.name, target);
    }
    ts.forEachChild(node, visit);
  };
  const isHere = (symbol) =>
    (symbol.declarations ?? []).some((node) => node.getSourceFile().fileName.startsWith(folder));
  for (const symbol of exported) if (isHere(resolve(symbol))) add(symbol.name, resolve(symbol));
  const elsewhere = exported.filter((symbol) => !isHere(resolve(symbol))).map(({ name }) => name);
  return { named, elsewhere };
}

function textOf({ named, elsewhere }) {
  const sorted = [...named].sort(([a, one], [b, other]) =>
    one.isExported === other.isExported ? (a < b ? -1 : 1) : one.isExported ? -1 : 1,
  );
  const again = elsewhere.length > 0 ? [`export { ${elsewhere.join(', ')} };`] : [];
  const own = sorted.flatMap(([, { isExported, declarations }]) =>
    declarations.map((node) => {
      const text = node
        .getText()
        .replace(/^export (?:default )?/, '')
        .replace(/^declare /, '');
      return `${isExported ? 'export ' : ''}${ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) ? '' : 'declare '}${text}`;
    }),
  );
  return [...again, ...own].join('\n\n');
}

async function reportOf(pack) {
  const parts = entries
    .filter(({ path }) => path === pack.path)
    .map(({ name, source }) => `## \`${name}\`\n\n\`\`\`ts\n${textOf(exportsOf(source, pack.path))}\n\`\`\``);
  const text = `# The public surface of ${pack.name}

Written by \`node .dev/api-report.mjs\`: a change of what authors see is a change of this file, and needs a changeset.

${parts.join('\n\n')}
`;
  return format(text, { ...readJson(join(root, '.prettierrc.json')), parser: 'markdown' });
}

const isCheck = process.argv.includes('--check');
for (const pack of readPackages().filter(({ folder }) => folder in surfaces)) {
  const file = join(pack.path, 'api-report.md');
  const report = await reportOf(pack);
  if (!isCheck) writeFileSync(file, report);
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== report) {
    console.error(`${pack.folder}/api-report.md is not what the sources give. Run: node .dev/api-report.mjs`);
    process.exitCode = 1;
  }
}
