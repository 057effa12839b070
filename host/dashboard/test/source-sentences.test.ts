import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { knownSentences } from '../src/texts/sdk-sentences.ts';
import { sdkSentences } from '../src/texts/sdk-sentences-zh.ts';
import { sourceSentences } from '../src/texts/source-sentences-zh.ts';

const folder = fileURLToPath(new URL('../../src/source/', import.meta.url));
const known = knownSentences({ ...sourceSentences, ...sdkSentences });

/** The sentences that a source is refused with, with a value in each place. */
function refusals(): string[] {
  const made = /new SourceError\(\s*(?:[\w ]+ === undefined\s*\?\s*)?(['`])((?:\\.|(?!\1).)*)\1/gs;
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(`${folder}${file}`, 'utf8').matchAll(made)])
    .map(([, , text = '']) => text.replaceAll(/\$\{[^}]*\}/g, 'x'));
}

describe('the sentences of a configuration source in Chinese', () => {
  it('are there for each that a source is refused with', () => {
    const all = refusals();
    expect(all).to.have.length.above(15);
    // What is wrong with a signature is a clause, and each is known with its beginning.
    for (const text of all.filter((one) => one !== 'The commit x x.'))
      expect(known(text), text)
        .to.match(/[一-鿿]/)
        .and.not.equal(text);
  });

  it('have the places of the English ones', () => {
    const places = (text: string): string => [...new Set(text.match(/\{\d\}/g) ?? [])].sort().join();
    for (const [text, chinese] of Object.entries(sourceSentences))
      expect(places(chinese), text).to.equal(places(text));
  });

  it('are found in a file, and in one another', () => {
    expect(known('drivers/kiln.yaml: The field setings is not known.')).to.match(
      /^drivers\/kiln\.yaml：.*setings/,
    );
    expect(
      known(
        'The repository git+https://git.example/plant.git#main cannot be fetched: there is no repository.',
      ),
    ).to.equal('无法获取仓库 git+https://git.example/plant.git#main：没有仓库。');
  });
});
