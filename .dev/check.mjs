// `npm run check`: everything that can be said about the sources without running the gateway.
import { existsSync } from 'node:fs';
import { addUp, mochaJob, runJobs } from './jobs.mjs';
import { inRoot } from './workspace.mjs';

const bin = (...parts) => inRoot('node_modules', ...parts);

export const typedoc = [
  bin('typedoc', 'bin', 'typedoc'),
  '--options',
  '.dev/typedoc.json',
  '--logLevel',
  'Warn',
];

export function checkJobs() {
  const generator = inRoot('schemas', 'generate.ts');
  const jobs = [
    { title: 'types', args: [bin('typescript', 'bin', 'tsc'), '-p', '.dev/tsconfig.json'] },
    { title: 'types of the web page', args: [bin('typescript', 'bin', 'tsc'), '-p', 'host/dashboard'] },
    {
      title: 'lint',
      args: [bin('eslint', 'bin', 'eslint.js'), '--config', '.dev/eslint.config.js', '--max-warnings=0', '.'],
    },
    { title: 'format', args: [bin('prettier', 'bin', 'prettier.cjs'), '--check', '--log-level=warn', '.'] },
    { title: 'rules of the repository', args: ['.dev/rules.mjs'] },
    { title: 'tables of READMEs', args: ['--conditions=source', '.dev/readme-tables.mjs', '--check'] },
    { title: 'API reports', args: ['.dev/api-report.mjs', '--check'] },
    { title: 'API reference', args: [...typedoc, '--emit', 'none'] },
    mochaJob('the commands and lint rules', inRoot('.dev'), ['*.test.mjs'], 60_000),
  ];
  if (existsSync(generator)) jobs.unshift({ title: 'generated files', args: [generator, '--check'] });
  else console.log('schemas/generate.ts does not exist; generated files are not checked.');
  return jobs;
}

export async function check() {
  const { failed } = addUp(await runJobs(checkJobs(), { width: 2 }));
  return failed === 0 ? 0 : 1;
}
