import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ofOthers, shown, withoutUse } from './assertions.ts';

const folder = import.meta.dirname;

/** The sources of all tests of this plugin but this one. */
const tests = readdirSync(folder)
  .filter((name) => name.endsWith('.test.ts') && name !== 'checklist.test.ts')
  .map((name) => readFileSync(join(folder, name), 'utf8'))
  .join('\n');

const idsOf = (list: Readonly<Record<string, readonly string[]>>): string[] => Object.values(list).flat();

describe("the specification's assertions", () => {
  const [byTests, unused, others] = [shown, withoutUse, ofOthers].map((list) => idsOf(list).length);

  it(`${byTests} are shown by tests, ${unused} do not apply to this edge node, ${others} concern hosts and brokers`, () => {
    const all = [shown, withoutUse, ofOthers].flatMap(idsOf);
    expect(new Set(all).size).to.equal(all.length);
    expect(all.length).to.equal(299);
  });

  for (const [title, ids] of Object.entries(shown)) {
    it(`${ids.length} by "${title}"`, () => {
      expect(tests.includes(`'${title}'`) || tests.includes(`\`${title}\``)).to.equal(true);
    });
  }
});
