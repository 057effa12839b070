import { readFileSync } from 'node:fs';
import { usages } from '@tagway/expression';
import { expect } from 'chai';

describe('The list of functions in the page', () => {
  it('is that of the plugin', () => {
    const file = new URL('../../../host/dashboard/src/expression/functions.ts', import.meta.url);
    const listed = Array.from(readFileSync(file, 'utf8').matchAll(/^ {2}'(.*)',$/gm), ([, usage]) => usage);
    expect(listed).to.have.members([...new Set(usages)]);
  });
});
