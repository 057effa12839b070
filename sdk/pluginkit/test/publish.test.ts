import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect } from 'chai';
import { argumentsFor, publish } from '../src/publish.ts';
import { hintsOfListing, problemsOfListing } from '../src/listing.ts';
import { readLibrary } from '../src/library.ts';
import { driverFiles, failureOf, Folder } from './folder.ts';

const readme = `# Nothing\n\n${'It does nothing, and here is how it is set up. '.repeat(5)}\n`;

/** What a driver that may be published has beside the others. */
const complete = {
  ...driverFiles,
  'README.md': readme,
  'package.json': {
    ...driverFiles['package.json'],
    name: '@acme/tagway-nothing',
    description: 'Does nothing.',
    license: 'MIT',
    keywords: ['nothing'],
  },
};
const packageJson = complete['package.json'];

describe('what people see before they install a plugin', () => {
  const problemsOf = (files: Readonly<Record<string, unknown>>): string[] => {
    using folder = new Folder().write({ ...complete, ...files });
    return problemsOfListing(readLibrary(folder.path));
  };

  it('may be published when nothing is missing', () => {
    expect(problemsOf({})).to.deep.equal([]);
  });

  const wrong: Readonly<Record<string, readonly [Readonly<Record<string, unknown>>, RegExp]>> = {
    'a private package': [{ 'package.json': { ...packageJson, private: true } }, /"private" is true/],
    'a name that is none': [
      { 'package.json': { ...packageJson, name: 'My Plugin' } },
      /"My Plugin" cannot be/,
    ],
    'no description': [{ 'package.json': { ...packageJson, description: '' } }, /"description" is the line/],
    'no keyword of its own': [
      { 'package.json': { ...packageJson, keywords: ['tagway-plugin'] } },
      /"keywords" has no word of yours/,
    ],
    'no licence': [{ 'package.json': { ...packageJson, license: undefined } }, /"license" is missing/],
    'a licence in a file that is not there': [
      { 'package.json': { ...packageJson, license: 'SEE LICENSE IN LICENSE.md' } },
      /leads to the file LICENSE\.md, which is not there/,
    ],
    'a platform that is none': [
      { 'package.json': { ...packageJson, os: ['Linux of ours'] } },
      /package\.json and plugin\.json: .*os/,
    ],
    'native modules for it does not say which machines': [
      { 'plugin.json': { ...driverFiles['plugin.json'], native: true } },
      /"os" and "cpu" do not say for which machines/,
    ],
    'a readme of a title': [{ 'README.md': '# Nothing\n' }, /README\.md has fewer than 200 characters/],
    'a readme with stale tables': [
      { 'README.md': `${readme}<!-- pluginkit: addresses -->\nold\n<!-- /pluginkit -->\n` },
      /its tables are not those of plugin\.json/,
    ],
  };
  for (const [what, [files, message]] of Object.entries(wrong)) {
    it(`is refused with ${what}`, () => {
      const problems = problemsOf(files);
      expect(problems).to.have.length(1);
      expect(problems[0]).to.match(message);
    });
  }

  it('is hinted at where it could be better', () => {
    using folder = new Folder().write(complete);
    expect(hintsOfListing(readLibrary(folder.path))).to.have.length(4);
  });
});

describe('publish', function () {
  this.timeout(120_000);
  const { PATH } = process.env;
  afterEach(() => {
    process.env['PATH'] = PATH;
  });

  /** Puts a program before npm that writes down how it was called, and keeps the file. */
  function recordNpm(folder: Folder, code = 0): () => string[] {
    const bin = join(folder.path, 'bin');
    mkdirSync(bin);
    const script = `#!/bin/sh\nfor arg; do echo "$arg"; done > "${bin}/called"\nexit ${code}\n`;
    writeFileSync(join(bin, 'npm'), script, { mode: 0o755 });
    process.env['PATH'] = `${bin}${delimiter}${PATH ?? ''}`;
    return () => readFileSync(join(bin, 'called'), 'utf8').trim().split('\n');
  }

  const run = (folder: Folder): Promise<void> =>
    publish(folder.path, { key: undefined, npm: ['--access', 'public'] }, () => undefined);

  /** Tests that stand for the conformance suite: they leave what it leaves. */
  const suiteWith = (outcome: object): string => `
    const { writeFileSync } = await import('node:fs');
    it('passes', () => {});
    after(() => writeFileSync(process.env.TAGWAY_CONFORMANCE_OUTCOME, ${JSON.stringify(JSON.stringify(outcome))}));
  `;

  it('gives npm the archive and what follows --, once the tests have passed', async () => {
    using folder = new Folder().write({
      ...complete,
      'test/all.test.ts': suiteWith({ id: 'nothing', passed: 3, others: 0 }),
    });
    const called = recordNpm(folder);
    await run(folder);
    const [command, file, ...rest] = called();
    expect(command).to.equal('publish');
    expect(file).to.match(/nothing-1\.0\.0\.tgz$/);
    expect(rest).to.deep.equal(['--access', 'public']);
  });

  it('gives npm nothing when a test fails, or the conformance suite was not run, or in part', async () => {
    const tests: readonly (readonly [string, string])[] = [
      [`it('fails', () => { throw new Error('no'); });`, 'A test of the plugin failed'],
      [`it('passes', () => {});`, 'do not run the conformance suite of nothing'],
      [suiteWith({ id: 'other', passed: 3, others: 0 }), 'do not run the conformance suite of nothing'],
      [
        suiteWith({ id: 'nothing', passed: 3, others: 2 }),
        '2 of 5 tests of the conformance suite were left out',
      ],
    ];
    for (const [text, message] of tests) {
      using folder = new Folder().write({ ...complete, 'test/all.test.ts': text });
      const called = recordNpm(folder);
      expect(await failureOf(run(folder))).to.include(message);
      expect(called).to.throw('ENOENT');
    }
  });

  it('says so when npm refuses, and leaves nothing behind', async () => {
    using folder = new Folder().write({
      ...complete,
      'test/all.test.ts': suiteWith({ id: 'nothing', passed: 3, others: 0 }),
    });
    const called = recordNpm(folder, 1);
    expect(await failureOf(run(folder))).to.include('npm did not publish @acme/tagway-nothing@1.0.0');
    expect(existsSync(dirname(called()[1] ?? ''))).to.equal(false);
  });

  it('looks at what people see before it builds, and at words that are for nobody', async () => {
    using folder = new Folder().write({ ...complete, 'README.md': '' });
    const called = recordNpm(folder);
    expect(await failureOf(run(folder))).to.include('README.md has fewer than');
    folder.write({ 'README.md': readme });
    const options = { key: undefined, npm: ['other-folder'] };
    expect(await failureOf(publish(folder.path, options, () => undefined))).to.include(
      '"other-folder" is nothing',
    );
    const badKey = { key: join(folder.path, 'README.md'), npm: [] };
    expect(await failureOf(publish(folder.path, badKey, () => undefined))).to.include('There is no such key');
    expect(called).to.throw('ENOENT');
  });

  it('keeps a pre-release from those who do not ask for it, and has provenance stated where that is possible', () => {
    const job = { ACTIONS_ID_TOKEN_REQUEST_URL: 'there' };
    expect(argumentsFor({ version: '1.0.0' }, [], {})).to.deep.equal([]);
    expect(argumentsFor({ version: '1.0.0-beta.1' }, [], {})).to.deep.equal(['--tag', 'next']);
    expect(argumentsFor({ version: '1.0.0-beta.1' }, ['--tag=beta'], {})).to.deep.equal(['--tag=beta']);
    const own = { version: '1.0.0-beta.1', publishConfig: { tag: 'beta', provenance: false } };
    expect(argumentsFor(own, [], job)).to.deep.equal([]);
    expect(argumentsFor({ version: '1.0.0' }, [], job)).to.deep.equal(['--provenance']);
    expect(argumentsFor({ version: '1.0.0' }, ['--no-provenance'], job)).to.deep.equal(['--no-provenance']);
  });
});
