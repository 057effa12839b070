import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { sdkVersion } from '@tagway/sdk/internal';
import { create } from '../src/create.ts';
import { settingsTypes } from '../src/settings-types.ts';
import { Folder } from './folder.ts';

const templates = new URL('../templates/', import.meta.url);

describe('create', () => {
  for (const kind of ['driver', 'app'] as const) {
    it(`makes ${kind === 'app' ? 'an' : 'a'} ${kind} with the name of its folder and released packages`, () => {
      using folder = new Folder();
      const made = create(kind, join(folder.path, 'flow-meter'));
      const manifest = JSON.parse(readFileSync(join(made, 'plugin.json'), 'utf8')) as object;
      expect(manifest).to.include({ id: 'flow-meter', name: 'Flow Meter', kind, sdk: `^${sdkVersion}` });
      const packageJson = readFileSync(join(made, 'package.json'), 'utf8');
      expect(packageJson)
        .to.include('"name": "flow-meter"')
        .and.not.match(/workspace:|template|private/);
      expect(readdirSync(made)).to.include.members(['.gitignore', 'src', 'test', 'tsconfig.json']);
      expect(readdirSync(made)).to.not.include('node_modules');
      expect(packageJson).to.include(`"@tagway/sdk": "^${sdkVersion}"`);
    });

    it(`has the types of the ${kind} template's settings as its schema gives them`, async () => {
      const template = new URL(`${kind}/`, templates);
      const schema = JSON.parse(readFileSync(new URL('settings.schema.json', template), 'utf8')) as object;
      const types = readFileSync(new URL('src/settings.ts', template), 'utf8');
      expect(types.replaceAll(/\s/g, '')).to.equal((await settingsTypes(schema)).replaceAll(/\s/g, ''));
    });
  }

  it('refuses a name that is no id, and a folder with something in it', () => {
    using folder = new Folder().write({ 'taken/file': 'x' });
    expect(() => create('driver', join(folder.path, 'My Driver'))).to.throw('cannot be the id');
    expect(() => create('driver', join(folder.path, 'taken'))).to.throw('is not empty');
  });
});
