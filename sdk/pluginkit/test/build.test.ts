import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { build } from '../src/build.ts';
import { settingsTypes } from '../src/settings-types.ts';
import { driverFiles, failureOf, Folder, packageWith } from './folder.ts';

const native = {
  'node_modules/native/package.json': { name: 'native', version: '1.0.0', main: 'index.js', gypfile: true },
  'node_modules/native/index.js': 'module.exports = 1;',
};
const needy = {
  'node_modules/needy/package.json': {
    name: 'needy',
    version: '1.0.0',
    main: 'index.js',
    dependencies: { native: '1' },
  },
  'node_modules/needy/index.js': `let extra; try { extra = require('absent'); } catch {} module.exports = require('native');`,
};

describe('build', () => {
  it('bundles what the plugin imports into one file', async () => {
    using folder = new Folder().write({
      ...driverFiles,
      'node_modules/plain/package.json': { name: 'plain', version: '1.0.0', main: 'index.js' },
      'node_modules/plain/index.js': `module.exports = { answer: 42, os: require('os') };`,
      'src/index.ts': `import plain from 'plain'; export default { answer: plain.answer as number };`,
    });
    await build(folder.path);
    const text = readFileSync(join(folder.path, 'dist', 'index.js'), 'utf8');
    expect(text)
      .to.include('42')
      .and.not.match(/from ['"]plain['"]/);
    expect(existsSync(join(folder.path, 'src', 'settings.ts'))).to.equal(true);
  });

  it('refuses a native module, and an optional one that is not installed, and names who imports them', async () => {
    using folder = new Folder().write({
      ...driverFiles,
      ...native,
      ...needy,
      'src/index.ts': `import 'needy'; export default 1;`,
    });
    const message = await failureOf(build(folder.path));
    expect(message).to.include('needy imports "absent", which is not installed');
    expect(message).to.include('needy imports "native", a native module');
  });

  it('keeps out what package.json says', async () => {
    using folder = new Folder().write({
      ...driverFiles,
      ...native,
      ...needy,
      'package.json': packageWith({ external: ['native'], without: ['absent'] }),
      'src/index.ts': `import 'needy'; export default 1;`,
    });
    await build(folder.path);
    expect(readFileSync(join(folder.path, 'dist', 'index.js'), 'utf8')).to.match(/require\(['"]native['"]\)/);
  });

  it('refuses files that a gateway would refuse, before it writes anything', async () => {
    using folder = new Folder().write({
      ...driverFiles,
      'plugin.json': { ...driverFiles['plugin.json'], name: '' },
    });
    expect(await failureOf(build(folder.path))).to.include('plugin.json: ');
    expect(existsSync(join(folder.path, 'src', 'settings.ts'))).to.equal(false);
  });
});

describe('the types of settings', () => {
  it('have what is required or has a default, choices as unions, and what is conditional as optional', async () => {
    const text = await settingsTypes({
      type: 'object',
      properties: {
        mode: {
          type: 'integer',
          title: 'Mode',
          description: 'M.',
          oneOf: [
            { const: 0, title: 'a' },
            { const: 1, title: 'b' },
          ],
        },
        host: { type: 'string', title: 'Host', description: 'H.' },
        timeout: { type: 'number', title: 'T', description: 'T.', default: 1 },
        'key-file': { type: 'string', title: 'K', description: 'K.', contentEncoding: 'base64' },
      },
      required: ['mode', 'host'],
      allOf: [
        {
          if: { properties: { mode: { const: 1 } }, required: ['mode'] },
          then: {
            required: ['speed'],
            properties: { speed: { type: 'integer', title: 'S', description: 'S.', default: 9 } },
          },
        },
      ],
    });
    const members = text.match(/^ {2}\S+: .*;$/gm)?.map((line) => line.trim());
    expect(members).to.deep.equal([
      'mode: 0 | 1;',
      'host: string;',
      'timeout: number;',
      "'key-file'?: string;",
      'speed?: number;',
    ]);
  });
});
