import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Limits } from '@tagway/schemas';
import { expect } from 'chai';

const root = join(import.meta.dirname, '../../..');

/** The gateway tries the patterns of its own plugins where one that takes long would hold everything up. */
const most = 20;

/** Texts that make expressions which backtrack take long: parts of the pattern itself, over and over, and then what does not fit. */
function* attacks(pattern: string): Iterable<string> {
  const parts = new Set(['a', 'A', '0', '1', '.', '-', '_', ',', '/', 'a.', '0,', 'a0', '[0]', '^', 'é']);
  const letters = [...new Set(pattern.replaceAll(/[\\^$*+?()[\]{}|]/g, ''))];
  for (const one of letters) for (const other of ['', ...letters]) parts.add(one + other);
  for (const part of parts)
    for (const begin of ['', 'A', '0', 'ns=1;s='])
      yield `${begin}${part.repeat(Limits.tagAddress)}`.slice(0, Limits.tagAddress - 1) + '\u0000';
}

interface PatternedSetting {
  readonly pattern: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

describe('the patterns of the plugins that come with the gateway', function () {
  this.timeout(60_000);
  const files = globSync('plugins/*/{plugin,settings.schema}.json', { cwd: root });
  expect(files.length).to.be.greaterThan(10);

  for (const file of files.filter((name) => name.endsWith('settings.schema.json'))) {
    it(`have an example that fits, for the sentence of a refusal: ${dirname(file)}`, () => {
      JSON.parse(readFileSync(join(root, file), 'utf8'), (key, value: unknown) => {
        // The lines of a table are read by forms, which show cells and not the pattern.
        if (key === 'x-table') return value;
        if (typeof value !== 'object' || value === null || !('pattern' in value)) return value;
        const { pattern, default: preset, examples = [preset] } = value as PatternedSetting;
        for (const example of examples) {
          expect(example, pattern).to.be.a('string').and.to.match(new RegExp(pattern, 'u'));
          expect(example, pattern).to.not.equal('');
        }
        return value;
      });
    });
  }

  for (const file of files) {
    it(`answer at once, whatever the text: ${relative('plugins', dirname(file))} ${file.split('/').at(-1)}`, () => {
      const patterns = new Set<string>();
      JSON.parse(readFileSync(join(root, file), 'utf8'), (key, value: unknown) => {
        if (key === 'pattern' && typeof value === 'string') patterns.add(value);
        return value;
      });
      for (const pattern of patterns) {
        const expression = new RegExp(pattern, 'u');
        for (const text of attacks(pattern)) {
          const begin = performance.now();
          expression.test(text);
          const took = performance.now() - begin;
          // A machine that is busy may have been slow once.
          if (took > most) {
            const again = performance.now();
            expression.test(text);
            expect(performance.now() - again, `${pattern} with ${text}`).to.be.lessThan(most);
          }
        }
      }
    });
  }
});
