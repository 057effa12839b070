import { expect } from 'chai';
import { isShown, ofOthers, shown, withoutUse } from './assertions.ts';
// The tests that show assertions. Imported here, they run before the checklist, whether this file runs by itself or with them.
import './commands.test.ts';
import './connect.test.ts';
import './encode.test.ts';
import './session.test.ts';
import './settings.test.ts';

const idsOf = (list: Readonly<Record<string, readonly string[]>>): string[] => Object.values(list).flat();

describe("the specification's assertions", () => {
  const lists = [shown, withoutUse, ofOthers].map(idsOf);
  const [byTests, unused, others] = lists.map(({ length }) => length);

  it(`${byTests} are shown by tests, ${unused} do not apply to this edge node, ${others} concern hosts and brokers`, () => {
    const all = lists.flat();
    expect(new Set(all).size).to.equal(all.length);
    expect(all.length).to.equal(299);
  });

  for (const [subject, ids] of Object.entries(shown)) {
    it(`${ids.length} by the tests of "${subject}", which ran and passed`, () => {
      expect(isShown(subject)).to.equal(true);
    });
  }
});
