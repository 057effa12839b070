// The rules of the repository bite: names that were replaced, and pages that name what is not there.
import { expect } from 'chai';
import { ESLint } from 'eslint';
import { readFileSync } from 'node:fs';
import { pageProblems } from './pages.mjs';
import { replaced, replacedIn, replacedInText, replacedNames } from './words.js';
import { inRoot, root } from './workspace.mjs';

describe('names that were replaced', () => {
  const table = replacedNames(`# Glossary

| Word | Meaning      | names |
| ---- | ------------ | ----- |
| old  | not replaced | names |

## Replaced names

| Old          | New          | Forbidden in |
| ------------ | ------------ | ------------ |
| told-layouts | sent layouts | names        |
| Trail        | audit events | names        |
| gizmo        | thing        | text         |
`);

  it('are those of the table in the glossary', () => {
    expect(table.map(({ old }) => old)).to.deep.equal(['told-layouts', 'Trail', 'gizmo']);
    const rows = readFileSync(inRoot('docs/glossary.md'), 'utf8').split('## Replaced names')[1];
    expect(replaced.length)
      .to.equal(rows.match(/^\|/gm).length - 2)
      .and.be.greaterThan(0);
  });

  for (const name of [
    'toldLayouts',
    'ToldLayouts',
    '#toldLayoutsOfRunner',
    'told-layouts.ts',
    'Trail',
    'gizmo',
    'bigGizmo',
  ])
    it(`are found in ${name}`, () => expect(replacedIn(name, table)).to.be.an('object'));

  for (const name of ['layoutsTold', 'trail', 'trailing', 'AuditTrail', 'gizmos', 'old'])
    it(`are not found in ${name}`, () => expect(replacedIn(name, table)).to.equal(undefined));

  it('are found in text where the table says so', () => {
    expect(replacedInText('// The gizmo that turns.', table)).to.include({ old: 'gizmo' });
    expect(replacedInText('// The told-layouts of a trail, and gizmology.', table)).to.equal(undefined);
  });

  it('are a fault of the lint', async () => {
    const [{ old }] = replaced.filter((one) => /^\w+$/.test(one.old));
    const eslint = new ESLint({ cwd: root, overrideConfigFile: inRoot('.dev', 'eslint.config.js') });
    const [{ messages }] = await eslint.lintText(`export const x = { ${old}: 1 };\n`, {
      filePath: inRoot('.dev/x.mjs'),
    });
    expect(messages.map(({ ruleId }) => ruleId)).to.deep.equal(['words/replaced']);
  });
});

describe('pages', () => {
  const problems = (text) => pageProblems(root, 'docs/api.md', text);

  it('may name what is there', () => {
    const text =
      'See [walk](#walk-through-the-api), [web](https://example.com), [README](../README.md), `plugins/*/README.md`, host/dist/x.js.';
    expect(problems(text)).to.deep.equal([]);
  });

  for (const [text, problem] of [
    ['[a](missing.md)', 'docs/api.md: missing.md leads nowhere.'],
    ['[a](operate.md#no-such-heading)', 'docs/api.md: docs/operate.md has no heading for #no-such-heading.'],
    ['`host/src/missing.ts`', 'docs/api.md: host/src/missing.ts does not exist.'],
    ['<!-- e2e/missing/*.ts -->', 'docs/api.md: e2e/missing/*.ts does not exist.'],
  ])
    it(`may not say ${text}`, () => expect(problems(text)).to.deep.equal([problem]));
});
