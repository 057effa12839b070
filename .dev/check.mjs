// What `npm run check` runs: everything that can be said about the sources without running the gateway.
import { mochaJob } from './jobs.mjs';
import { inRoot } from './workspace.mjs';

const bin = (...parts) => inRoot('node_modules', ...parts);

const typedocOptions = ['--options', '.dev/typedoc.json', '--logLevel', 'Warn'];
export const typedoc = [bin('typedoc', 'bin', 'typedoc'), ...typedocOptions];

export function checkJobs() {
  return [
    { title: 'generated files', args: [inRoot('schemas', 'generate.ts'), '--check'] },
    { title: 'types and lint', args: ['.dev/types-and-lint.mjs'] },
    { title: 'format', args: [bin('prettier', 'bin', 'prettier.cjs'), '--check', '--log-level=warn', '.'] },
    { title: 'rules of the repository', args: ['.dev/rules.mjs'] },
    { title: 'tables of READMEs', args: ['--conditions=source', '.dev/readme-tables.mjs', '--check'] },
    { title: 'API reports', args: ['.dev/api-report.mjs', '--check'] },
    { title: 'API reference', args: [...typedoc, '--emit', 'none'] },
    mochaJob('the commands and lint rules', inRoot('.dev'), ['*.test.mjs'], 60_000),
  ];
}
