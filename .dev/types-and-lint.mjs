// Types and lint of all sources, in one process and over the same programs: what TypeScript finds out about the types for one of the two
// is a third of the work of both. Arguments: the files to lint, instead of all.
import { ESLint } from 'eslint';
import ts from 'typescript';
import config from './eslint.config.js';
import { inRoot, root } from './workspace.mjs';

const names = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => root,
  getNewLine: () => '\n',
};

function report(diagnostics) {
  if (diagnostics.length === 0) return;
  process.exitCode = 1;
  console.error(ts.formatDiagnostics(diagnostics, names));
}

/** The program of a project, as its tsconfig.json describes it. */
function programOf(project) {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (diagnostic) => report([diagnostic]) };
  const { options, fileNames, errors } = ts.getParsedCommandLineOfConfigFile(inRoot(project), {}, host);
  report(errors);
  return ts.createProgram(fileNames, options);
}

/** The program of each project that the linter's configuration names. */
const programs = new Map();

/** An entry of the configuration with a program in the place of the name of its project. */
function withProgram(entry) {
  const { project, ...parserOptions } = entry.languageOptions?.parserOptions ?? {};
  if (project === undefined) return entry;
  if (!programs.has(project)) programs.set(project, programOf(project));
  const languageOptions = {
    ...entry.languageOptions,
    parserOptions: { ...parserOptions, programs: [programs.get(project)] },
  };
  return { ...entry, languageOptions };
}

const overrideConfig = config.map(withProgram);
for (const program of programs.values()) report(ts.getPreEmitDiagnostics(program));

const eslint = new ESLint({ cwd: root, overrideConfigFile: true, overrideConfig });
const given = process.argv.slice(2);
const results = await eslint.lintFiles(given.length > 0 ? given : ['.']);
if (results.some(({ errorCount, warningCount }) => errorCount + warningCount > 0)) process.exitCode = 1;
const { format } = await eslint.loadFormatter('stylish');
process.stdout.write(await format(results));
