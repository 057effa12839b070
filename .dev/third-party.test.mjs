import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { carryPackages } from './carry.mjs';
import { fits, noticesOf, thirdParty } from './third-party.mjs';

describe('the packages of others in the archive', () => {
  let folder;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'tagway-third-party-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const add = (place, manifest, files = {}) => {
    const path = join(folder, place);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'package.json'), JSON.stringify(manifest));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
    return path;
  };

  it('have licences that fit, one of a choice at least', () => {
    for (const good of ['MIT', '(MIT OR GPL-3.0-only)', 'MIT AND ISC'])
      expect(fits(good), good).to.equal(true);
    for (const bad of ['GPL-3.0-only', 'MIT AND LGPL-2.1', 'SEE LICENSE IN x', undefined])
      expect(fits(bad), bad).to.equal(false);
  });

  it('are found in source maps, and end the command when their licence does not fit', () => {
    const one = add(
      'node_modules/one',
      { name: 'one', version: '1.0.0', license: 'MIT' },
      { LICENSE: 'Do as you like.' },
    );
    const dist = add('dist', {});
    writeFileSync(
      join(dist, 'index.js.map'),
      JSON.stringify({ sources: ['../src/own.ts', '../node_modules/one/index.js'] }),
    );
    const page = join(folder, 'page.json');
    writeFileSync(page, JSON.stringify([{ name: 'two', version: '2.0.0', identifier: 'ISC', text: '' }]));
    const found = thirdParty({ shipped: [one], bundles: [['plugins/x', dist]], page });
    expect(found.map(({ name, parts }) => [name, parts])).to.deep.equal([
      ['one', ['node_modules', 'plugins/x']],
      ['two', ['web page']],
    ]);
    expect(noticesOf(found))
      .to.include('Do as you like.')
      .and.to.include('two 2.0.0\nLicence: ISC. In: web page.');
    const bad = add('node_modules/bad', { name: 'bad', version: '1.0.0', license: 'GPL-3.0-only' });
    expect(() => thirdParty({ shipped: [bad], bundles: [], page })).to.throw(
      'bad 1.0.0 has the licence "GPL-3.0-only"',
    );
  });

  it('lie flat without what compiles them, and two versions of one are refused', () => {
    const from = add('source', { name: 'source' });
    const inSource = (place, name, version, dependencies = {}) =>
      add(
        join('source', 'node_modules', place),
        { name, version, dependencies, scripts: { install: 'no' } },
        { 'binding.gyp': '' },
      );
    inSource('a', 'a', '1.0.0', { shared: '1', deep: '1' });
    inSource('b', 'b', '1.0.0', { shared: '2' });
    inSource('shared', 'shared', '1.0.0');
    inSource('b/node_modules/shared', 'shared', '2.0.0');
    inSource('deep', 'deep', '1.0.0', { shared: '1' });
    const root = join(folder, 'root');
    const packages = (...names) => names.map((name) => ({ name, from }));
    carryPackages(packages('a'), root);
    const place = (...path) => join(root, 'node_modules', ...path);
    const manifest = (name) => JSON.parse(readFileSync(place(name, 'package.json'), 'utf8'));
    expect(['a', 'deep', 'shared'].map((name) => manifest(name).version)).to.deep.equal(
      Array(3).fill('1.0.0'),
    );
    expect(manifest('a')).not.to.have.property('scripts');
    expect(existsSync(place('a', 'binding.gyp'))).to.equal(false);
    expect(() => carryPackages(packages('a', 'b'), root)).to.throw('Two versions of shared are needed');
  });
});
